package nodeimage

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Size is what one part of the node image takes.
type Size struct {
	// Name is the name of the layer.
	Name string
	// Compressed and Unpacked are sizes in bytes.
	Compressed, Unpacked int64
}

const mebibyte = 1 << 20

// Budget is the largest compressed size of each layer, and of "total", in
// bytes.
type Budget map[string]int64

// ReadBudget reads lines of a name and a number of MiB.
func ReadBudget(file string) (Budget, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := Budget{}
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: %q: want a name and a number of MiB", file, n, line)
		}
		size, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || size <= 0 {
			return nil, fmt.Errorf("%s:%d: %q: want a number of MiB above 0", file, n, fields[1])
		}
		if _, ok := b[fields[0]]; ok {
			return nil, fmt.Errorf("%s:%d: %s is there twice", file, n, fields[0])
		}
		b[fields[0]] = int64(size * mebibyte)
	}
	return b, sc.Err()
}

// Check compares the layers with the budget. The error lists everything that
// is too big or has no limit.
func (b Budget) Check(layers []Size) error {
	var total int64
	var problems []string
	for _, l := range append(layers, Size{Name: "total"}) {
		if l.Name == "total" {
			l.Compressed = total
		}
		total += l.Compressed
		limit, ok := b[l.Name]
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s has no limit", l.Name))
		case l.Compressed > limit:
			problems = append(problems, fmt.Sprintf("%s is %.1f MiB, limit %.1f MiB", l.Name, mib(l.Compressed), mib(limit)))
		}
	}
	if problems != nil {
		return fmt.Errorf("the node image is over its budget: %s; make it smaller, or change images/node/budget.txt with the reason in the commit", strings.Join(problems, "; "))
	}
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / mebibyte }
