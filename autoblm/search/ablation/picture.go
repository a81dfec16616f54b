package ablation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
)

// ByStructures plots the mean validation MRR of the Top best structures against the number of
// structures trained. Lines are means over the seeds; bands reach from minimum to maximum.
func ByStructures(title string, outcomes []Outcome) plot.Curve {
	trained := func(m Mark) float64 { return float64(m.Trained) }
	return curve(title, "structures trained", outcomes, trained)
}

// BySeconds plots the same against the time of training, ranking and proposing.
func BySeconds(title string, outcomes []Outcome) plot.Curve {
	return curve(title, "seconds", outcomes, func(m Mark) float64 { return m.Seconds })
}

func curve(title, xLabel string, outcomes []Outcome, x func(Mark) float64) plot.Curve {
	yLabel := fmt.Sprintf("mean validation MRR of the %d best", Top)
	c := plot.Curve{Title: title, X: xLabel, Y: yLabel}
	for _, o := range outcomes {
		series := plot.Series{Name: o.Variant, Style: plot.Line}
		for _, at := range positions(o, x) {
			var sum float64
			band := plot.Range{X: at, Low: 1}
			for _, run := range o.Runs {
				top := run.topAt(at, x)
				sum += top
				band.Low, band.High = min(band.Low, top), max(band.High, top)
			}
			series.Points = append(series.Points, plot.Point{X: at, Y: sum / float64(len(o.Runs))})
			series.Band = append(series.Band, band)
		}
		c.Series = append(c.Series, series)
	}
	return c
}

// positions returns the x values of all marks, from the first one that all runs have reached.
func positions(o Outcome, x func(Mark) float64) []float64 {
	var all []float64
	from := 0.0
	for _, run := range o.Runs {
		from = max(from, x(run.Trace[0]))
		for _, m := range run.Trace {
			all = append(all, x(m))
		}
	}
	slices.Sort(all)
	first, _ := slices.BinarySearch(all, from)
	return slices.Compact(all[first:])
}

// topAt returns the MRR that a run had reached at x.
func (r Run) topAt(at float64, x func(Mark) float64) float64 {
	n, exact := slices.BinarySearchFunc(r.Trace, at, func(m Mark, at float64) int {
		return cmp.Compare(x(m), at)
	})
	if !exact {
		n--
	}
	return r.Trace[n].TopMRR
}
