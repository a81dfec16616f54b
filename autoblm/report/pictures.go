package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"gonum.org/v1/gonum/stat"
)

// Picture is one with the name of its files.
type Picture struct {
	Name string
	plot.Picture
}

// Pictures are those of the report, to be saved: the best structure, structures
// beside each other, the course of the search over trainings and over seconds, and
// predicted against measured. There are none before a structure was trained.
func Pictures(d Data) []Picture {
	o := newOutcome(d)
	best, ok := o.bestModel()
	if !ok {
		return nil
	}
	pictures := []Picture{
		{"best", plot.Structure(best.Structure, "best found on "+d.About.Dataset)},
		{"structures", plot.Structures(o.structuresToShow())},
		{"search", o.courseByTrainings().Picture()},
		{"search-seconds", o.courseBySeconds().Picture()},
	}
	if s := o.scatter(); len(s.Clouds[0].Points) > 0 {
		pictures = append(pictures, Picture{"predicted", s.Picture()})
	}
	return pictures
}

// mostDrawn is how many of the structures found are drawn, as many as there are
// human-designed ones.
const mostDrawn = 5

func (o *outcome) structuresToShow() []plot.Titled {
	var all []plot.Titled
	for i, t := range o.found[:min(len(o.found), mostDrawn)] {
		all = append(all, plot.Titled{Title: fmt.Sprintf("found %d: %s %s", i+1, o.metric, score(t)), Structure: t.Structure})
	}
	for _, t := range o.named {
		words := title(t.Name)
		if t.State == task.Complete {
			words = fmt.Sprintf("%s: %s %s", words, o.metric, score(t))
		}
		all = append(all, plot.Titled{Title: words, Structure: t.Structure})
	}
	return all
}

// topMean is how many of the best structures the mean is over, as in the paper's
// figures of searches (Section V-C).
const topMean = 8

// meanOfTop is the mean score of the best of trials, NaN where there are
// too few.
func meanOfTop(trials []task.Trial) float64 {
	best := bestFirst(trials)
	if len(best) < topMean {
		return math.NaN()
	}
	sum := 0.0
	for _, t := range best[:topMean] {
		sum += t.ScoreOrZero()
	}
	return sum / topMean
}

// courseOf is a picture of the search with the human-designed models as levels.
func (o *outcome) courseOf(x string, series []plot.Series, marks []float64) plot.Curve {
	curve := plot.Curve{Title: "search on " + o.About.Dataset, X: x, Y: o.valid, Marks: marks}
	if names := o.notDrawn(); len(names) > 0 {
		curve.Title += ", without " + list(names) + " far below"
	}
	low := o.farBelow()
	for _, s := range series {
		s.Points = slices.DeleteFunc(s.Points, func(p plot.Point) bool { return p.Y < low })
		curve.Series = append(curve.Series, s)
	}
	for _, t := range bestFirst(o.named) {
		if t.ScoreOrZero() >= low {
			curve.Levels = append(curve.Levels, plot.Level{Name: title(t.Name), Y: t.ScoreOrZero()})
		}
	}
	return curve
}

// farBelow is a score below which nothing is drawn, so that a few bad structures do
// not press all others into a line: three times the distance of the quartiles below
// the lower one (Tukey, Exploratory Data Analysis, 1977).
func (o *outcome) farBelow() float64 {
	if len(o.found) == 0 {
		return 0
	}
	ascending := make([]float64, len(o.found))
	for i, t := range o.found {
		ascending[len(o.found)-1-i] = t.ScoreOrZero()
	}
	lower := stat.Quantile(0.25, stat.Empirical, ascending, nil)
	upper := stat.Quantile(0.75, stat.Empirical, ascending, nil)
	return lower - 3*(upper-lower)
}

// notDrawn names what is far below.
func (o *outcome) notDrawn() []string {
	var names []string
	low := o.farBelow()
	structures := 0
	for _, t := range o.found {
		if t.ScoreOrZero() < low {
			structures++
		}
	}
	if structures > 0 {
		names = append(names, count(structures, "structure"))
	}
	for _, t := range bestFirst(o.named) {
		if t.ScoreOrZero() < low {
			names = append(names, fmt.Sprintf("%s (%s)", title(t.Name), score(t)))
		}
	}
	return names
}

// courseByTrainings shows the score over the structures trained, and
// marks the ends of rounds.
func (o *outcome) courseByTrainings() plot.Curve {
	var each, mean []plot.Point
	var ends []float64
	for i, t := range o.proposed {
		trained := float64(i + 1)
		if t.State == task.Complete {
			each = append(each, plot.Point{X: trained, Y: t.ScoreOrZero()})
		}
		mean = append(mean, plot.Point{X: trained, Y: meanOfTop(o.proposed[:i+1])})
		if i+1 < len(o.proposed) && o.proposed[i+1].Round != t.Round {
			ends = append(ends, trained+0.5)
		}
	}
	return o.courseOf("structures trained", []plot.Series{
		{Name: "a structure", Style: plot.Dots, Points: each},
		{Name: "the best so far", Style: plot.Steps, Points: plot.BestSoFar(each)},
		{Name: meanName, Style: plot.Steps, Points: mean},
	}, ends)
}

var meanName = fmt.Sprintf("mean of the best %d", topMean)

// courseBySeconds shows the same over the time that the rounds took, proposals
// included, at the end of each.
func (o *outcome) courseBySeconds() plot.Curve {
	var best, mean []plot.Point
	var ends []float64
	var sofar []task.Trial
	seconds := 0.0
	for _, r := range o.byRound() {
		sofar = append(sofar, r.trials...)
		seconds += r.Seconds + r.seconds
		ends = append(ends, seconds)
		if top := bestFirst(sofar); len(top) > 0 {
			best = append(best, plot.Point{X: seconds, Y: top[0].ScoreOrZero()})
		}
		mean = append(mean, plot.Point{X: seconds, Y: meanOfTop(sofar)})
	}
	return o.courseOf("seconds of work", []plot.Series{
		{}, // keeps the colours of the other picture
		{Name: "the best so far", Style: plot.Steps, Points: best},
		{Name: meanName, Style: plot.Steps, Points: mean},
	}, ends)
}

// scatter compares the predictor's guesses with what was measured.
func (o *outcome) scatter() plot.Scatter {
	var points []plot.Point
	for _, t := range o.found {
		if t.Guess != nil {
			points = append(points, plot.Point{X: *t.Guess, Y: t.ScoreOrZero()})
		}
	}
	return plot.Scatter{
		Title: "the predictor on " + o.About.Dataset, X: "predicted " + o.valid, Y: "measured " + o.valid,
		Clouds: []plot.Cloud{{Points: points}},
	}
}
