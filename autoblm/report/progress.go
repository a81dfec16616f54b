package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/stat"
)

// curve plots the score by the number of structures trained, with the ends of rounds, and the
// baselines as levels.
func (a *analysis) curve() plot.Curve {
	var each, mean []plot.Point
	var ends []float64
	for i, t := range a.proposed {
		trained := float64(i + 1)
		if t.State == task.Complete {
			each = append(each, plot.Point{X: trained, Y: t.ScoreOrZero()})
		}
		mean = append(mean, plot.Point{X: trained, Y: meanOfTop(a.proposed[:i+1])})
		if i+1 < len(a.proposed) && a.proposed[i+1].Round != t.Round {
			ends = append(ends, trained+0.5)
		}
	}
	curve := plot.Curve{
		Title: "search on " + a.About.Dataset,
		X:     "structures trained",
		Y:     a.Presentation.Validation,
		Marks: ends,
		Series: []plot.Series{
			{Name: "a structure", Style: plot.Dots, Points: each},
			{Name: "the best so far", Style: plot.Steps, Points: plot.BestSoFar(each)},
			{Name: fmt.Sprintf("mean of the best %d", topMean), Style: plot.Steps, Points: mean},
		},
	}
	if len(each) < topMean {
		curve.Series = curve.Series[:2]
	}
	const mostMarks = 40
	if len(ends) > mostMarks {
		curve.Marks = nil
	}
	if names := a.notDrawn(); len(names) > 0 {
		curve.Title += ", without " + format.List(names, "and") + " far below"
	}
	low := lowest(a.found)
	for i := range curve.Series {
		s := &curve.Series[i]
		s.Points = slices.DeleteFunc(s.Points, func(p plot.Point) bool { return p.Y < low })
	}
	for _, t := range task.BestFirst(a.baselines) {
		if score := t.ScoreOrZero(); score >= low {
			level := plot.Level{Name: structure.TitleOf(t.Name), Y: score}
			curve.Levels = append(curve.Levels, level)
		}
	}
	return curve
}

// topMean is the number of best structures in the mean, as in the paper's figures of searches
// (Section V-C).
const topMean = 8

// meanOfTop returns the mean score of the best trials, NaN if there are too few.
func meanOfTop(trials []task.Trial) float64 {
	best := task.BestFirst(trials)
	if len(best) < topMean {
		return math.NaN()
	}
	return meanScore(best[:topMean])
}

func meanScore(trials []task.Trial) float64 {
	sum := 0.0
	for _, t := range trials {
		sum += t.ScoreOrZero()
	}
	return sum / float64(len(trials))
}

// lowest returns the lowest score of complete trials that is drawn, so that a few bad ones do not
// press all others into a line: the lower quartile minus three interquartile ranges (Tukey,
// Exploratory Data Analysis, 1977). Of few trials, all are drawn.
func lowest(complete []task.Trial) float64 {
	if len(complete) < fewestTrials {
		return 0
	}
	ascending := make([]float64, len(complete))
	for i, t := range complete {
		ascending[i] = t.ScoreOrZero()
	}
	slices.Sort(ascending)
	lower := stat.Quantile(0.25, stat.Empirical, ascending, nil)
	upper := stat.Quantile(0.75, stat.Empirical, ascending, nil)
	return lower - 3*(upper-lower)
}

// notDrawn names the structures and baselines below the lowest score that is drawn.
func (a *analysis) notDrawn() []string {
	var names []string
	low := lowest(a.found)
	below := func(t task.Trial) bool { return t.ScoreOrZero() < low }
	if first := slices.IndexFunc(a.found, below); first >= 0 { // best first
		names = append(names, format.Count(len(a.found)-first, "structure"))
	}
	for _, t := range task.BestFirst(a.baselines) {
		if below(t) {
			name := fmt.Sprintf("%s (%s)", structure.TitleOf(t.Name), format.Cell(t.Score))
			names = append(names, name)
		}
	}
	return names
}
