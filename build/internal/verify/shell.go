package verify

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// maxShellLines keeps scripts glue; longer ones belong in Go, with tests.
const maxShellLines = 60

// images/base mirrors the root of the node image, where scripts run with what
// the image has and may be longer.
const maxImageShellLines = 150

var shell = Check{
	Name: "shell",
	What: fmt.Sprintf("shell scripts parse and are at most %d lines long (%d inside an image)", maxShellLines, maxImageShellLines),
	Mend: "bash -n <file>, or move logic to Go",
	Run: func(ctx context.Context, r *Repository) error {
		var wrong []string
		for _, f := range r.Files {
			interpreter := shellOf(f)
			if interpreter == "" {
				continue
			}
			limit := maxShellLines
			if strings.HasPrefix(f.Path, "images/") {
				limit = maxImageShellLines
			}
			if n := bytes.Count(f.Data, []byte("\n")); n > limit {
				wrong = append(wrong, fmt.Sprintf("%s: %d lines, want at most %d", f.Path, n, limit))
			}
			cmd := exec.CommandContext(ctx, interpreter, "-n")
			cmd.Stdin = bytes.NewReader(f.Data)
			if out, err := cmd.CombinedOutput(); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %s", f.Path, bytes.TrimSpace(out)))
			}
		}
		return problems(wrong)
	},
}

// shellOf returns the shell that reads a file, or an empty string.
func shellOf(f File) string {
	first, _, _ := bytes.Cut(f.Data, []byte("\n"))
	switch {
	case !bytes.HasPrefix(first, []byte("#!")):
		if strings.HasSuffix(f.Path, ".sh") {
			return "bash"
		}
		return ""
	case bytes.HasSuffix(bytes.TrimSpace(first), []byte("bash")):
		return "bash"
	case bytes.HasSuffix(bytes.TrimSpace(first), []byte("/sh")):
		return "sh"
	}
	return ""
}
