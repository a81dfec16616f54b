package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
)

// ErrDiverged marks a member whose loss stopped being a finite number; a smaller
// learning rate is the usual mend.
var ErrDiverged = errors.New("training diverged")

// Result is what a member came to.
type Result struct {
	Member Member
	// CVAccuracy is the share of the nodes to train with that are classified right
	// while held out, after Epochs epochs, and CVLoss their mean cross entropy; of all
	// divisions together.
	CVAccuracy, CVLoss float64
	// Epochs is the number of epochs after which that is best; where it is so more
	// than once, after which the cross entropy is lowest. It is chosen by the nodes
	// held out, so CVAccuracy is a little higher than it would be on new ones.
	Epochs int
	// Curve is how cross-validation went.
	Curve []Validation
	// TestAccuracies are the shares of the nodes to test with that are classified
	// right by models trained for so many epochs on all nodes to train with.
	TestAccuracies []float64
	// Err wraps [ErrDiverged] when the member diverged; the rest is then empty.
	Err error
}

// Validation is how well nodes held out are classified after an epoch.
type Validation struct {
	Epoch    int     `json:"epoch"`
	Accuracy float64 `json:"accuracy"`
	Loss     float64 `json:"loss"` // cross entropy, the mean
}

// TestAccuracy is the mean of the runs, and their standard deviation; 0 and 0 for
// none.
func (r Result) TestAccuracy() (mean, deviation float64) {
	switch len(r.TestAccuracies) {
	case 0:
		return 0, 0
	case 1:
		return r.TestAccuracies[0], 0
	}
	return stat.MeanStdDev(r.TestAccuracies, nil)
}

// Train cross-validates each member, and then tests it as often as the settings
// say. What comes of a member depends on its structure, seed and rates, on the
// graph and on the settings, and not on the other members; without
// GoMLX or on its own backend that is so to the bit, on the others within rounding.
//
// A member that diverges is reported in its Result and the others go on; the error
// is for what stops all: members that make no sense, or the end of ctx.
func (t *Trainer) Train(ctx context.Context, members []Member) ([]Result, error) {
	if err := validate(t.settings, members); err != nil {
		return nil, err
	}
	work := &work{Trainer: t, total: len(members) * t.settings.Epochs * (t.settings.heldOut() + t.settings.Runs)}
	results := make([]Result, len(members))
	for i, m := range members {
		results[i].Member = m
	}
	// As many at a time as keep all workers busy; each takes memory.
	some := len(members)
	if t.together > 0 {
		some = t.workers
	}
	for group := range slices.Chunk(results, some) {
		if err := work.crossValidate(ctx, group); err != nil {
			return nil, err
		}
		if err := work.test(ctx, group); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// work is a call of Train on its way.
type work struct {
	*Trainer
	done, total int // epochs of models
}

func (w *work) progress(epochs int) {
	w.done += epochs
	if w.options.OnProgress != nil {
		w.options.OnProgress(w.done, w.total)
	}
}

// crossValidate finds each member's number of epochs.
func (w *work) crossValidate(ctx context.Context, results []Result) error {
	s, models := w.settings, w.settings.heldOut()
	var runs []run
	for _, r := range results {
		for i, held := range divisions(w.graph, s) {
			learn := slices.DeleteFunc(numbers(0, len(w.graph.Train)), func(n int) bool { return slices.Contains(held, n) })
			runs = append(runs, run{member: r.Member, seed: r.Member.Seed + uint64(i), learn: learn, ask: held, epochs: s.Epochs})
		}
	}
	return w.train(ctx, runs, func(epoch int) bool { return epoch%s.ValidateEvery == 0 || epoch == s.Epochs }, func(epoch int, finite []bool, scores []score) []bool {
		stop := make([]bool, len(runs))
		for i := range results {
			r, own := &results[i], scores[i*models:][:models]
			if slices.Contains(finite[i*models:][:models], false) {
				*r = Result{Member: r.Member, Err: diverged(epoch, r.Member)}
			} else if r.Err == nil && own[0].nodes > 0 {
				r.validated(epoch, own)
			}
			over := r.Err != nil || s.Patience > 0 && len(r.Curve) > 0 && epoch-r.Epochs >= s.Patience*s.ValidateEvery
			for model := range models {
				stop[i*models+model] = over
			}
		}
		return stop
	})
}

// validated adds a validation to the curve.
func (r *Result) validated(epoch int, scores []score) {
	var all score
	for _, s := range scores {
		all.add(s)
	}
	now := Validation{Epoch: epoch, Accuracy: float64(all.hits) / float64(all.nodes), Loss: all.loss / float64(all.nodes)}
	if len(r.Curve) == 0 || now.Accuracy > r.CVAccuracy || now.Accuracy == r.CVAccuracy && now.Loss < r.CVLoss {
		r.CVAccuracy, r.CVLoss, r.Epochs = now.Accuracy, now.Loss, epoch
	}
	r.Curve = append(r.Curve, now)
}

func diverged(epoch int, m Member) error {
	return fmt.Errorf("%w in epoch %d (learning rate %g): try a smaller learning rate", ErrDiverged, epoch, m.LearningRate)
}

// test trains the members that did not diverge on all nodes to train with.
func (w *work) test(ctx context.Context, results []Result) error {
	train := len(w.graph.Train)
	var runs []run
	var of []*Result
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			w.progress(w.settings.Runs * w.settings.Epochs)
			continue
		}
		for n := range w.settings.Runs {
			runs = append(runs, run{
				member: r.Member, seed: r.Member.Seed + uint64(n), epochs: r.Epochs,
				learn: numbers(0, train), ask: numbers(train, train+len(w.graph.Test)),
			})
			of = append(of, r)
		}
	}
	ends := func(epoch int) bool {
		return slices.ContainsFunc(runs, func(r run) bool { return r.epochs == epoch })
	}
	return w.train(ctx, runs, ends, func(epoch int, finite []bool, scores []score) []bool {
		stop := make([]bool, len(runs))
		for i, r := range runs {
			switch {
			case of[i].Err != nil:
				stop[i] = true
			case !finite[i]:
				*of[i] = Result{Member: r.member, Err: diverged(epoch, r.member)}
				stop[i] = true
			case r.epochs == epoch:
				of[i].TestAccuracies = append(of[i].TestAccuracies, float64(scores[i].hits)/float64(scores[i].nodes))
				stop[i] = true
			}
		}
		return stop
	})
}

