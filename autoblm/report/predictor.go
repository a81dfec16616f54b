package report

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/correlation"
	"github.com/autoblm/autoblm-go/internal/format"
)

// predictor compares predicted and measured scores.
func (a *analysis) predictor() []Part {
	rho, n := rankCorrelation(a.found)
	if n < fewestToCorrelate {
		return nil
	}
	metric, structures := a.Presentation.Validation, format.Count(n, "structure")
	text := fmt.Sprintf("Before each round, a perceptron fitted to the results so far predicts "+
		"the %s of the candidates. The %d candidates with the highest predictions are trained. "+
		"For the %s chosen this way, ", metric, a.About.Settings.RoundSize, structures)
	if math.IsNaN(rho) {
		text += "all predictions or all results are equal, so there is no correlation"
	} else {
		text += fmt.Sprintf("Spearman's rank correlation of prediction and result is %s "+
			"over all rounds", coefficient(rho))
	}
	if mean, rounds := a.correlationWithin(); rounds > 0 {
		text += fmt.Sprintf(", and %s within a round (mean over %s with at least %d structures)",
			coefficient(mean), format.Count(rounds, "round"), fewestToRank)
	}
	text += ". Only chosen structures have results, and their predictions are close together. " +
		"Over all candidates, the correlation would usually be higher."
	chart := &Chart{
		Label: fmt.Sprintf("Predicted against measured %s of %s", metric, structures),
		X:     "predicted " + metric,
		Y:     "measured " + metric,
		Caption: "Each dot is a structure that the predictor chose. " +
			"The search uses only the order of the predictions.",
	}
	var points []Point
	for _, t := range a.found {
		if t.Prediction != nil {
			points = append(points, Point{X: *t.Prediction, Y: t.ScoreOrZero(), Trial: t.Number})
		}
	}
	chart.Series = []Series{{"a structure", Dots, points}}
	return []Part{{Text: text, Chart: chart}}
}

// scatter plots measured against predicted scores.
func (a *analysis) scatter() plot.Scatter {
	var points []plot.Point
	for _, t := range a.found {
		if t.Prediction != nil {
			points = append(points, plot.Point{X: *t.Prediction, Y: t.ScoreOrZero()})
		}
	}
	return plot.Scatter{
		Title:  "the predictor on " + a.About.Dataset,
		X:      "predicted " + a.Presentation.Validation,
		Y:      "measured " + a.Presentation.Validation,
		Clouds: []plot.Cloud{{Points: points}},
	}
}

// fewestToCorrelate is the smallest number of structures for a correlation on the page.
const fewestToCorrelate = 20

// fewestToRank is the smallest number of structures for a rank correlation within a round.
const fewestToRank = 3

// correlationWithin returns the mean rank correlation over the rounds that have enough structures.
func (a *analysis) correlationWithin() (mean float64, rounds int) {
	for _, r := range a.rounds {
		rho, n := rankCorrelation(r.trials)
		if n >= fewestToRank && !math.IsNaN(rho) {
			mean += rho
			rounds++
		}
	}
	return mean / float64(max(1, rounds)), rounds
}

// rankCorrelation returns Spearman's correlation of predictions and scores, and the number of
// complete trials that have both.
func rankCorrelation(trials []task.Trial) (rho float64, n int) {
	var predicted, measured []float64
	for _, t := range trials {
		if t.Prediction != nil && t.State == task.Complete {
			predicted = append(predicted, *t.Prediction)
			measured = append(measured, t.ScoreOrZero())
		}
	}
	if len(predicted) == 0 {
		return math.NaN(), 0
	}
	return correlation.Spearman(predicted, measured), len(predicted)
}
