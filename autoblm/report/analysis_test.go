package report

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"pgregory.net/rapid"
)

func evaluation(mrr float64, triples int) *completion.Evaluation {
	return &completion.Evaluation{Triples: triples, Both: eval.Metrics{MRR: mrr}}
}

// withResult returns a complete trial with these metrics.
func withResult(trial task.Trial, valid, test *completion.Evaluation) task.Trial {
	e := completion.Evaluations{Valid: valid, Test: test}
	trial.State = task.Complete
	trial.Score, trial.TestScore = e.Scores()
	var err error
	if trial.Details, err = e.Details(); err != nil {
		panic(err)
	}
	return trial
}

// other is a structure that is not equivalent to a baseline.
const other = "1,0,0,0;0,2,0,0;0,0,3,1;0,0,0,4"

// withSeeds appends a trial for each seed of a baseline, or without a name of another structure,
// with its scores on n triples of each split.
func withSeeds(
	trials []task.Trial, name string, stage task.Stage, valid, test []float64, n int,
) []task.Trial {
	for i := range valid {
		t := task.Trial{
			Number: len(trials) + 1, Stage: stage, Name: name,
			Structure: structure.MustParse(cmp.Or(name, other)),
		}
		t.Recipe.Seed = uint64(i)
		if stage == task.Searching {
			t.Round = 1
		}
		trials = append(trials, withResult(t, evaluation(valid[i], n), evaluation(test[i], n)))
	}
	return trials
}

// TestStandardErrorBound compares the bound with the standard error of random ranks.
func TestStandardErrorBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ranks []eval.Ranked
		var means []float64
		sum := 0.0
		for range rapid.IntRange(2, 40).Draw(t, "triples") {
			head := rapid.IntRange(1, 50).Draw(t, "head")
			tail := rapid.IntRange(1, 50).Draw(t, "tail")
			ranks = append(ranks, eval.Ranked{Head: rankOf(head), Tail: rankOf(tail)})
			means = append(means, (1/float64(head)+1/float64(tail))/2)
			sum += means[len(means)-1]
		}
		n := float64(len(means))
		variance := 0.0
		for _, m := range means {
			variance += (m - sum/n) * (m - sum/n) / n
		}
		e := completion.Summarize(ranks, eval.Pessimistic)
		bound, measured := eval.ErrorBound(e.Both.MRR, e.Triples), math.Sqrt(variance/n)
		if measured > bound+1e-9 {
			t.Errorf("standard error %v is above the bound %v", measured, bound)
		}
	})
}

// rankOf returns a rank without ties.
func rankOf(rank int) eval.Rank { return eval.Rank{Better: int32(rank - 1)} }

// trialsWith returns trials of one round with these MRRs; NaN stands for a diverged trial.
func trialsWith(mrrs []float64) []task.Trial {
	var trials []task.Trial
	for i, m := range mrrs {
		trial := task.Trial{
			Number: i + 1, Stage: task.Searching, Round: 1, State: task.Diverged,
			Structure: structure.MustParse("1,2;0,1"),
		}
		if !math.IsNaN(m) {
			trial = withResult(trial, evaluation(m, 100), nil)
		}
		trials = append(trials, trial)
	}
	return trials
}

