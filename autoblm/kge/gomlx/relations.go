package gomlx

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// derivation is the program that makes the matrices of all relations from cores, for rankings.
type derivation struct {
	shape
	devices int
}

// graph returns the matrices, see [cores].
func (p derivation) graph(_ *graph.Graph, in []*graph.Node) []*graph.Node {
	split := splitCores(in[0], p.shape)
	matrices := split.matricesOf(split.allRows())
	if p.norm {
		matrices = split.normalizedMatrices(matrices)
	}
	return []*graph.Node{matrices}
}

// rankedRelations returns the relations that rankings look up, on each shard: their tables or, with
// cores, their matrices. These are made once for all batches. free frees them.
func (r *ranker) rankedRelations() (relations []*tensors.Tensor, free func(), err error) {
	for _, s := range r.shards {
		relations = append(relations, s.tables[1])
	}
	if r.partitions == 0 {
		return relations, func() {}, nil
	}
	p := derivation{r.shape, len(r.shards)}
	of := signature{inputs: 1, outputs: 1}
	program, err := r.engine.program(p, "matrices", p.graph, of, shardingOf(r.entities, len(r.shards)))
	if err != nil {
		return nil, nil, err
	}
	if err := r.engine.compile("the matrices of relations", program, relations); err != nil {
		return nil, nil, err
	}
	var inputs []any
	for _, t := range relations {
		inputs = append(inputs, t)
	}
	matrices, err := r.call(program, inputs)
	if err != nil {
		return nil, nil, fmt.Errorf("matrices of relations: %w", outOfMemory(err))
	}
	return matrices, func() { finalize(matrices...) }, nil
}
