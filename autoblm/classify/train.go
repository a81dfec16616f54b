package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/progress"
)

// training is the state of a call of [Trainer.Train].
type training struct {
	*Trainer
	clock       *deadline.Clock
	isLate      bool // too late for another epoch of the phase
	done, total int  // epochs, summed over models
	reported    int  // of done
}

// advance counts epochs of models as done.
func (t *training) advance(epochs int) {
	t.done += epochs
	t.report(t.done)
}

// report reports progress, unless more was reported before.
func (t *training) report(done int) {
	if t.options.OnProgress != nil && done >= t.reported {
		t.reported = done
		t.options.OnProgress(done, t.total)
	}
}

// modelRun is one model of a phase.
type modelRun struct {
	Run
	ask       []int // outputs of the network to classify
	maxEpochs int
}

// newModelRun returns a member's i-th model. Its seed differs from that of the others.
func newModelRun(m Member, i, maxEpochs int, learn, ask []int) modelRun {
	m.Seed += uint64(i)
	return modelRun{Run{Member: m, Learn: learn}, ask, maxEpochs}
}

// phase trains models of some members side by side.
type phase interface {
	name() string
	// needsScores reports whether to classify after an epoch, of the given number of active
	// models.
	needsScores(epoch, active int) bool
	// update notes the results of all models after an epoch: whether they are finite, and the
	// scores if they were needed. A model that has stopped has a score of no nodes. It returns
	// which models to stop.
	update(p Population, epoch int, finite []bool, scores []score) (stop []bool, err error)
}

// crossValidation finds each member's number of epochs.
type crossValidation struct {
	*training
	results []Result
}

func (crossValidation) name() string { return "cross-validation" }

func (t *training) crossValidate(ctx context.Context, results []Result) error {
	s := t.settings
	if err := t.checkMemory(len(results) * s.heldOut()); err != nil {
		return err
	}
	var runs []modelRun
	for _, r := range results {
		for i, held := range divisions(t.graph, s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			isHeld := make([]bool, len(t.graph.Train))
			for _, n := range held {
				isHeld[n] = true
			}
			all := integers(0, len(t.graph.Train))
			learn := slices.DeleteFunc(all, func(n int) bool { return isHeld[n] })
			runs = append(runs, newModelRun(r.Member, i, s.Epochs, learn, held))
		}
	}
	return t.train(ctx, crossValidation{t, results}, results, runs)
}

func (c crossValidation) needsScores(epoch, active int) bool {
	s, needed := c.settings, active // the next epoch, and the test after it
	for _, r := range c.results {
		needed += c.finalRuns() * max(1, r.Epochs)
	}
	c.isLate = epoch < s.Epochs && c.clock.Exceeds(needed)
	return c.isLate || epoch%s.ValidateEvery == 0 || epoch == s.Epochs
}

func (c crossValidation) update(_ Population, epoch int, finite []bool, scores []score) ([]bool, error) {
	s, models := c.settings, c.settings.heldOut()
	stop := make([]bool, len(scores))
	for i := range c.results {
		r, own := &c.results[i], scores[i*models:][:models]
		isScored := own[0].nodes > 0
		if slices.Contains(finite[i*models:][:models], false) {
			*r = Result{Member: r.Member, Err: diverged(epoch, r.Member)}
		} else if r.Err == nil && isScored {
			r.addValidation(epoch, own)
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

// test trains the members that have not diverged on all training nodes.
type test struct {
	*training
	runs []modelRun
	of   []*Result // of each run
}

func (test) name() string { return "test" }

func (t *training) test(ctx context.Context, results []Result) error {
	train, all := len(t.graph.Train), len(t.graph.Train)+len(t.graph.Test)
	if err := t.checkMemory(len(results) * t.finalRuns()); err != nil {
		return err
	}
	phase := test{training: t}
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			t.advance(t.finalRuns() * t.settings.Epochs)
			continue
		}
		for model := range t.finalRuns() {
			learn, ask := integers(0, train), integers(train, all)
			phase.runs = append(phase.runs, newModelRun(r.Member, model, r.Epochs, learn, ask))
			phase.of = append(phase.of, r)
		}
	}
	return t.train(ctx, phase, results, phase.runs)
}

func (t test) needsScores(epoch, active int) bool {
	t.isLate = t.clock.Exceeds(active)
	return t.isLate ||
		slices.ContainsFunc(t.runs, func(r modelRun) bool { return r.maxEpochs == epoch })
}

func (t test) update(p Population, epoch int, finite []bool, scores []score) ([]bool, error) {
	stop := make([]bool, len(t.runs))
	for i, r := range t.runs {
		of := t.of[i]
		switch {
		case of.Err != nil:
			stop[i] = true
		case !finite[i]:
			*of = Result{Member: of.Member, Err: diverged(epoch, r.Member)}
			stop[i] = true
		case r.maxEpochs == epoch || t.isLate && scores[i].nodes > 0:
			if of.StoppedEarly == nil && epoch < r.maxEpochs {
				of.StoppedEarly = &EarlyStop{Phase: t.name(), Epoch: epoch, Epochs: r.maxEpochs}
			}
			if err := t.finish(p, i, of, epoch, scores[i]); err != nil {
				return nil, err
			}
			stop[i] = true
		}
	}
	return stop, nil
}

// finish adds a trained model to the result of its member.
func (t test) finish(p Population, model int, of *Result, epoch int, tested score) error {
	if t.settings.Runs > 0 {
		of.TestAccuracies = append(of.TestAccuracies, tested.accuracy())
	}
	if !t.options.KeepModels || of.Model != nil {
		return nil
	}
	s, err := p.State(model)
	if err != nil {
		return err
	}
	of.Model = newModel(t.graph, t.settings, t.network, *of, tested, s.Tables)
	if of.StoppedEarly != nil {
		of.Model.Reached = &kge.Reached{Epoch: epoch, Interrupted: true}
	}
	return nil
}

// train trains the models of a phase until it has stopped all. It resumes what the checkpoint has
// of the phase.
func (t *training) train(ctx context.Context, what phase, results []Result, runs []modelRun) error {
	if len(runs) == 0 {
		return nil
	}
	saver := t.options.Checkpoint
	id, err := t.phaseID(what.name(), results)
	if err != nil {
		return err
	}
	state, states, err := saver.begin(id, results, len(runs), t.network.Parameters)
	if err != nil {
		return err
	}
	if state == nil { // finished before
		t.advance(len(runs) * t.settings.Epochs)
		return nil
	}
	all, isAhead := make([]Run, len(runs)), make([]bool, len(runs))
	for i, r := range runs {
		all[i] = r.Run
		switch {
		case !state.Active[i]:
			t.advance(t.settings.Epochs)
		case len(states) > 0:
			all[i].State, states = states[0], states[1:]
			isAhead[i] = all[i].Steps > state.Epoch
			t.advance(state.Epoch)
		}
	}
	population, err := ctxutil.Call(ctx, func() (Population, error) { return t.program.NewPopulation(all) })
	if err != nil {
		return err
	}
	defer population.Close()
	for slices.Contains(state.Active, true) {
		if err := t.epoch(ctx, what, population, runs, results, state, isAhead); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				if failed := saver.write(*state, results, population); failed != nil {
					err = fmt.Errorf("%w; %w", err, failed)
				}
			}
			return err
		}
		clear(isAhead)
		if slices.Contains(state.Active, true) { // the models at the end are not saved
			if err := saver.epochEnded(*state, results, population); err != nil {
				return err
			}
		}
	}
	saver.end(id, results)
	return nil
}