func TestMeanOfTop(t *testing.T) {
	mrrs := []float64{0.5, math.NaN(), 0.1, 0.9, 0.7, 0.2, 0.3, 0.4}
	if got := meanOfTop(trialsWith(mrrs)); !math.IsNaN(got) {
		t.Errorf("mean %v of 7 results", got)
	}
	got := meanOfTop(trialsWith(append(mrrs, 0.8, 0.6)))
	if want := (0.9 + 0.8 + 0.7 + 0.6 + 0.5 + 0.4 + 0.3 + 0.2) / 8; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

// TestCurveEnds checks that the curve ends at the best score, with marks between rounds.
func TestCurveEnds(t *testing.T) {
	a := newAnalysis(ofSearch(t))
	curve := a.curve()
	points := curve.Series[1].Points
	if last := points[len(points)-1]; last.X > float64(len(a.proposed)) ||
		last.Y != a.found[0].ScoreOrZero() {
		t.Errorf("the best so far ends at %v, want %v", last, a.found[0].ScoreOrZero())
	}
	if ends := len(curve.Marks); ends != len(a.Rounds)-1 {
		t.Errorf("%d marks between %d rounds", ends, len(a.Rounds))
	}
}

func TestOutliersAreNotDrawn(t *testing.T) {
	mrrs := []float64{0.80, 0.81, 0.79, 0.82, 0.80, 0.05}
	d := Data{Contents: study.Contents{Trials: trialsWith(mrrs)}}
	a := newAnalysis(d)
	if names := a.notDrawn(); !slices.Equal(names, []string{"1 structure"}) {
		t.Errorf("not drawn: %v", names)
	}
	if points := a.curve().Series[0].Points; len(points) != 5 {
		t.Errorf("%d structures are drawn, want 5", len(points))
	}
	d.Trials = trialsWith([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
	if names := newAnalysis(d).notDrawn(); len(names) != 0 {
		t.Errorf("evenly spread results are not drawn: %v", names)
	}
}

// TestCorrelationWithin checks that differences between rounds have no effect within rounds.
func TestCorrelationWithin(t *testing.T) {
	var trials []task.Trial
	for round := range 3 {
		for i := range 4 {
			trial := trialsWith([]float64{0.3*float64(round) + 0.01*float64(i)})[0]
			prediction := 0.3*float64(round) - 0.01*float64(i)
			trial.Number, trial.Round, trial.Prediction = 4*round+i+1, round+1, &prediction
			trials = append(trials, trial)
		}
	}
	a := newAnalysis(Data{Contents: study.Contents{Trials: trials}})
	if mean, rounds := a.correlationWithin(); rounds != 3 || math.Abs(mean+1) > 1e-12 {
		t.Errorf("%v within %d rounds, want -1 within 3", mean, rounds)
	}
	if rho, n := rankCorrelation(a.found); n != 12 || rho < 0.5 {
		t.Errorf("%v over all %d, want a high one over 12", rho, n)
	}
}

func TestVerdict(t *testing.T) {
	compared := func(foundValid, foundTest, namedValid, namedTest float64, found string) string {
		baseline := task.Trial{
			Number: 1, Stage: task.Searching, Name: "complex",
			Structure: structure.MustParse("complex"),
		}
		proposed := task.Trial{
			Number: 2, Stage: task.Searching, Round: 1, Structure: structure.MustParse(found),
		}
		trials := []task.Trial{
			withResult(baseline, evaluation(namedValid, 1000), evaluation(namedTest, 1000)),
			withResult(proposed, evaluation(foundValid, 1000), evaluation(foundTest, 1000)),
		}
		d := Data{
			Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials},
		}
		return strings.Join(d.Verdict(), " ")
	}
	for _, c := range []struct{ verdict, want string }{ // the standard error is 0.016
		{compared(0.6, 0.6, 0.5, 0.5, other), "more than two standard errors"},
		{compared(0.52, 0.6, 0.5, 0.5, other), "one to two standard errors"},
		{
			compared(0.6, 0.51, 0.5, 0.5, other),
			"on validation and on test, by less than the standard error",
		},
		{compared(0.6, 0.49, 0.5, 0.5, other), "on validation, but not on test"},
		{compared(0.5, 0.6, 0.5, 0.5, other), "No structure found beats the best baseline, ComplEx"},
		{compared(0.6, 0.6, 0.5, 0.5, "analogy"), "is equivalent to Analogy"},
		{compared(1, 1, 1, 1, other), "No structure found beats"},
	} {
		if !strings.Contains(c.verdict, c.want) {
			t.Errorf("the verdict is %q, want %q in it", c.verdict, c.want)
		}
	}
}

// TestFailedTrials: the tables tell trials that diverged from those that were lost.
func TestFailedTrials(t *testing.T) {
	d := ofSearch(t)
	d.Trials = slices.Clone(d.Trials)
	for i, state := range []task.State{task.Diverged, task.Lost} {
		failed := &d.Trials[len(d.Trials)-1-i]
		failed.State, failed.Error, failed.Score, failed.TestScore = state, "reason of "+string(state), nil, nil
		a := newAnalysis(d)
		if note := a.trialNote(*failed); note != string(state) {
			t.Errorf("the note of a trial that is %s: %q", state, note)
		}
	}
	text := textOf(t, d)
	for _, want := range []string{"2 trials failed", "reason of diverged", "reason of lost"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the report", want)
		}
	}
}

// TestDenseBlocksHaveNoNonzeros: a baseline without a structure has an empty number of nonzeros.
func TestDenseBlocksHaveNoNonzeros(t *testing.T) {
	d := Data{Contents: study.Contents{Trials: trialsWith([]float64{.1, .2})}}
	for i := range d.Trials {
		d.Trials[i].Name, d.Trials[i].Structure = "complex", structure.MustParse("complex")
	}
	d.Trials[1].Name, d.Trials[1].Structure, d.Trials[1].Form = "rescal", structure.Structure{}, form.GQE
	var cells []string
	table := newAnalysis(d).ranking()
	for i, c := range table.Columns {
		if c.Title == "nonzeros" {
			cells = []string{table.Rows[0].Cells[i].Text, table.Rows[1].Cells[i].Text}
		}
	}
	if !slices.Equal(cells, []string{"", "8"}) {
		t.Errorf("the best has dense blocks and the other 8 nonzeros, but the table has %q", cells)
	}
}

// TestVerdictWithoutBaseline: without a comparison, the verdict says whether there were baselines.
func TestVerdictWithoutBaseline(t *testing.T) {
	found := task.Trial{
		Number: 2, Stage: task.Searching, Round: 1, Structure: structure.MustParse("1,2,0;0,3,0;0,0,1"),
	}
	failed := task.Trial{Number: 1, Stage: task.Searching, Name: "distmult", State: task.Diverged}
	d := Data{Presentation: completion.NewPresentation()}
	for want, baselines := range map[string][]task.Trial{
		"The search trained no baselines": nil, "No baseline has a result": {failed},
	} {
		d.Trials = append(baselines, withResult(found, evaluation(.5, 1000), evaluation(.5, 1000)))
		if text := strings.Join(d.Verdict(), " "); !strings.Contains(text, want) {
			t.Errorf("the verdict is %q, want %q in it", text, want)
		}
	}
}

// TestVerdictOnOwnRecipes: the models with their own recipes are compared, because they decide what
// is kept.
func TestVerdictOnOwnRecipes(t *testing.T) {
	var trials []task.Trial
	for i, stage := range []task.Stage{task.Searching, task.TuningEach} {
		for j, name := range []string{"complex", ""} {
			trial := task.Trial{
				Number: len(trials) + 1, Stage: stage, Name: name,
				Structure: structure.MustParse(cmp.Or(name, other)),
			}
			trial.Recipe.Training.Epochs = 9
			if trial.Recipe.N3 = float64(i); i == 0 {
				trial.Round = j
			}
			score := .5 + .2*float64(i*j) // the structure is better with its own recipe only
			trials = append(trials, withResult(trial, evaluation(score, 1000), evaluation(score, 1000)))
		}
	}
	trials[3].Kept = true
	d := Data{Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials}}
	d.About.Settings.TuneEach = search.EachTune(1)
	if text := strings.Join(d.Verdict(), " "); !strings.Contains(text, "more than two standard errors") ||
		!strings.Contains(text, "Best found: validation MRR 0.700. Best baseline, ComplEx: 0.500.") {
		t.Error(text)
	}
	model := task.Trial{
		Number: 5, Stage: task.Default, Name: "complex", Structure: structure.MustParse("complex"),
	}
	d.Trials = append(d.Trials, withResult(model, evaluation(.6, 1000), evaluation(.6, 1000)))
	d.About.Settings.RetrainSeeds = 3
	if text := d.Verdict()[0]; !strings.Contains(text, "worth +0.100 validation MRR over ComplEx") {
		t.Error(text)
	}
	outcome := study.OutcomeOf(d.About, d.Result(), d.Presentation)
	if outcome.Final != nil || outcome.BaselineFinal != nil {
		t.Errorf("the default model, %v, is final", outcome.Final)
	}
}

