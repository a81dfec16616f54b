package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// retrainingTitle returns the title of the models at full size.
func (a *analysis) retrainingTitle() string {
	if len(task.InStage(task.Retraining, a.Trials)) == 0 {
		return "Models at full size"
	}
	return "Retraining"
}

// retraining describes the retraining stage and the ensemble.
func (a *analysis) retraining() []Part {
	result := a.Result()
	models := result.Retrained
	if len(models) == 0 || len(models) == 1 && len(models[0].Trials) == 1 {
		return nil // the headline says it all
	}
	parts := []Part{a.retrained(models)}
	if result.Ensemble != nil {
		parts = append(parts, a.ensemble(*result.Ensemble))
	}
	return parts
}

func (a *analysis) retrained(all []search.Retrained) Part {
	p := Part{Chart: a.retrainingChart(all)}
	if kinds := retrainedKinds(all); kinds != "" {
		p.Text = fmt.Sprintf("After the search, %s were retrained with %s. ", kinds,
			format.Count(a.About.Settings.RetrainSeeds, "other seed"))
	}
	if slices.ContainsFunc(all, search.Retrained.IsDefault) {
		p.Text += "The default models were trained as without a search. "
	}
	p.Text += fmt.Sprintf("The mean %s decides.", a.Presentation.Validation)
	if n := len(all[0].Splits); n > 0 {
		p.Text += fmt.Sprintf(" They were also trained on %s of train and valid, and compared "+
			"within each split: the mean difference to the others decides.",
			format.Count(n, "other split"))
	}
	if d := search.FinalOf(all).Difference; d != nil {
		metric := a.Presentation.Validation
		if d.Tested {
			metric = a.Presentation.Test
		}
		p.Text += fmt.Sprintf(" Difference in %s between the best found and the best baseline, "+
			"paired by seed: %v.", metric, minus(d.String()))
	}
	p.Table = page.NewTable("Means over the seeds, best first", all,
		page.Text("", func(r search.Retrained) any { return a.retrainedName(r) }),
		page.Number(a.Presentation.Valid, func(r search.Retrained) any { return r.Mean().Score }),
		page.Number(a.Presentation.Test, func(r search.Retrained) any { return r.TestScore() }),
		page.Text("structure", func(r search.Retrained) any { return r.Structure }))
	return p
}

// retrainedKinds names the kinds of models that were retrained.
func retrainedKinds(all []search.Retrained) string {
	var kinds []string
	for _, kind := range []struct {
		text     string
		baseline bool
	}{{"the best structures found", false}, {"the best baselines", true}} {
		if slices.ContainsFunc(all, func(r search.Retrained) bool {
			return (r.Name != "") == kind.baseline && !r.IsDefault()
		}) {
			kinds = append(kinds, kind.text)
		}
	}
	return format.List(kinds, "and")
}

// ensemble describes the choice of an ensemble of retrained models.
func (a *analysis) ensemble(ensemble task.Trial) Part {
	metric := a.Presentation.Validation
	p := Part{Heading: "Ensemble", Text: fmt.Sprintf("An ensemble was chosen greedily by "+
		"validation among %d of these models. Its members add the logarithms of their "+
		"probabilities. ", len(ensemble.Ensemble.Candidates))}
	if !ensemble.Kept {
		p.Text += fmt.Sprintf("On held-out validation data, none has a higher %s than one model.",
			metric)
		return p
	}
	p.Text += fmt.Sprintf("On held-out validation data, it has a %s of %s%s. "+
		"The study keeps this ensemble.", metric, format.Cell(ensemble.Score), a.withTest(ensemble))
	p.Table = page.NewTable("Members, in the order of their choice", a.Result().Members(),
		page.Text("", func(t task.Trial) any { return a.nameWithRecipe(t) }),
		page.Number("seed", func(t task.Trial) any { return t.Recipe.Seed }),
		a.score(), a.testScore(), structureColumn("structure"))
	return p
}

// nameWithRecipe names the model of a trial at full size, and which of two recipes it has.
func (a *analysis) nameWithRecipe(t task.Trial) string {
	name := a.trialName(t)
	for _, r := range a.Result().Retrained {
		if slices.ContainsFunc(r.Trials, func(of task.Trial) bool { return of.Number == t.Number }) {
			return name + r.Suffix()
		}
	}
	return name
}

// retrainingChart plots the scores of the seeds of each model, and the mean with its interval.
func (a *analysis) retrainingChart(all []search.Retrained) *Chart {
	tested, seeds := true, 1
	for _, r := range all {
		tested = tested && r.TestScore() != nil
		seeds = max(seeds, len(r.Trials))
	}
	chart := &Chart{Label: "Scores of the retrained models", X: a.Presentation.Validation}
	if tested {
		chart.X = a.Presentation.Test
	}
	means := Series{Name: "mean with 95 % interval over the seeds", Style: Dots}
	switch seeds {
	case 1:
		means.Name = "one seed, with two standard errors"
	case 2:
		means.Name = "mean over the seeds"
	}
	each := Series{Name: "one seed", Style: Dots}
	for row, r := range all {
		chart.Categories = append(chart.Categories, a.retrainedName(r))
		var scores []float64
		for _, t := range r.Trials {
			score := t.ScoreOrZero()
			if tested {
				score = *t.TestScore
			}
			scores = append(scores, score)
			each.Points = append(each.Points, Point{X: score, Y: float64(row), Trial: t.Number})
		}
		center, half := interval(scores)
		if n := a.examplesOf(r.Trials[0], tested); seeds == 1 && n > 0 {
			half = 2 * eval.ErrorBound(center, n)
		}
		p := meanPoint(r)
		p.X, p.Y = center, float64(row)
		if half > 0 {
			low, high := max(0, center-half), min(1, center+half) // as all scores
			p.Low, p.High = &low, &high
		}
		means.Points = append(means.Points, p)
	}
	chart.Series = []Series{means}
	if seeds > 1 {
		chart.Series = append(chart.Series, each)
	}
	return chart
}

// meanPoint returns a point of the seeds of a model: that of the trial, if there is one.
func meanPoint(r search.Retrained) Point {
	if len(r.Trials) > 1 {
		return Point{Label: "mean of " + format.Count(len(r.Trials), "seed")}
	}
	return Point{Trial: r.Trials[0].Number}
}

// interval returns the mean and half the width of its 95 % confidence interval by Student's
// distribution; 0 for one value, and for two, whose interval would say nothing.
func interval(values []float64) (center, half float64) {
	center, deviation := stat.MeanStdDev(values, nil)
	if len(values) < 3 {
		return center, 0
	}
	n := float64(len(values))
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return center, quantile * deviation / math.Sqrt(n)
}
