package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// measured makes samples of all measures: that of the i-th variant is i+1 in each of
// three rounds.
func measured(measures []Measure) []Sample {
	var samples []Sample
	for round := 1; round <= 3; round++ {
		for _, m := range measures {
			for i, v := range m.Variants {
				samples = append(samples, Sample{round, m.Name, v, float64(i + 1)})
			}
		}
	}
	return samples
}

func only(t *testing.T, names ...string) []Measure {
	t.Helper()
	measures, err := Choose(names)
	if err != nil {
		t.Fatal(err)
	}
	return measures
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	measures := only(t, ReadyToStart, Start)
	if err := WriteTable(&out, measures, measured(measures)); err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"ready-to-start: sidecar ready to start of the app",
		"variant n median p99 ratio to ratio 95 % goal native-stock 3 1.000 s 1.000 s native 3 2.000 s 2.000 s native-stock 2.000 2.000 to 2.000",
		"sidecar 3 3.000 s 3.000 s native 1.500 1.500 to 1.500 at most 0.4: MISSED",
		// Two comparisons of one variant.
		"sidecar-2 3 6.000 s 6.000 s native-2 3.000 3.000 to 3.000 sidecar-1 1.200 1.200 to 1.200 at most 1.2: met",
		"sidecar-4 3 7.000 s 7.000 s native-4 2.333 2.333 to 2.333 sidecar-1 1.400 1.400 to 1.400 at most 1.2: MISSED",
		"by nearest rank",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		goal float64
		r    ratio
		want string
	}{
		{0, ratio{9, 9, 9, 20}, ""},
		{0.4, ratio{0.3, 0.2, 0.35, 20}, "at most 0.4: met"},
		{0.4, ratio{0.4, 0.4, 0.4, 20}, "at most 0.4: met"},
		{0.4, ratio{0.5, 0.45, 0.6, 20}, "at most 0.4: MISSED"},
		{1.02, ratio{1.01, 0.98, 1.05, 20}, "at most 1.02: met, uncertain"},
		{1.02, ratio{1.03, 0.98, 1.05, 20}, "at most 1.02: MISSED, uncertain"},
		// What two rounds say is chance.
		{1.2, ratio{2, 1.9, 2.1, 2}, "at most 1.2: MISSED, uncertain"},
	} {
		if got := (Comparison{AtMost: c.goal}).verdict(c.r); got != c.want {
			t.Errorf("%v: got %q, want %q", c.r, got, c.want)
		}
	}
}

func TestWhatWasNotMeasuredIsAnError(t *testing.T) {
	measures := only(t, ReadyToStart)
	samples := slices.DeleteFunc(measured(measures), func(s Sample) bool { return s.Variant == Native })
	var out bytes.Buffer
	err := WriteTable(&out, measures, samples)
	if err == nil || !strings.Contains(err.Error(), "measure ready-to-start has no sample of native") || !strings.Contains(out.String(), NativeStock) {
		t.Errorf("table: got %v and\n%s", err, out.String())
	}
	if err := WritePlot(&out, measures[0], samples); err == nil || !strings.Contains(err.Error(), "no sample of native") {
		t.Errorf("plot: got %v", err)
	}
	dir := t.TempDir()
	if err := WriteFiles(dir, measures, samples); err == nil {
		t.Error("files: no error")
	}
	if read, err := ReadFiles(dir, measures); err != nil || len(read) != len(samples) {
		t.Errorf("what was measured is lost: %v, %v", read, err)
	}
}

func TestCSVRoundTrip(t *testing.T) {
	measures := Measures()
	samples := measured(measures)
	samples[0].Value = 0.1234567890123
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := WriteFiles(dir, measures, samples); err != nil {
		t.Fatal(err)
	}
	read, err := ReadFiles(dir, measures)
	if err != nil {
		t.Fatal(err)
	}
	order := func(s []Sample) {
		slices.SortFunc(s, func(a, b Sample) int {
			return strings.Compare(a.Measure+a.Variant+string(rune(a.Round)), b.Measure+b.Variant+string(rune(b.Round)))
		})
	}
	order(samples)
	order(read)
	if !slices.Equal(read, samples) {
		t.Errorf("got %v\nwant %v", read, samples)
	}
	if _, err := ReadFiles(t.TempDir(), measures); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no files: got %v", err)
	}
}

func TestBadCSV(t *testing.T) {
	const head = "round,measure,variant,value,unit\n"
	for want, text := range map[string]string{
		"the columns":             "",
		"want the columns":        "round,measure,variant,seconds,unit\n",
		"wrong number of fields":  head + "1,ready-to-start,native,0.5\n",
		"want measure":            head + "1,start,native,0.5,s\n",
		"ready-to-start in s":     head + "1,ready-to-start,native,0.5,B\n",
		"no such variant":         head + "1,ready-to-start,foreign,0.5,s\n",
		"a round from 1":          head + "0,ready-to-start,native,0.5,s\n",
		"a number as value":       head + "1,ready-to-start,native,soon,s\n",
		"line 3: want a number":   head + "1,ready-to-start,native,1,s\n2,ready-to-start,native,NaN,s\n",
		"a number as value: [\"1": head + "1,ready-to-start,native,+Inf,s\n",
	} {
		if got, err := ReadCSV(strings.NewReader(text), only(t, ReadyToStart)[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestEveryPlotHasItsVariants(t *testing.T) {
	measures := Measures()
	samples := measured(measures)
	for _, m := range measures {
		var out bytes.Buffer
		if err := WritePlot(&out, m, samples); err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, out.Bytes())
		for _, want := range append(slices.Clone(m.Variants), m.Name+": "+m.Title, string(m.Unit)) {
			if !slices.Contains(texts, want) {
				t.Errorf("plot of %s has no %q: %q", m.Name, want, texts)
			}
		}
		if !slices.ContainsFunc(texts, func(s string) bool { return s == "0" || s == "0.00" || s == "0.0" }) {
			t.Errorf("the axis of %s does not begin at 0: %q", m.Name, texts)
		}
	}
}

// svgTexts returns the texts of a drawing, which has to be well-formed.
func svgTexts(t *testing.T, drawing []byte) []string {
	t.Helper()
	var texts []string
	inText := false
	d := xml.NewDecoder(bytes.NewReader(drawing))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		}
	}
}
