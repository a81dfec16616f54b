package cpu

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// population is a set of models in training.
type population struct {
	ranker
	trainers []*trainer
	demand   demand
	// One workspace for each thread, whose members train one per core; and one
	// for all threads, whose members share the cores.
	single []*workspace
	shared *workspace
}

// NewPopulation implements [completion.Engine].
func (e *Engine) NewPopulation(g *datasets.Graph, s completion.Settings, members []completion.Member) (completion.Population, error) {
	p := &population{ranker: ranker{threads: e.threads}}
	batch := min(s.Batch, len(g.Train))
	for _, member := range members {
		m := newModel(e.kernels, completion.Initialize(g, s, member))
		p.models = append(p.models, m)
		p.trainers = append(p.trainers, newTrainer(m, s, member, batch))
	}
	p.demand = demand{
		model: p.models[0], batch: batch, dropout: s.Dropout > 0, smoothing: s.LabelSmoothing,
		relations: slices.ContainsFunc(members, func(m completion.Member) bool { return m.RelationPrediction > 0 }),
	}
	alone := p.alone()
	for range min(alone, e.threads) {
		p.single = append(p.single, newWorkspace(p.demand, 1, keptBytes/e.threads))
	}
	if alone < len(members) {
		p.shared = newWorkspace(p.demand, e.threads, keptBytes)
	}
	return p, nil
}

// alone is how many members train one per core: whole rounds of them, where the
// graph is small enough that each core can keep a few units. The rest share the
// cores, one after the other.
func (p *population) alone() int {
	switch {
	case p.threads == 1:
		return len(p.trainers)
	case 2*p.threads*p.demand.unitBytes() > keptBytes:
		return 0
	}
	return len(p.trainers) / p.threads * p.threads
}

// Epoch implements [completion.Population].
func (p *population) Epoch(ctx context.Context, triples []datasets.Triple, rates []float64) (completion.Epoch, error) {
	epoch := completion.Epoch{Loss: make([]float64, len(p.trainers))}
	seconds := make([][]float64, len(p.trainers))
	errs := make([]error, len(p.trainers))
	train := func(i int, w *workspace) {
		t := p.trainers[i]
		t.workspace = w
		epoch.Loss[i], seconds[i], errs[i] = t.epoch(ctx, triples, rates[i])
	}
	alone := p.alone()
	tiles.Parallel(p.threads, alone, func(worker, i int) { train(i, p.single[worker]) })
	for i := alone; i < len(p.trainers); i++ {
		train(i, p.shared)
	}
	for i, err := range errs {
		if err != nil {
			return epoch, err
		}
		if epoch.StepSeconds == nil {
			epoch.StepSeconds = make([]float64, len(seconds[i]))
		}
		side := 1.0 // of the members that train at a time
		if i < alone {
			side = float64(p.threads)
		}
		for step, s := range seconds[i] {
			epoch.StepSeconds[step] += s / side
		}
	}
	return epoch, nil
}

// Parameters implements [completion.Population].
func (p *population) Parameters(member int) (completion.Parameters, error) {
	return p.models[member].parameters(), nil
}

// SetStructure implements [completion.Population].
func (p *population) SetStructure(member int, s structure.Structure) error {
	m := p.models[member]
	if err := completion.Replaceable(m.structure, s); err != nil {
		return err
	}
	m.setStructure(s)
	return nil
}