// TestBestFoundIsThatOfRetraining: headline, metrics and picture name the structure that is the best at
// full size, also if the search has a better one.
func TestBestFoundIsThatOfRetraining(t *testing.T) {
	const second = "1,0,0,0;0,2,0,0;0,0,3,0;0,0,1,4"
	trials := withSeeds(nil, "", task.Searching, []float64{.6, .5}, []float64{.6, .5}, 1000)
	trials = withSeeds(trials, "complex", task.Searching, []float64{.4}, []float64{.4}, 1000)
	trials = withSeeds(trials, "", task.Retraining, []float64{.7, .7, .8, .8}, []float64{.7, .7, .8, .81}, 1000)
	trials = withSeeds(trials, "complex", task.Retraining, []float64{.65, .66}, []float64{.65, .66}, 1000)
	trials[2].Round = 0
	for i, text := range map[int]string{1: second, 5: second, 6: second} {
		trials[i].Structure = structure.MustParse(text)
	}
	trials[7].Kept = true // a baseline, so that the best found is named next to it
	d := Data{Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials}}
	d.About.Dataset, d.About.Settings.RetrainSeeds = "x", 2
	rows := cellsOf(NewPage(d), "Metrics over")
	var models []string
	for _, row := range rows[1:] {
		if row[2] == "both" {
			models = append(models, row[0]+" "+row[3])
		}
	}
	if want := []string{"Kept: ComplEx, seed 0 0.650", "Best found, seed 2 0.800"}; !slices.Equal(models, want) {
		t.Errorf("the metrics are of %q, want %q", models, want)
	}
	if alone := d.Headline().Alone; alone == nil || math.Abs(alone.Score-.805) > 1e-9 {
		t.Errorf("the headline has %+v", alone)
	}
	got, err := Pictures(d)[0].SVG()
	require.NoError(t, err)
	want, err := plot.Structure(structure.MustParse(second), "best found on x").SVG()
	require.NoError(t, err)
	if !bytes.Equal(got, want) {
		t.Error("the picture has another structure")
	}
}