// epoch trains the active models of a phase for an epoch, which is one step. Models that are
// ahead have taken that step before.
func (t *training) epoch(ctx context.Context, what phase, p Population, runs []modelRun,
	results []Result, state *phaseState, isAhead []bool,
) error {
	began := time.Now()
	epoch, active := state.Epoch+1, state.Active
	waiting := make([]bool, len(runs))
	for i := range runs {
		waiting[i] = active[i] && !isAhead[i]
	}
	done, steps := t.done, float64(countTrue(waiting))
	detach := progress.Attach(p, func(share float64) { t.report(done + int(math.Round(share*steps))) })
	losses, err := p.Step(ctx, waiting)
	detach()
	for i, loss := range losses {
		state.Finite[i] = state.Finite[i] && (!waiting[i] || isFinite(float64(loss)))
	}
	if err != nil {
		return err
	}
	var logits [][]float32
	models := countTrue(active)
	t.clock.Add(models, began)
	if what.needsScores(epoch, models) {
		if t.isLate {
			if err := t.options.Checkpoint.close(*state, results, p); err != nil {
				return err
			}
		}
		if logits, err = p.Logits(ctx, active); err != nil {
			return err
		}
	}
	scores := make([]score, len(runs))
	for i, r := range runs {
		if active[i] && logits != nil {
			scores[i] = scoreOf(t.network, logits[i], r.ask)
			state.Finite[i] = state.Finite[i] && isFinite(scores[i].loss)
		}
	}
	stop, err := what.update(p, epoch, state.Finite, scores)
	if err != nil {
		return err
	}
	state.Epoch = epoch
	for i, r := range runs {
		if !active[i] {
			continue
		}
		t.advance(1)
		if stop[i] || epoch >= r.maxEpochs {
			active[i] = false
			t.advance(t.settings.Epochs - epoch)
		}
	}
	return nil
}

func countTrue(some []bool) (n int) {
	for _, is := range some {
		if is {
			n++
		}
	}
	return n
}

// integers returns from, from+1, …, to-1.
func integers(from, to int) []int {
	all := make([]int, to-from)
	for i := range all {
		all[i] = from + i
	}
	return all
}

// checkMemory returns an error if training so many models side by side needs more memory than
// there is.
func (t *training) checkMemory(models int) error {
	parameters := 0.0
	for _, p := range t.network.Parameters {
		size := 1.0
		for _, n := range p.Dims {
			size *= float64(n)
		}
		parameters += size
	}
	// Bytes of a parameter with Adam's moments, and of the index of a training node.
	const parameterBytes, nodeBytes = 3 * 4, 8
	bytes := float64(models) * (parameterBytes*parameters + nodeBytes*float64(len(t.graph.Train)))
	what := fmt.Sprintf("training %s with dim %d side by side",
		format.Count(models, "model"), t.settings.Dim)
	return memory.Check(bytes, what, "take a smaller dim, or fewer layers, repeats, runs or settings to try")
}
