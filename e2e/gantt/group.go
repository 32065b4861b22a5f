package gantt

import (
	"fmt"
	"slices"
)

// maxFailure bounds the message of a failure, which holds a timeline, in bytes.
const maxFailure = 12000

// group are the specs of one group, as they are drawn.
type group struct {
	Name           string
	Passed, Failed int
	Specs          []drawn
}

// drawn is a spec with its picture.
type drawn struct {
	Spec
	ID      string
	Picture picture
}

// Seconds is how long the spec took; a picture alone took nothing.
func (d drawn) Seconds() string {
	if d.Took == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s", d.Took.Seconds())
}

// groups puts the specs into their groups, in the order in which they come, what failed
// before what passed.
func groups(specs []Spec) []group {
	var all []group
	for i, s := range specs {
		g := slices.IndexFunc(all, func(g group) bool { return g.Name == s.Group })
		if g < 0 {
			g = len(all)
			all = append(all, group{Name: s.Group})
		}
		s.Failure = cut(s.Failure, maxFailure)
		all[g].add(drawn{s, fmt.Sprintf("spec-%d", i+1), draw(s.Pods)})
	}
	for _, g := range all {
		slices.SortStableFunc(g.Specs, func(a, b drawn) int { return first(a.Failed, b.Failed) })
	}
	slices.SortStableFunc(all, func(a, b group) int { return first(a.Failed > 0, b.Failed > 0) })
	return all
}

func (g *group) add(d drawn) {
	if d.Failed {
		g.Failed++
	} else {
		g.Passed++
	}
	g.Specs = append(g.Specs, d)
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// sections are the groups as they follow each other on the page: what failed makes a
// section of its own, the first one, and leaves its group.
func sections(groups []group) []group {
	failed := group{Name: "failed"}
	var rest []group
	for _, g := range groups {
		passed := group{Name: g.Name}
		for _, d := range g.Specs {
			if !d.Failed {
				passed.add(d)
				continue
			}
			if d.Group != "" {
				d.Within = slices.Concat([]string{d.Group}, d.Within)
			}
			failed.add(d)
		}
		if len(passed.Specs) > 0 {
			rest = append(rest, passed)
		}
	}
	if len(failed.Specs) == 0 {
		return rest
	}
	return slices.Concat([]group{failed}, rest)
}