// TestTunedRecipesHaveMeans: the scores of recipes that several models have tried are means, and are
// not shown as those of one structure.
func TestTunedRecipesHaveMeans(t *testing.T) {
	d := Data{Presentation: completion.NewPresentation()}
	d.About.Settings = search.DefaultSettings()
	better := d.About.Settings.TrialRecipe()
	better.LearningRate = 0.3
	for recipe, scores := range map[task.Recipe][]float64{
		d.About.Settings.TrialRecipe(): {.5, .4}, better: {.6, .45},
	} {
		for i, name := range []string{"complex", "distmult"} {
			trial := task.Trial{
				Number: len(d.Trials) + 1, Stage: task.Tuning, Name: name,
				Structure: structure.MustParse(name), Recipe: recipe,
			}
			e := evaluation(scores[i], 1000)
			d.Trials = append(d.Trials, withResult(trial, e, e))
		}
	}
	a := newAnalysis(d)
	if text := a.stages()[0].Text; !strings.Contains(text, "highest mean validation MRR (0.525)") {
		t.Error(text)
	}
	if title := a.stagesTitle(); title != "Tuning" { // there is no final stage
		t.Errorf("the title is %q", title)
	}
	rows := cellsOf(NewPage(d), "Best recipes on the best two baselines")
	if head := []string{"place", "mean valid MRR", "d", "batch", "learning rate", "n3"}; len(rows) != 3 ||
		!slices.Equal(rows[0], head) || rows[1][1] != "0.525" || rows[2][1] != "0.450" {
		t.Errorf("%q", rows)
	}
}

// TestStructuresFoundLater: the page says which recipe structures have that a larger budget finds
// after retraining.
func TestStructuresFoundLater(t *testing.T) {
	d := Data{Presentation: completion.NewPresentation()}
	d.About.Settings.TuneEach = search.EachTune(1)
	add := func(stage task.Stage, round int) {
		trial := task.Trial{
			Number: len(d.Trials) + 1, Stage: stage, Round: round, Structure: structure.MustParse(other),
		}
		d.Trials = append(d.Trials, withResult(trial, evaluation(.5, 1000), evaluation(.5, 1000)))
	}
	text := func() string { return newAnalysis(d).stages()[0].Text }
	add(task.Searching, 1)
	add(task.TuningEach, 0)
	add(task.Retraining, 0)
	const late = "found 1 structure later"
	if got := text(); strings.Contains(got, late) {
		t.Error(got)
	}
	add(task.Searching, 2)
	if got := text(); !strings.Contains(got, late) {
		t.Error(got)
	}
}

