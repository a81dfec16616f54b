package classify

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// crossValidation finds each member's number of epochs.
type crossValidation struct {
	*trainingLoop
	results []Result
}

func (crossValidation) name() string { return "cross-validation" }

func (t *trainingLoop) crossValidate(ctx context.Context, results []Result) error {
	s := t.settings
	if err := t.checkMemory(len(results) * s.heldOut()); err != nil {
		return err
	}
	var runs []modelRun
	for _, r := range results {
		for i, fold := range allFolds(t.graph, s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			isHeldOut := make([]bool, len(t.graph.Train))
			for _, n := range fold {
				isHeldOut[n] = true
			}
			all := integers(0, len(t.graph.Train))
			learn := slices.DeleteFunc(all, func(n int) bool { return isHeldOut[n] })
			runs = append(runs, newModelRun(r.Member, i, s.Epochs, learn, fold))
		}
	}
	return t.train(ctx, crossValidation{t, results}, results, runs)
}

func (c crossValidation) needsScores(epoch, active int) bool {
	s, needed := c.settings, active // epochs of models: the next one, and those of the test
	for _, r := range c.results {
		needed += c.finalRuns() * max(1, r.Epochs)
	}
	c.isLate = epoch < s.Epochs && c.clock.Exceeds(needed)
	return c.isLate || epoch%s.ValidateEvery == 0 || epoch == s.Epochs
}

func (c crossValidation) update(
	_ Population, epoch int, diverged []bool, scores []score,
) ([]bool, error) {
	s, models := c.settings, c.settings.heldOut()
	stop := make([]bool, len(scores))
	for i := range c.results {
		r, folds := &c.results[i], scores[i*models:][:models]
		isScored := folds[0].nodes > 0
		switch {
		case r.Err != nil: // diverged before
		case slices.Contains(diverged[i*models:][:models], true):
			r.diverged(epoch)
		case isScored:
			r.addValidation(epoch, folds)
		}
		if c.isLate && r.Err == nil && isScored {
			r.StoppedEarly = &EarlyStop{Phase: c.name(), Epoch: epoch, Epochs: s.Epochs}
		}
		isOutOfPatience := s.Patience > 0 && len(r.Curve) > 0 &&
			epoch-r.Epochs >= s.Patience*s.ValidateEvery
		for model := range models {
			stop[i*models+model] = c.isLate || r.Err != nil || isOutOfPatience
		}
	}
	return stop, nil
}

// finalTest trains the members that have not diverged on all training nodes.
type finalTest struct {
	*trainingLoop
	runs    []modelRun
	results []*Result // the result to which each run belongs
}

func (finalTest) name() string { return "test" }

func (t *trainingLoop) test(ctx context.Context, results []Result) error {
	train, all := len(t.graph.Train), len(t.graph.Train)+len(t.graph.Test)
	if err := t.checkMemory(len(results) * t.finalRuns()); err != nil {
		return err
	}
	phase := finalTest{trainingLoop: t}
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			t.advance(t.finalRuns() * t.settings.Epochs)
			continue
		}
		for model := range t.finalRuns() {
			learn, ask := integers(0, train), integers(train, all)
			phase.runs = append(phase.runs, newModelRun(r.Member, model, r.Epochs, learn, ask))
			phase.results = append(phase.results, r)
		}
	}
	return t.train(ctx, phase, results, phase.runs)
}

func (t finalTest) needsScores(epoch, active int) bool {
	t.isLate = t.clock.Exceeds(active)
	return t.isLate ||
		slices.ContainsFunc(t.runs, func(r modelRun) bool { return r.maxEpochs == epoch })
}

func (t finalTest) update(
	p Population, epoch int, diverged []bool, scores []score,
) ([]bool, error) {
	stop := make([]bool, len(t.runs))
	for i, r := range t.runs {
		result := t.results[i]
		switch {
		case result.Err != nil:
			stop[i] = true
		case diverged[i]:
			result.diverged(epoch)
			stop[i] = true
		case r.maxEpochs == epoch || t.isLate && scores[i].nodes > 0:
			if result.StoppedEarly == nil && epoch < r.maxEpochs {
				result.StoppedEarly = &EarlyStop{Phase: t.name(), Epoch: epoch, Epochs: r.maxEpochs}
			}
			if err := t.finish(p, i, result, epoch, scores[i]); err != nil {
				return nil, err
			}
			stop[i] = true
		}
	}
	return stop, nil
}

// finish adds a trained model to the result of its member.
func (t finalTest) finish(p Population, model int, result *Result, epoch int, tested score) error {
	if t.settings.Runs > 0 {
		result.TestAccuracies = append(result.TestAccuracies, tested.accuracy())
	}
	if !t.options.KeepModels || result.Model != nil {
		return nil
	}
	s, err := p.State(model)
	if err != nil {
		return err
	}
	result.Model = newModel(t.graph, t.network, result.Member, s.Tables)
	result.Model.Epochs, result.Model.CVAccuracy = result.Epochs, result.CVAccuracy
	if t.settings.Runs > 0 {
		evaluation := tested.evaluation()
		result.Model.Test = &evaluation
	}
	if result.StoppedEarly != nil {
		result.Model.Position = &kge.Position{Epoch: epoch, Interrupted: true}
	}
	return nil
}
