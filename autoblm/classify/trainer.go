package classify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Options are how a [Trainer] goes about it, which does not matter for what comes out
// but for the rounding of the engine.
type Options struct {
	// Engine does the arithmetic. The caller closes it, after the trainer.
	Engine Engine
	// KeepModels asks for a model of each member; see [Result].
	KeepModels bool
	// OnProgress, when set, is told how many of the epochs that [Trainer.Train] may
	// take are done; those that it need not take count as done.
	OnProgress func(done, total int)
	// Checkpoint, when set, keeps the way.
	Checkpoint *Checkpoint
	// Deadline, when set, ends [Trainer.Train] in time, with what there is: first the
	// cross-validation, so that there is time for the models of the test. An epoch of each
	// is taken in any case.
	Deadline *kge.Deadline
}

// Trainer trains populations on one graph with one setting. What it readies for that
// serves all structures with one number of chunks; so make one and use it for all
// members. A Trainer does one thing at a time.
type Trainer struct {
	graph    *rdf.Graph
	settings Settings
	options  Options
	network  *Network
	program  Program
}

// NewTrainer readies a graph for a setting.
func NewTrainer(g *rdf.Graph, s Settings, o Options) (*Trainer, error) {
	if err := Check(g, s); err != nil {
		return nil, err
	}
	if o.Engine == nil {
		return nil, errors.New("there is no engine to train on")
	}
	t := &Trainer{graph: g, settings: s, options: o, network: NewNetwork(g, s)}
	var err error
	t.program, err = o.Engine.Prepare(t.network)
	return t, err
}

// Close frees what the trainer holds.
func (t *Trainer) Close() { t.program.Close() }

// Train cross-validates each member, and then tests it as often as the settings
// say. What comes of a member depends on its structure, seed and rates, on the
// graph and on the settings, and not on the other members: to the bit on the engine cpu
// and on GoMLX's own backend, within rounding on others.
//
// A member that diverges is reported in its Result and the others go on; the error
// is for what stops all: members that make no sense, or the end of ctx.
func (t *Trainer) Train(ctx context.Context, members []Member) ([]Result, error) {
	if err := validate(t.settings, members); err != nil {
		return nil, err
	}
	if t.options.Checkpoint != nil && t.options.KeepModels && len(members) > 1 {
		return nil, fmt.Errorf("a checkpoint keeps the models of one member, and there are %d: train them one after the other", len(members))
	}
	w := &work{Trainer: t, total: len(members) * t.settings.Epochs * (t.settings.heldOut() + t.finalRuns())}
	results := make([]Result, len(members))
	for i, m := range members {
		results[i].Member = m
	}
	some := len(members)
	if n := t.options.Engine.Members(); n > 0 {
		some = n
	}
	all, groups := newClock(t.options.Deadline), (len(results)+some-1)/some
	for group := range slices.Chunk(results, some) {
		w.clock = all.part(groups)
		groups--
		if err := w.crossValidate(ctx, group); err != nil {
			return nil, err
		}
		if err := w.test(ctx, group); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// finalRuns is how many models are trained on all nodes to train with.
func (t *Trainer) finalRuns() int {
	if t.options.KeepModels {
		return max(t.settings.Runs, 1)
	}
	return t.settings.Runs
}

// Train cross-validates and tests members by a trainer of their own.
func Train(ctx context.Context, g *rdf.Graph, s Settings, o Options, members []Member) ([]Result, error) {
	t, err := NewTrainer(g, s, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx, members)
}
