package bench

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a plot.
const (
	plotHeight   = 9 * vg.Centimeter
	plotMargin   = 4 * vg.Centimeter
	variantWidth = 2.6 * vg.Centimeter
	boxWidth     = 0.9 * vg.Centimeter
)

// WritePlot draws the samples of a measure as SVG: a box and all values for each
// variant, from zero, so that lengths can be compared. A variant without samples is an
// error.
func WritePlot(out io.Writer, m Measure, samples []Sample) error {
	p := plot.New()
	p.Title.Text = m.Name + ": " + m.Title
	p.Title.Padding = vg.Points(8)
	p.Y.Label.Text = string(m.Unit)
	p.Y.Min = 0
	p.Add(plotter.NewGrid())
	for i, variant := range m.Variants {
		values := of(samples, m.Name, variant).all()
		if len(values) == 0 {
			return fmt.Errorf("plot of %s: no sample of %s", m.Name, variant)
		}
		box, err := plotter.NewBoxPlot(boxWidth, float64(i), plotter.Values(values))
		if err != nil {
			return fmt.Errorf("plot of %s, %s: %w", m.Name, variant, err)
		}
		box.FillColor = color.RGBA{R: 198, G: 219, B: 239, A: 255}
		// All values are drawn anyway.
		box.Outside = nil
		points := make(plotter.XYs, len(values))
		for j, v := range values {
			points[j] = plotter.XY{X: float64(i), Y: v}
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return fmt.Errorf("plot of %s, %s: %w", m.Name, variant, err)
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: color.RGBA{R: 8, G: 48, B: 107, A: 255}, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}
		p.Add(box, scatter)
	}
	p.Y.Max *= 1.05
	p.NominalX(m.Variants...)
	width := plotMargin + variantWidth*vg.Length(len(m.Variants))
	canvas, err := p.WriterTo(width, plotHeight, "svg")
	if err != nil {
		return fmt.Errorf("plot of %s: %w", m.Name, err)
	}
	_, err = canvas.WriteTo(out)
	return err
}
