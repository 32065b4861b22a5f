package gantt

import (
	"fmt"
	"slices"
	"time"
)

// A lane is never drawn with more than these, whatever has happened: a picture of
// more would be no picture, and the page has to open.
const (
	maxSegments = 120
	maxMarks    = 120
	// maxText bounds texts that come from elsewhere, in bytes.
	maxText = 300
)

// bound keeps the first and the last of what is too much.
func (l *Lane) bound() {
	l.Segments = thin(l.Segments)
	l.Hooks = thin(l.Hooks)
	slices.SortStableFunc(l.Marks, func(a, b Mark) int { return a.At.Compare(b.At) })
	l.Marks = gather(l.Marks)
	for i := range l.Marks {
		l.Marks[i].Text = cut(l.Marks[i].Text, maxText)
	}
}

func thin(s []Segment) []Segment {
	if len(s) <= maxSegments {
		return s
	}
	half := maxSegments / 2
	middle := s[half : len(s)-half]
	many := Segment{
		State: Many, From: middle[0].From, To: middle[len(middle)-1].To, Run: middle[0].Run,
		Text: fmt.Sprintf("%d states, too many to draw", len(middle)),
	}
	return slices.Concat(s[:half], []Segment{many}, s[len(s)-half:])
}

// gather makes one mark of those of a kind that lie close together, the closer the
// fewer there are.
func gather(marks []Mark) []Mark {
	if len(marks) == 0 {
		return nil
	}
	span := marks[len(marks)-1].At.Sub(marks[0].At)
	for gap := time.Duration(0); len(marks) > maxMarks; gap = max(2*gap, span/1000, 1) {
		var fewer []Mark
		last := map[Kind]int{}
		for _, m := range marks {
			if i, ok := last[m.Kind]; ok && m.At.Sub(fewer[i].At) <= gap {
				fewer[i].Count += m.Count
				continue
			}
			last[m.Kind] = len(fewer)
			fewer = append(fewer, m)
		}
		marks = fewer
		if gap > span {
			break
		}
	}
	return marks
}

// cut shortens a text to at most n bytes.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return fmt.Sprintf("%s … (%d more bytes)", text[:n], len(text)-n)
}
