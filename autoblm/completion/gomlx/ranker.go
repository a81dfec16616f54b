package gomlx

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/gomlx/core/tensors"
)

// ranker holds the embeddings of one or more models of one shape.
type ranker struct {
	engine              *Engine
	entities, relations *tensors.Tensor // [S, E, d], [S, R, d], interleaved
	operators           *tensors.Tensor // [S, 2, K·K, K]
	dim                 int
}

// NewRanker implements [completion.Engine].
func (e *Engine) NewRanker(parameters []completion.Parameters) (completion.Ranker, error) {
	return e.newRanker(parameters)
}

func (e *Engine) newRanker(parameters []completion.Parameters) (*ranker, error) {
	if err := completion.OneShape(parameters); err != nil {
		return nil, err
	}
	first := parameters[0]
	structures := make([]structure.Structure, len(parameters))
	for i, p := range parameters {
		structures[i] = p.Structure
	}
	members := len(parameters)
	entities, relations := stack(parameters)
	return &ranker{
		engine:    e,
		dim:       first.Dim,
		entities:  tensors.FromFlatDataAndDimensions(entities, members, len(first.Entities)/first.Dim, first.Dim),
		relations: tensors.FromFlatDataAndDimensions(relations, members, len(first.Relations)/first.Dim, first.Dim),
		operators: operatorTensor(structures),
	}, nil
}

// operatorTensor is [S, 2, K·K, K]; see operators.
func operatorTensor(structures []structure.Structure) *tensors.Tensor {
	k := structures[0].K()
	return tensors.FromFlatDataAndDimensions(operators(structures), len(structures), 2, k*k, k)
}

// Close implements [completion.Ranker].
func (r *ranker) Close() { finalize(r.entities, r.relations, r.operators) }

// finalize frees tensors; one whose memory went to a failed step has nothing to free.
func finalize(all ...*tensors.Tensor) {
	for _, t := range all {
		_ = t.FinalizeAll()
	}
}

// Rank implements [completion.Ranker].
func (r *ranker) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]completion.Ranked, error) {
	members, entities := r.entities.Shape().Dim(0), r.entities.Shape().Dim(1)
	k := r.operators.Shape().Dim(3)
	size := rankBatch(len(triples), members*max(entities, r.dim*k))
	chunks := slices.Collect(slices.Chunk(triples, size))
	answers := make([]knownAnswers, len(chunks))
	most := 0
	for i, chunk := range chunks {
		answers[i] = collectKnown(chunk, size, known)
		most = max(most, len(answers[i].ids))
	}
	room := 1 << bits.Len(uint(most-1)) // few distinct sizes, so few compilations
	ranks := make([][]completion.Ranked, members)
	for i, chunk := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts, err := r.count(chunk, size, answers[i].padded(room))
		if err != nil {
			return nil, err
		}
		for member := range members {
			for row := range chunk {
				ranks[member] = append(ranks[member], completion.Ranked{
					Tail: counts.rank(member, row, entities, answers[i]),
					Head: counts.rank(member, size+row, entities, answers[i]),
				})
			}
		}
	}
	return ranks, nil
}

// mostNumbers is how many numbers a table of a ranking has at most, about.
var mostNumbers = 8 << 20

// rankBatch is how many triples are ranked at a time: each is two rows of
// scores, or of products of chunks where these are more.
func rankBatch(triples, numbersPerRow int) int {
	return max(1, min(triples, mostNumbers/(2*numbersPerRow)))
}

// knownAnswers are the answers to leave out of a batch's ranks, those of query
// row after those of row-1. The true entity is always among them.
type knownAnswers struct {
	rows, ids, used []int32
	perRow          []int32 // [2·size]
}

func collectKnown(triples []datasets.Triple, size int, known *datasets.Known) knownAnswers {
	k := knownAnswers{perRow: make([]int32, 2*size)}
	add := func(row int, truth int32, others []int32) {
		if !slices.Contains(others, truth) {
			others = append(slices.Clip(others), truth)
		}
		for _, id := range others {
			k.rows, k.ids, k.used = append(k.rows, int32(row)), append(k.ids, id), append(k.used, 1)
		}
		k.perRow[row] = int32(len(others))
	}
	for i, t := range triples {
		var tails, heads []int32
		if known != nil {
			tails, heads = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
		}
		add(i, t.Tail, tails)
		add(size+i, t.Head, heads)
	}
	return k
}

// padded extends the lists to the given length with entries that count nowhere.
func (k knownAnswers) padded(length int) knownAnswers {
	pad := func(x []int32) []int32 { return append(slices.Clip(x), make([]int32, length-len(x))...) }
	return knownAnswers{rows: pad(k.rows), ids: pad(k.ids), used: pad(k.used), perRow: k.perRow}
}

// counts is the outcome of countRanks for one batch.
type counts struct {
	better, equal []int32 // [S, rows]
	truth         []float32
	rows          int
}

// rank of a query. A true entity whose score is not a number comes after all
// other candidates.
func (c counts) rank(member, row, entities int, known knownAnswers) completion.Rank {
	i := member*c.rows + row
	if math.IsNaN(float64(c.truth[i])) {
		return completion.Rank{Better: int32(entities) - known.perRow[row]}
	}
	return completion.Rank{Better: c.better[i], Equal: c.equal[i]}
}

func (r *ranker) count(triples []datasets.Triple, size int, known knownAnswers) (counts, error) {
	arguments := make([]any, rankInputs)
	arguments[rankEntities], arguments[rankRelations], arguments[rankOperators] = r.entities, r.relations, r.operators
	arguments[rankEntityIDs], arguments[rankRelationIDs] = batchIDs(triples, size)
	for i, list := range map[int][]int32{rankKnownRows: known.rows, rankKnownIDs: known.ids, rankKnownUsed: known.used} {
		arguments[i] = tensors.FromFlatDataAndDimensions(list, len(list))
	}
	outputs, err := r.engine.ranks.Call(arguments...)
	if err != nil {
		return counts{}, fmt.Errorf("ranking failed: %w", err)
	}
	defer finalize(outputs...)
	c := counts{rows: 2 * size}
	if c.better, err = tensors.CopyFlatData[int32](outputs[0]); err != nil {
		return c, err
	}
	if c.equal, err = tensors.CopyFlatData[int32](outputs[1]); err != nil {
		return c, err
	}
	c.truth, err = tensors.CopyFlatData[float32](outputs[2])
	return c, err
}
