package classify

import (
	"context"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/deadline"
)

// Trainer trains populations on one graph with the same settings. It prepares a program that
// serves all structures with the same number of chunks, so use one Trainer for all members. It is
// not safe for concurrent use.
type Trainer struct {
	graph    *rdf.Graph
	settings Settings
	options  Options
	network  *Network
	program  Program
}

// NewTrainer prepares training on a graph.
func NewTrainer(g *rdf.Graph, s Settings, o Options) (*Trainer, error) {
	if err := CheckGraph(g, s); err != nil {
		return nil, err
	}
	if o.Engine == nil {
		return nil, task.ErrNoEngine
	}
	t := &Trainer{graph: g, settings: s, options: o, network: NewNetwork(g, s)}
	var err error
	t.program, err = o.Engine.Prepare(t.network)
	return t, err
}

// Close frees the trainer's resources.
func (t *Trainer) Close() { t.program.Close() }

// Train cross-validates each member and then tests it, in as many runs as the settings say. A
// member's result depends on its structure, seed and rates, the graph and the settings. It does not
// depend on the other members: to the bit on the engine cpu, within rounding on GoMLX.
//
// The result of a member that diverges has an error, and the others go on. Train fails if the
// members are invalid or ctx ends.
func (t *Trainer) Train(ctx context.Context, members []Member) ([]Result, error) {
	if err := validate(t.settings, members); err != nil {
		return nil, err
	}
	if t.options.Checkpoint != nil && t.options.KeepModels && len(members) > 1 {
		return nil, fmt.Errorf("a checkpoint holds the models of one member, but there are %d: "+
			"train them one after the other", len(members))
	}
	models := len(members) * (t.settings.heldOut() + t.finalRuns())
	call := &trainingLoop{Trainer: t, total: models * t.settings.Epochs}
	results := make([]Result, len(members))
	for i, m := range members {
		results[i].Member = m
	}
	groupSize := len(members)
	if n := t.options.Engine.Members(); n > 0 {
		groupSize = n
	}
	clock, groups := deadline.NewClock(t.options.Deadline), (len(results)+groupSize-1)/groupSize
	for group := range slices.Chunk(results, groupSize) {
		call.clock = clock.Part(groups)
		groups--
		if err := call.crossValidate(ctx, group); err != nil {
			return nil, err
		}
		if err := call.test(ctx, group); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// finalRuns returns the number of models of each member to train on all training nodes.
func (t *Trainer) finalRuns() int {
	if t.options.KeepModels {
		return max(t.settings.Runs, 1)
	}
	return t.settings.Runs
}

// TrainOnce cross-validates and tests members with a new [Trainer].
func TrainOnce(
	ctx context.Context, g *rdf.Graph, s Settings, o Options, members []Member,
) ([]Result, error) {
	t, err := NewTrainer(g, s, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx, members)
}
