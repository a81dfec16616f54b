package classify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/deadline"
)

// Options configure a [Trainer]. They do not change its results, apart from rounding by the
// engine and what a deadline leaves out.
type Options struct {
	// Engine does the arithmetic. The caller closes it, after the trainer.
	Engine Engine
	// KeepModels asks for a model of each member; see [Result].
	KeepModels bool
	// OnProgress, when set, receives the number of epochs done, out of the most that
	// [Trainer.Train] may take, summed over models. Epochs that turn out to be superfluous count
	// as done.
	OnProgress func(done, total int)
	// Checkpoint, when set, saves the work to a file.
	Checkpoint *Checkpoint
	// Deadline, when set, ends [Trainer.Train] in time, with the results so far. The
	// cross-validation ends first, to leave time for the test. Each takes at least an epoch.
	Deadline time.Time
}

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

// Train cross-validates each member and then tests it as often as the settings say. A member's
// result depends on its structure, seed and rates, on the graph and on the settings. It does not
// depend on the other members: to the bit on the engine cpu and on GoMLX's own backend, within
// rounding on others.
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
	call := &training{Trainer: t, total: models * t.settings.Epochs}
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

// phaseID identifies a phase of training in a checkpoint.
func (t *Trainer) phaseID(name string, results []Result) (json.RawMessage, error) {
	var members []Member
	for _, r := range results {
		members = append(members, r.Member)
	}
	return json.Marshal(map[string]any{
		"data": t.graph.Fingerprint(), "settings": t.settings, "members": members,
		"phase": name, "models": t.options.KeepModels,
	})
}

// Train cross-validates and tests members with a new [Trainer].
func Train(
	ctx context.Context, g *rdf.Graph, s Settings, o Options, members []Member,
) ([]Result, error) {
	t, err := NewTrainer(g, s, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx, members)
}
