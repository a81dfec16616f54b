package ablation

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
)

// ByStructures draws the mean validation MRR of the Top best structures against the
// structures trained: the mean over the seeds, and a band from the lowest to the highest.
func ByStructures(title string, outcomes []Outcome) plot.Curve {
	return curve(title, "structures trained", outcomes, func(m Mark) float64 { return float64(m.Trained) })
}

// BySeconds draws the same against the wall-clock time of training, ranking and proposing.
func BySeconds(title string, outcomes []Outcome) plot.Curve {
	return curve(title, "seconds", outcomes, func(m Mark) float64 { return m.Seconds })
}

func curve(title, xLabel string, outcomes []Outcome, x func(Mark) float64) plot.Curve {
	c := plot.Curve{Title: title, X: xLabel, Y: "mean validation MRR of the 8 best"}
	for _, o := range outcomes {
		series := plot.Series{Name: o.Variant, Style: plot.Line}
		for _, at := range places(o, x) {
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

// places are the x at which some run of an outcome has a mark, from where all have one.
func places(o Outcome, x func(Mark) float64) []float64 {
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

// topAt is what a run had reached at x.
func (r Run) topAt(at float64, x func(Mark) float64) float64 {
	n, exact := slices.BinarySearchFunc(r.Trace, at, func(m Mark, at float64) int { return cmp.Compare(x(m), at) })
	if !exact {
		n--
	}
	return r.Trace[n].TopMRR
}
