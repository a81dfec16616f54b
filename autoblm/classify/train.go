package classify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// work is a call of Train on its way.
type work struct {
	*Trainer
	clock       *clock
	late        bool // whether the time is up for the phase, since the last epoch
	done, total int  // epochs of models
	told        int  // of these
}

func (w *work) progress(epochs int) {
	w.done += epochs
	w.tell(w.done)
}

// tell tells of so many epochs, unless more were told of.
func (w *work) tell(done int) {
	if w.options.OnProgress != nil && done >= w.told {
		w.told = done
		w.options.OnProgress(done, w.total)
	}
}

// run is a model in training, which is asked for the classes of some outputs.
type run struct {
	Run
	ask    []int
	epochs int // at the most
}

// newRun is one of a member's models; each has a seed of its own.
func newRun(m Member, model, epochs int, learn, ask []int) run {
	m.Seed += uint64(model)
	return run{Run{Member: m, Learn: learn}, ask, epochs}
}

// crossValidate finds each member's number of epochs.
func (w *work) crossValidate(ctx context.Context, results []Result) error {
	s, models := w.settings, w.settings.heldOut()
	if err := w.fits(len(results) * models); err != nil {
		return err
	}
	var runs []run
	for _, r := range results {
		for i, held := range divisions(w.graph, s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			isHeld := make([]bool, len(w.graph.Train))
			for _, n := range held {
				isHeld[n] = true
			}
			learn := slices.DeleteFunc(numbers(0, len(w.graph.Train)), func(n int) bool { return isHeld[n] })
			runs = append(runs, newRun(r.Member, i, s.Epochs, learn, held))
		}
	}
	ask := func(epoch, active int) bool {
		after := active // the next epoch, and what the test takes then
		for _, r := range results {
			after += w.finalRuns() * max(1, r.Epochs)
		}
		w.late = epoch < s.Epochs && w.clock.lacks(after)
		return w.late || epoch%s.ValidateEvery == 0 || epoch == s.Epochs
	}
	return w.train(ctx, "cross-validation", results, runs, ask, func(_ Population, epoch int, finite []bool, scores []score) ([]bool, error) {
		stop := make([]bool, len(runs))
		for i := range results {
			r, own := &results[i], scores[i*models:][:models]
			if slices.Contains(finite[i*models:][:models], false) {
				*r = Result{Member: r.Member, Err: diverged(epoch, r.Member)}
			} else if r.Err == nil && own[0].nodes > 0 {
				r.validated(epoch, own)
			}
			if w.late && r.Err == nil && own[0].nodes > 0 {
				r.Cut = &Cut{In: "cross-validation", Epoch: epoch, Epochs: s.Epochs}
			}
			over := w.late || r.Err != nil || s.Patience > 0 && len(r.Curve) > 0 && epoch-r.Epochs >= s.Patience*s.ValidateEvery
			for model := range models {
				stop[i*models+model] = over
			}
		}
		return stop, nil
	})
}

// test trains the members that did not diverge on all nodes to train with.
func (w *work) test(ctx context.Context, results []Result) error {
	train := len(w.graph.Train)
	if err := w.fits(len(results) * w.finalRuns()); err != nil {
		return err
	}
	var runs []run
	var of []*Result
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			w.progress(w.finalRuns() * w.settings.Epochs)
			continue
		}
		for model := range w.finalRuns() {
			runs = append(runs, newRun(r.Member, model, r.Epochs, numbers(0, train), numbers(train, train+len(w.graph.Test))))
			of = append(of, r)
		}
	}
	ends := func(epoch, active int) bool {
		w.late = w.clock.lacks(active)
		return w.late || slices.ContainsFunc(runs, func(r run) bool { return r.epochs == epoch })
	}
	return w.train(ctx, "test", results, runs, ends, func(p Population, epoch int, finite []bool, scores []score) ([]bool, error) {
		stop := make([]bool, len(runs))
		for i, r := range runs {
			switch {
			case of[i].Err != nil:
				stop[i] = true
			case !finite[i]:
				*of[i] = Result{Member: of[i].Member, Err: diverged(epoch, r.Member)}
				stop[i] = true
			case r.epochs == epoch || w.late && scores[i].nodes > 0:
				if of[i].Cut == nil && epoch < r.epochs {
					of[i].Cut = &Cut{In: "test", Epoch: epoch, Epochs: r.epochs}
				}
				if err := w.ended(p, i, r, of[i], epoch, scores[i]); err != nil {
					return nil, err
				}
				stop[i] = true
			}
		}
		return stop, nil
	})
}

// ended notes what a model on all nodes to train with came to after an epoch.
func (w *work) ended(p Population, model int, r run, of *Result, epoch int, tested score) error {
	if w.settings.Runs > 0 {
		of.TestAccuracies = append(of.TestAccuracies, tested.accuracy())
	}
	if !w.options.KeepModels || of.Model != nil {
		return nil
	}
	s, err := p.State(model)
	if err != nil {
		return err
	}
	of.Model = newModel(w.Trainer, *of, tested, s.Tables)
	if of.Cut != nil {
		of.Model.Reached = &kge.Reached{Epoch: epoch, Interrupted: true}
	}
	return nil
}

