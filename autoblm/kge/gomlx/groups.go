package gomlx

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// groups is a population that does not fit at a time: its members train in
// groups, one after the other.
type groups struct {
	size        int // members of each group but the last
	populations []*population
}

func (g *groups) of(member int) (*population, int) {
	return g.populations[member/g.size], member % g.size
}

// Epoch implements [kge.Population].
func (g *groups) Epoch(ctx context.Context, batches [][]kge.Example, rates []float64) (kge.Epoch, error) {
	var all kge.Epoch
	for i, p := range g.populations {
		epoch, err := p.Epoch(ctx, batches, rates[i*g.size:][:len(p.members)])
		if err != nil {
			return all, err
		}
		all.Loss = append(all.Loss, epoch.Loss...)
		if all.StepSeconds == nil {
			all.StepSeconds = make([]float64, len(epoch.StepSeconds))
		}
		for step, seconds := range epoch.StepSeconds {
			all.StepSeconds[step] += seconds
		}
	}
	return all, nil
}

// Parameters implements [kge.Population].
func (g *groups) Parameters(member int) (kge.Parameters, error) {
	p, i := g.of(member)
	return p.Parameters(i)
}

// SetStructure implements [kge.Population].
func (g *groups) SetStructure(member int, s structure.Structure) error {
	p, i := g.of(member)
	return p.SetStructure(i, s)
}

// Rank implements [kge.Ranker].
func (g *groups) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]kge.Ranked, error) {
	var all [][]kge.Ranked
	for _, p := range g.populations {
		ranks, err := p.Rank(ctx, triples, known)
		if err != nil {
			return nil, err
		}
		all = append(all, ranks...)
	}
	return all, nil
}

// Scores implements [kge.Ranker].
func (g *groups) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errNoPaths
}

// Models implements [kge.Ranker].
func (g *groups) Models() (n int) {
	for _, p := range g.populations {
		n += p.Models()
	}
	return n
}

// Close implements [kge.Ranker].
func (g *groups) Close() {
	for _, p := range g.populations {
		p.Close()
	}
}
