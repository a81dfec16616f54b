package classify

import (
	"context"
	"encoding/json"
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
)

// Options configure a [Trainer]. They do not change its results, except that engines round
// differently and that a deadline skips epochs.
type Options struct {
	// Engine does the arithmetic. The caller closes it, after the trainer.
	Engine Engine
	// KeepModels adds a model to the result of each member; see [Result].
	KeepModels bool
	// OnProgress, when set, receives the number of epochs done and the maximum number of epochs of
	// [Trainer.Train], both summed over models. Epochs skipped by early stopping count as done.
	OnProgress func(done, total int)
	// Checkpoint, when set, saves the work to a file.
	Checkpoint *Checkpoint
	// Deadline, when set, ends [Trainer.Train] in time, with the results so far. The
	// cross-validation ends first, to leave time for the test. Each takes at least an epoch.
	Deadline time.Time
}

// trainingLoop is the state of a call of [Trainer.Train].
type trainingLoop struct {
	*Trainer
	clock       *deadline.Clock
	isLate      bool // too late for another epoch of the phase
	done, total int  // epochs, summed over models
}

// phaseID identifies a phase in a checkpoint.
func (t *trainingLoop) phaseID(name string, results []Result) (json.RawMessage, error) {
	var members []Member
	for _, r := range results {
		members = append(members, r.Member)
	}
	return json.Marshal(map[string]any{
		"data": t.graph.Fingerprint(), "settings": t.settings, "members": members,
		"phase": name, "models": t.options.KeepModels,
	})
}

// advance counts epochs of models as done.
func (t *trainingLoop) advance(epochs int) {
	t.done += epochs
	if t.options.OnProgress != nil {
		t.options.OnProgress(t.done, t.total)
	}
}

// modelRun is one model of a phase.
type modelRun struct {
	Run
	ask       []int // indices of the network's outputs to classify
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
	// needsScores reports whether to classify after an epoch. active is the number of active
	// models.
	needsScores(epoch, active int) bool
	// update records the results of all models after an epoch: whether they diverged, and their
	// scores if these were needed. The score of a stopped model has 0 nodes. update returns which
	// models to stop.
	update(p Population, epoch int, diverged []bool, scores []score) (stop []bool, err error)
}

// train trains the models of a phase until the phase has stopped all of them. It resumes from the
// checkpoint if that has the phase.
func (t *trainingLoop) train(
	ctx context.Context, p phase, results []Result, runs []modelRun,
) error {
	if len(runs) == 0 {
		return nil
	}
	saver := t.options.Checkpoint
	id, err := t.phaseID(p.name(), results)
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
	population, err := ctxutil.Call(ctx, func() (Population, error) {
		return t.program.NewPopulation(all)
	})
	if err != nil {
		return err
	}
	defer population.Close()
	for slices.Contains(state.Active, true) {
		if err := t.epoch(ctx, p, population, runs, results, state, isAhead); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				if failed := saver.write(state, results, population); failed != nil {
					err = fmt.Errorf("%w; %w", err, failed)
				}
			}
			return err
		}
		clear(isAhead)
		if slices.Contains(state.Active, true) { // a finished phase is saved without its models
			if err := saver.epochEnded(state, results, population); err != nil {
				return err
			}
		}
	}
	saver.end(id, results)
	return nil
}

// epoch trains the active models of a phase for an epoch, which is one step. Models that are ahead
// took that step before an interruption.
func (t *trainingLoop) epoch(
	ctx context.Context, p phase, population Population, runs []modelRun, results []Result,
	state *phaseState, isAhead []bool,
) error {
	began := time.Now()
	epoch, active := state.Epoch+1, state.Active
	waiting := make([]bool, len(runs))
	for i := range runs {
		waiting[i] = active[i] && !isAhead[i]
	}
	losses, err := population.Step(ctx, waiting)
	equalScores := math.Log(float64(t.network.Classes))
	for i, loss := range losses {
		if waiting[i] && kge.HasExploded(float64(loss), equalScores) {
			state.Diverged[i] = true
		}
	}
	if err != nil {
		return err
	}
	var logits [][]float32
	models := countTrue(active)
	t.clock.Add(models, began)
	if p.needsScores(epoch, models) {
		if t.isLate {
			if err := t.options.Checkpoint.close(state, results, population); err != nil {
				return err
			}
		}
		began = time.Now()
		if logits, err = population.Logits(ctx, active); err != nil {
			return err
		}
		t.clock.Add(0, began)
	}
	scores := make([]score, len(runs))
	for i, r := range runs {
		if active[i] && logits != nil {
			scores[i] = scoreOf(t.network, logits[i], r.ask)
			state.Diverged[i] = state.Diverged[i] || !isFinite(scores[i].loss)
		}
	}
	stop, err := p.update(population, epoch, state.Diverged, scores)
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

// checkMemory returns an error if training a number of models side by side exceeds the memory.
func (t *trainingLoop) checkMemory(models int) error {
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
	work := fmt.Sprintf("training %s with dim %d side by side",
		format.Count(models, "model"), t.settings.Dim)
	return memory.Check(bytes, work,
		"take a smaller dim, or fewer layers, repeats, runs or settings to try")
}
