package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Sample is one value that was measured.
type Sample struct {
	// Round counts from 1.
	Round            int
	Measure, Variant string
	// Value is in the unit of the measure.
	Value float64
}

// columns are the head of the CSV files.
var columns = []string{"round", "measure", "variant", "value", "unit"}

// WriteCSV writes the samples of a measure.
func WriteCSV(out io.Writer, m Measure, samples []Sample) error {
	w := csv.NewWriter(out)
	lines := [][]string{columns}
	for _, s := range samples {
		if s.Measure == m.Name {
			lines = append(lines, []string{strconv.Itoa(s.Round), s.Measure, s.Variant, strconv.FormatFloat(s.Value, 'g', -1, 64), string(m.Unit)})
		}
	}
	return w.WriteAll(lines)
}

// ReadCSV reads what WriteCSV has written. A line that is of another measure or variant,
// or no number, is an error that names the line.
func ReadCSV(in io.Reader, m Measure) ([]Sample, error) {
	r := csv.NewReader(in)
	r.FieldsPerRecord = len(columns)
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("samples of %s: %w", m.Name, err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("samples of %s: want the columns %v in line 1", m.Name, columns)
	}
	var samples []Sample
	for i, line := range lines[1:] {
		s := Sample{Measure: line[1], Variant: line[2]}
		wrong := func(what string) ([]Sample, error) {
			return nil, fmt.Errorf("samples of %s, line %d: %s: %q", m.Name, i+2, what, line)
		}
		if s.Measure != m.Name || line[4] != string(m.Unit) {
			return wrong(fmt.Sprintf("want measure %s in %s", m.Name, m.Unit))
		}
		if !slices.Contains(m.Variants, s.Variant) {
			return wrong("no such variant")
		}
		if s.Round, err = strconv.Atoi(line[0]); err != nil || s.Round < 1 {
			return wrong("want a round from 1")
		}
		if s.Value, err = strconv.ParseFloat(line[3], 64); err != nil || math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			return wrong("want a number as value")
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// of returns the values of a variant by round.
func of(samples []Sample, measure, variant string) byRound {
	found := byRound{}
	for _, s := range samples {
		if s.Measure == measure && s.Variant == variant {
			found[s.Round] = append(found[s.Round], s.Value)
		}
	}
	return found
}