// train trains runs side by side. After each epoch, asked tells whether to
// classify, and then hears of all runs: whether their losses were finite, and their
// scores if they were asked for; a run that was stopped before has a score of no
// nodes. It returns which to stop.
func (w *work) train(ctx context.Context, runs []run, ask func(epoch int) bool, then func(epoch int, finite []bool, scores []score) []bool) error {
	if len(runs) == 0 {
		return nil
	}
	together := w.together
	if together == 0 {
		together = len(runs)
	}
	var packs []learner
	for some := range slices.Chunk(runs, together) {
		packs = append(packs, w.newLearner(some))
	}
	defer func() {
		for _, p := range packs {
			p.close()
		}
	}()
	active := make([]bool, len(packs))
	for i := range active {
		active[i] = true
	}
	finite, scores := make([]bool, len(runs)), make([]score, len(runs))
	for i := range finite {
		finite[i] = true
	}
	for epoch := 1; slices.Contains(active, true); epoch++ {
		asked := ask(epoch)
		clear(scores)
		err := w.sideBySide(ctx, len(packs), func(i int) error {
			if !active[i] {
				return nil
			}
			if err := packs[i].step(); err != nil {
				return err
			}
			if !asked {
				return nil
			}
			own, err := packs[i].scores()
			copy(scores[i*together:], own)
			return err
		})
		if err != nil {
			return err
		}
		for i, p := range packs {
			for n, loss := range p.losses() {
				at := i*together + n
				finite[at] = finite[at] && isFinite(float64(loss)) && isFinite(scores[at].loss)
			}
		}
		stop := then(epoch, finite, scores)
		for i, p := range packs {
			if !active[i] {
				continue
			}
			w.progress(len(p.members()))
			active[i] = false
			for n, r := range p.members() {
				active[i] = active[i] || !stop[i*together+n] && epoch < r.epochs
			}
			if !active[i] {
				w.progress(len(p.members()) * (w.settings.Epochs - epoch))
			}
		}
	}
	return nil
}

// learner is runs that are trained by one who computes.
type learner interface {
	members() []run
	// step trains for an epoch, and losses are those of it.
	step() error
	losses() []float32
	// scores classifies the nodes that each run is asked for.
	scores() ([]score, error)
	close()
}

func (t *Trainer) newLearner(runs []run) learner {
	if t.native != nil {
		return t.native.newRun(runs[0])
	}
	return t.newPack(runs)
}

// sideBySide does n things, as many at a time as there are workers. It returns the
// first error, and that of ctx when it ends.
func (w *work) sideBySide(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(w.workers, n) {
		workers.Go(func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = do(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	if failed := slices.IndexFunc(errs, func(err error) bool { return err != nil }); failed >= 0 {
		return errs[failed]
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// numbers are from … to-1.
func numbers(from, to int) []int {
	all := make([]int, to-from)
	for i := range all {
		all[i] = from + i
	}
	return all
}
