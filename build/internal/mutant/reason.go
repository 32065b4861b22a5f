package mutant

import (
	"regexp"
	"strings"
)

// object is the line with which Gomega introduces an error.
var object = regexp.MustCompile(`^<[*\w.]+ \| 0x[0-9a-f]+>:$`)

// reason is the line of a failure's message that says most: that of the error, if the
// message has one, or else the first one.
func reason(message string) string {
	first, next := "", false
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case next:
			return line
		case object.MatchString(line):
			next = true
		case first == "":
			first = line
		}
	}
	return first
}
