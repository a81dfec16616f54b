package report

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/correlation"
	"github.com/autoblm/autoblm-go/internal/format"
)

// guesses compares the predictor with what came out.
func (o *outcome) guesses() []part {
	if len(o.found) == 0 {
		return nil
	}
	rho, n := rankCorrelation(o.found)
	switch {
	case n > 0:
	case o.About.Settings.Predictor == nil:
		return []part{{Text: "The search had no predictor: the candidates of a round were trained in random order."}}
	default:
		return []part{{Text: "No structure was picked by the predictor: the first round has nothing to fit it to, and not every strategy asks it."}}
	}
	chart := o.scatter()
	chart.Title = ""
	text := fmt.Sprintf("Before a round is trained, a perceptron fitted to the rounds before guesses the %s of its candidates, and the %d highest are trained. Of %s that were picked so, ",
		o.Words.Validation, o.About.Settings.P, format.Count(n, "structure"))
	if math.IsNaN(rho) {
		text += "all guesses or all results are the same, so there is no correlation"
	} else {
		text += fmt.Sprintf("Spearman's rank correlation of guess and result is %s over all rounds together", coefficient(rho))
	}
	if mean, rounds := o.correlationWithin(); rounds > 0 {
		text += fmt.Sprintf(", and %s within a round (mean over %s with at least %d of them)", coefficient(mean), format.Count(rounds, "round"), fewestToRank)
	}
	text += ". Only what was picked has a result, and the picked ones have guesses close to each other: among all candidates the correlation would be another, as a rule a higher one."
	label := fmt.Sprintf("Predicted against measured %s of %s; Spearman's correlation is %s", o.Words.Validation, format.Count(n, "structure"), coefficient(rho))
	return []part{{Text: text, Figures: []figure{{
		o.inline(chart.Picture(), label), "Each dot is a structure that the predictor picked. For the search only the order matters.",
	}}}}
}

// scatter compares the predictor's guesses with what was measured.
func (o *outcome) scatter() plot.Scatter {
	var points []plot.Point
	for _, t := range o.found {
		if t.Prediction != nil {
			points = append(points, plot.Point{X: *t.Prediction, Y: t.ScoreOrZero()})
		}
	}
	return plot.Scatter{
		Title: "the predictor on " + o.About.Dataset, X: "predicted " + o.Words.Validation, Y: "measured " + o.Words.Validation,
		Clouds: []plot.Cloud{{Points: points}},
	}
}

// fewestToRank are how many structures of a round say something about an order.
const fewestToRank = 3

// correlationWithin is the mean over the rounds that have enough structures.
func (o *outcome) correlationWithin() (mean float64, rounds int) {
	for _, r := range o.rounds {
		rho, n := rankCorrelation(r.trials)
		if n >= fewestToRank && !math.IsNaN(rho) {
			mean += rho
			rounds++
		}
	}
	return mean / float64(max(1, rounds)), rounds
}

// rankCorrelation is Spearman's, of guesses and scores, and n the number of complete
// trials that have both.
func rankCorrelation(trials []task.Trial) (rho float64, n int) {
	var guessed, measured []float64
	for _, t := range trials {
		if t.Prediction != nil && t.State == task.Complete {
			guessed, measured = append(guessed, *t.Prediction), append(measured, t.ScoreOrZero())
		}
	}
	if len(guessed) == 0 {
		return math.NaN(), 0
	}
	return correlation.Spearman(guessed, measured), len(guessed)
}