// train trains runs side by side. After each epoch, asked tells whether to
// classify, and then hears of all runs: whether their losses were finite, and their
// scores if they were asked for; a run that was stopped before has a score of no
// nodes. It returns which to stop. The runs are a phase of the work on some results; what a
// checkpoint has of it is not done again.
func (w *work) train(ctx context.Context, what string, results []Result, runs []run, asked func(epoch, active int) bool, then func(p Population, epoch int, finite []bool, scores []score) ([]bool, error)) error {
	if len(runs) == 0 {
		return nil
	}
	keeper := w.options.Checkpoint
	phase, err := keeper.phaseOf(w, what, results)
	if err != nil {
		return err
	}
	over, at, states, err := keeper.goOn(phase, results, len(runs), w.network.Parameters)
	if err != nil {
		return err
	}
	if over {
		w.progress(len(runs) * w.settings.Epochs)
		return nil
	}
	all, stepped := make([]Run, len(runs)), make([]bool, len(runs))
	for i, r := range runs {
		all[i] = r.Run
		switch {
		case !at.Active[i]:
			w.progress(w.settings.Epochs)
		case len(states) > 0:
			all[i].State, states = states[0], states[1:]
			stepped[i] = all[i].Steps > at.Epoch
			w.progress(at.Epoch)
		}
	}
	population, err := ctxutil.Call(ctx, func() (Population, error) { return w.program.NewPopulation(all) })
	if err != nil {
		return err
	}
	defer population.Close()
	for slices.Contains(at.Active, true) {
		if err := w.epoch(ctx, population, runs, at, stepped, results, asked, then); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				if failed := keeper.write(*at, results, population); failed != nil {
					err = fmt.Errorf("%w; %w", err, failed)
				}
			}
			return err
		}
		clear(stepped)
		if slices.Contains(at.Active, true) { // else there may be a model, which is not kept
			keeper.epochOver(*at, results, population)
		}
	}
	keeper.over(phase, results)
	return nil
}

// epoch is the next one of a phase. Some models may have taken its step already.
func (w *work) epoch(ctx context.Context, p Population, runs []run, at *standing, stepped []bool, results []Result, asked func(epoch, active int) bool, then func(p Population, epoch int, finite []bool, scores []score) ([]bool, error)) error {
	began := time.Now()
	epoch, active := at.Epoch+1, at.Active
	waiting := make([]bool, len(runs))
	for i := range runs {
		waiting[i] = active[i] && !stepped[i]
	}
	quiet := w.tellSteps(p)
	losses, err := p.Step(ctx, waiting)
	quiet()
	for i, loss := range losses {
		at.Finite[i] = at.Finite[i] && (!waiting[i] || isFinite(float64(loss)))
	}
	if err != nil {
		return err
	}
	var logits [][]float32
	models := countOf(active)
	w.clock.timed(models, began)
	if asked(epoch, models) {
		if w.late {
			if err := w.options.Checkpoint.cut(*at, results, p); err != nil {
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
			scores[i] = scoreOf(w.network, logits[i], r.ask)
			at.Finite[i] = at.Finite[i] && isFinite(scores[i].loss)
		}
	}
	stop, err := then(p, epoch, at.Finite, scores)
	if err != nil {
		return err
	}
	at.Epoch = epoch
	for i, r := range runs {
		if !active[i] {
			continue
		}
		w.progress(1)
		if stop[i] || epoch >= r.epochs {
			active[i] = false
			w.progress(w.settings.Epochs - epoch)
		}
	}
	return nil
}

// tellSteps tells of the steps of models within an epoch, where the population does.
func (w *work) tellSteps(p Population) (quiet func()) {
	telling, is := p.(Telling)
	if !is || w.options.OnProgress == nil {
		return func() {}
	}
	var one sync.Mutex
	done := w.done
	telling.OnStep(func(models int) {
		one.Lock()
		defer one.Unlock()
		done += models
		w.tell(done)
	})
	return func() { telling.OnStep(nil) }
}

// countOf is how many of some are so.
func countOf(some []bool) (n int) {
	for _, is := range some {
		if is {
			n++
		}
	}
	return n
}

// numbers are from … to-1.
func numbers(from, to int) []int {
	all := make([]int, to-from)
	for i := range all {
		all[i] = from + i
	}
	return all
}

// fits says so if so many models at a time need more memory than there is.
func (w *work) fits(models int) error {
	parameters := 0.0
	for _, p := range w.network.Parameters {
		size := 1.0
		for _, n := range p.Dims {
			size *= float64(n)
		}
		parameters += size
	}
	const adam, place = 3 * 4, 8 // bytes, of a number with its moments and of a node to learn from
	bytes := float64(models) * (adam*parameters + place*float64(len(w.graph.Train)))
	return memory.Check(bytes, fmt.Sprintf("training %s with dim %d side by side", format.Count(models, "model"), w.settings.Dim), "take a smaller dim, or fewer layers, repeats, runs or settings to try")
}