// TestCountsAgreeWithTheSearch: the page counts structures that stopped on a rung too, as the
// terminal does, and shows the scores of the kept model.
func TestCountsAgreeWithTheSearch(t *testing.T) {
	rungs := trialsWith([]float64{.1, .2, .3})
	for i := range rungs {
		rungs[i].Stage, rungs[i].Round, rungs[i].Number = task.HalvingRung, 1, i+1
		rungs[i].Structure = structure.Baselines()[i].Structure
	}
	full := rungs[2]
	full.Stage, full.Number = task.Searching, 4
	retrained := full
	score := .374
	retrained.Stage, retrained.Round, retrained.Number = task.Retraining, 0, 5
	retrained.Score, retrained.Kept = &score, true
	again := retrained
	again.Number, again.Kept, again.Recipe.Seed = 6, false, 1
	d := Data{Contents: study.Contents{Trials: append(rungs, full, retrained, again)}}
	d.About.Settings.RetrainSeeds = 1
	a := newAnalysis(d)
	if want := d.Result().Trained; want != 3 || !strings.HasPrefix(a.facts()[1], "3 structures ") {
		t.Errorf("%d structures, and the page has %q", want, a.facts())
	}
	if rows := d.Headline().Rows(); rows[0].Score != "validation score 0.374" {
		t.Errorf("the kept model is shown as %+v", rows)
	}
	if text := a.retraining()[0].Text; strings.Contains(text, "baselines") {
		t.Errorf("no baseline was retrained, but: %s", text)
	}
}

// TestWorth: the verdict says in its first line what searching was worth at full size. It says that
// scores that selected a structure are biased.
func TestWorth(t *testing.T) {
	verdict := func(found []float64, from task.Stage, baseline []float64, stage task.Stage) string {
		trials := withSeeds(nil, "", from, found, found, 1000)
		trials = withSeeds(trials, "complex", stage, baseline, baseline, 1000)
		d := Data{
			Presentation: completion.NewPresentation(), Contents: study.Contents{Trials: trials},
		}
		text := d.Verdict()
		isBiased := strings.Contains(strings.Join(text, " "),
			"biased upwards by selecting the best of 2 structures; test MRR is not.")
		if want := from == task.Searching && len(found) == 2; isBiased != want {
			t.Errorf("states a bias: %t, want %t: %q", isBiased, want, text)
		}
		return text[0]
	}
	for _, c := range []struct{ verdict, want string }{
		{verdict([]float64{.5}, task.Retraining, []float64{.6}, task.Default), "worth nothing here: no structure beat ComplEx"},
		{verdict([]float64{.6}, task.Retraining, []float64{.5}, task.Default),
			"worth +0.100 validation MRR over ComplEx, with one seed (standard error at most 0.015)"},
		{verdict([]float64{.6, .62}, task.Retraining, []float64{.5, .51}, task.Retraining),
			"worth +0.105 test MRR over ComplEx (95 % confidence +0.041 to +0.169 over seeds)."},
		{verdict([]float64{.5, .62}, task.Retraining, []float64{.5, .51}, task.Retraining), "which may be nothing"},
		{verdict([]float64{.6}, task.Searching, []float64{.5}, task.Default),
			"worth +0.100 validation MRR over ComplEx, with one seed (standard error at most 0.015)"},
		{verdict([]float64{.6, .55}, task.Searching, []float64{.5}, task.Default), "worth +0.100"},
		{verdict([]float64{.4}, task.Searching, []float64{.5}, task.Default),
			"worth nothing here: no structure beat ComplEx"},
		{verdict(nil, task.Retraining, []float64{.5}, task.Default), "Nothing was searched: only baselines were trained."},
	} {
		if !strings.Contains(c.verdict, c.want) {
			t.Errorf("the verdict is %q, want %q in it", c.verdict, c.want)
		}
	}
}
