package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFiles writes a CSV file with the samples and a plot for each of the measures into
// dir. Files of other measures stay.
func WriteFiles(dir string, measures []Measure, samples []Sample) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for _, m := range measures {
		var data, drawing bytes.Buffer
		errs = append(errs, WriteCSV(&data, m, samples), os.WriteFile(csvFile(dir, m), data.Bytes(), 0o644))
		if err := WritePlot(&drawing, m, samples); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, os.WriteFile(filepath.Join(dir, m.Name+".svg"), drawing.Bytes(), 0o644))
	}
	return errors.Join(errs...)
}

// ReadFiles reads the samples of the measures from dir.
func ReadFiles(dir string, measures []Measure) ([]Sample, error) {
	var samples []Sample
	for _, m := range measures {
		f, err := os.Open(csvFile(dir, m))
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", m.Name, err)
		}
		read, err := ReadCSV(f, m)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		samples = append(samples, read...)
	}
	return samples, nil
}

func csvFile(dir string, m Measure) string { return filepath.Join(dir, m.Name+".csv") }
