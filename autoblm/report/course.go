package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/correlation"
)

// widthOnPage of a chart's area in points, so that two stand beside each other.
const widthOnPage = 260

// course shows how the search went on.
func (o *outcome) course() (section, error) {
	s := section{ID: "course", Title: "The course of the search"}
	if len(o.found) == 0 {
		return s, nil
	}
	var figures []figure
	for _, chart := range []struct {
		curve          plot.Curve
		label, caption string
	}{
		{o.courseByTrainings(), capital(o.valid) + " over the structures trained: every structure, the best so far and the mean of the best eight", "Against the structures trained. Dotted lines stand between rounds."},
		{o.courseBySeconds(), capital(o.valid) + " over the seconds of work, at the end of each round: the best so far and the mean of the best eight", "Against the time that training, filter, predictor and strategy took, without pauses and without the human-designed models. A dotted line ends a round."},
	} {
		chart.curve.Title, chart.curve.Width = "", widthOnPage
		picture, err := inline(chart.curve.Picture(), chart.label)
		if err != nil {
			return s, err
		}
		figures = append(figures, figure{picture, chart.caption})
	}
	s.Parts = []part{{Figures: figures}}
	if names := o.notDrawn(); len(names) > 0 {
		s.Parts = append(s.Parts, part{Text: fmt.Sprintf("Too far below to be drawn: %s.", list(names))})
	}
	return s, nil
}

// guesses compares the predictor with what came out.
func (o *outcome) guesses() (section, error) {
	s := section{ID: "predictor", Title: "Predicted and measured"}
	rho, n := o.spearman()
	if n == 0 {
		switch {
		case len(o.found) == 0:
		case o.About.Settings.Predictor == nil:
			s.Parts = []part{{Text: "The search had no predictor: the candidates of a round were trained in random order."}}
		default:
			s.Parts = []part{{Text: "No structure was picked by the predictor: the first round has nothing to fit it to, and not every strategy asks it."}}
		}
		return s, nil
	}
	chart := o.scatter()
	chart.Title = ""
	picture, err := inline(chart.Picture(), fmt.Sprintf("Predicted against measured %s of %s; Spearman's correlation is %s", o.valid, count(n, "structure"), coefficient(rho)))
	if err != nil {
		return s, err
	}
	text := fmt.Sprintf("Before a round is trained, a perceptron fitted to the rounds before guesses the %s of its candidates, and the %d highest are trained. ", o.valid, o.About.Settings.P)
	if math.IsNaN(rho) {
		text += fmt.Sprintf("Of %s that were picked so, all guesses or all results are the same, so there is no correlation", count(n, "structure"))
	} else {
		text += fmt.Sprintf("Of %s that were picked so, Spearman's rank correlation of guess and result is %s over all rounds together", count(n, "structure"), coefficient(rho))
	}
	if mean, rounds := o.spearmanWithin(); rounds > 0 {
		text += fmt.Sprintf(", and %s within a round (mean over %s with at least %d of them)", coefficient(mean), count(rounds, "round"), fewestToRank)
	}
	text += ". Only what was picked has a result, and the picked ones have guesses close to each other: among all candidates the correlation would be another, as a rule a higher one."
	s.Parts = []part{{Text: text}, {Figures: []figure{{picture, "Each dot is a structure that the predictor picked. For the search only the order matters."}}}}
	return s, nil
}

// spearman is the rank correlation of guesses and results over all rounds, and the
// number of structures that have both.
func (o *outcome) spearman() (rho float64, n int) { return rankCorrelation(o.found) }

// fewestToRank are how many structures of a round say something about an order.
const fewestToRank = 3

// spearmanWithin is the mean over the rounds that have enough structures.
func (o *outcome) spearmanWithin() (mean float64, rounds int) {
	for _, r := range o.byRound() {
		rho, n := rankCorrelation(r.trials)
		if n >= fewestToRank && !math.IsNaN(rho) {
			mean += rho
			rounds++
		}
	}
	return mean / float64(max(1, rounds)), rounds
}

func rankCorrelation(trials []task.Trial) (rho float64, n int) {
	var guessed, measured []float64
	for _, t := range trials {
		if t.Guess != nil && t.State == task.Complete {
			guessed, measured = append(guessed, *t.Guess), append(measured, t.ScoreOrZero())
		}
	}
	if len(guessed) == 0 {
		return math.NaN(), 0
	}
	return correlation.Spearman(guessed, measured), len(guessed)
}

// coefficient prints a correlation.
func coefficient(rho float64) string {
	if math.IsNaN(rho) {
		return missing
	}
	return strings.ReplaceAll(fmt.Sprintf("%.2f", rho), "-", "−")
}
