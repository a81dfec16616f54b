package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/stat"
)

// widthOnPage of a chart's area in points, so that two stand beside each other.
const widthOnPage = 260

// progress shows how the search went on.
func (o *outcome) progress() []part {
	if len(o.found) == 0 {
		return nil
	}
	onPage := func(c plot.Curve, label, caption string) figure {
		c.Title, c.Width = "", widthOnPage
		return figure{o.inline(c.Picture(), capital(o.Words.Validation)+label), caption}
	}
	parts := []part{{Figures: []figure{
		onPage(o.byTrainings(), " over the structures trained: every structure, the best so far and the mean of the best eight",
			"Against the structures trained. Dotted lines stand between rounds."),
		onPage(o.bySeconds(), " over the seconds of work, at the end of each round: the best so far and the mean of the best eight",
			"Against the time that training, filter, predictor and strategy took, without pauses and without the human-designed models. A dotted line ends a round."),
	}}}
	if names := o.notDrawn(); len(names) > 0 {
		parts = append(parts, part{Text: fmt.Sprintf("Too far below to be drawn: %s.", format.List(names, "and"))})
	}
	return parts
}

// byTrainings shows the score over the structures trained, and marks the ends of rounds.
func (o *outcome) byTrainings() plot.Curve {
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
	return o.curve("structures trained", plot.Series{Name: "a structure", Style: plot.Dots, Points: each}, plot.BestSoFar(each), mean, ends)
}

// bySeconds shows the same over the time that the rounds took, proposals included, at
// the end of each.
func (o *outcome) bySeconds() plot.Curve {
	var best, mean []plot.Point
	var ends []float64
	var sofar []task.Trial
	seconds := 0.0
	for _, r := range o.rounds {
		sofar = append(sofar, r.trials...)
		seconds += r.Seconds + r.seconds
		ends = append(ends, seconds)
		if top := bestFirst(sofar); len(top) > 0 {
			best = append(best, plot.Point{X: seconds, Y: top[0].ScoreOrZero()})
		}
		mean = append(mean, plot.Point{X: seconds, Y: meanOfTop(sofar)})
	}
	keepsColours := plot.Series{} // those of the other chart
	return o.curve("seconds of work", keepsColours, best, mean, ends)
}

// curve is a chart of the search with the human-designed models as levels.
func (o *outcome) curve(x string, each plot.Series, best, mean []plot.Point, marks []float64) plot.Curve {
	curve := plot.Curve{Title: "search on " + o.About.Dataset, X: x, Y: o.Words.Validation, Marks: marks, Series: []plot.Series{
		each,
		{Name: "the best so far", Style: plot.Steps, Points: best},
		{Name: fmt.Sprintf("mean of the best %d", topMean), Style: plot.Steps, Points: mean},
	}}
	if names := o.notDrawn(); len(names) > 0 {
		curve.Title += ", without " + format.List(names, "and") + " far below"
	}
	low := o.farBelow()
	for i := range curve.Series {
		s := &curve.Series[i]
		s.Points = slices.DeleteFunc(s.Points, func(p plot.Point) bool { return p.Y < low })
	}
	for _, t := range bestFirst(o.named) {
		if t.ScoreOrZero() >= low {
			curve.Levels = append(curve.Levels, plot.Level{Name: title(t.Name), Y: t.ScoreOrZero()})
		}
	}
	return curve
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
	return meanScore(best[:topMean])
}

func meanScore(trials []task.Trial) float64 {
	sum := 0.0
	for _, t := range trials {
		sum += t.ScoreOrZero()
	}
	return sum / float64(len(trials))
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
	below := func(t task.Trial) bool { return t.ScoreOrZero() < low }
	if first := slices.IndexFunc(o.found, below); first >= 0 { // best first
		names = append(names, format.Count(len(o.found)-first, "structure"))
	}
	for _, t := range bestFirst(o.named) {
		if below(t) {
			names = append(names, fmt.Sprintf("%s (%s)", title(t.Name), format.Cell(t.Score)))
		}
	}
	return names
}
