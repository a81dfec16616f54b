package autodiff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// ranking is the program that ranks the answers of questions. Its inputs are the tables, operators,
// those of [ranker.walkInputs], the answers [q] and, for each entity to leave out, its question, the
// entity and 1, or 0 for padding. Its outputs are the numbers of other entities with higher and with
// equal scores, and the scores of the answers, [q] each.
type ranking struct{ model }

func (p ranking) graph(g *Graph, all []*Node) []*Node {
	n := 1 + len(p.specs())
	scores := p.scores(all[:n], all[n], all[n+1:n+4])
	answers, questions, entities, used := all[n+4], all[n+5], all[n+6], all[n+7]
	pick := func(questions, entities *Node) *Node { return Gather(scores, Stack([]*Node{questions, entities}, -1)) }
	rows := scores.Shape().Dim(0)
	truths := pick(Iota(g, shapes.Make(dtypes.Int32, rows), 0), answers)
	known := pick(questions, entities)
	truthsOfKnown := Gather(truths, InsertAxes(questions, -1))
	count := func(compare func(x, y *Node) *Node) *Node {
		higher := compare(scores, BroadcastToShape(InsertAxes(truths, -1), scores.Shape()))
		total := ReduceSum(ConvertDType(higher, dtypes.Int32), 1)
		excluded := Mul(ConvertDType(compare(known, truthsOfKnown), dtypes.Int32), used)
		return Sub(total, ScatterSum(ZerosLike(total), InsertAxes(questions, -1), excluded, false, false))
	}
	better := count(GreaterThan)
	return []*Node{better, Sub(count(GreaterOrEqual), better), truths}
}

// query is a question with its answer and the entities to leave out, which include it.
type query struct {
	kge.Question
	answer   int32
	excluded []int32
}

// rankedQueries returns two queries for each triple: those of its tail and of its head.
func rankedQueries(triples []datasets.Triple, known *datasets.Known) (all []query) {
	for _, t := range triples {
		var tails, heads []int32
		if known != nil {
			tails, heads = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
		}
		add := func(anchor, relation, answer int32, excluded []int32) {
			if !slices.Contains(excluded, answer) {
				excluded = append(slices.Clip(excluded), answer)
			}
			question := kge.Question{Anchor: anchor, Path: []int32{relation}}
			all = append(all, query{question, answer, excluded})
		}
		add(t.Head, 2*t.Relation, t.Tail, tails)
		add(t.Tail, 2*t.Relation+1, t.Head, heads)
	}
	return all
}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	queries, ranks := rankedQueries(triples, known), make([][]eval.Ranked, len(r.models))
	for i, m := range r.models {
		room, done := r.room(m), 0
		var all []eval.Rank
		for chunk := range slices.Chunk(queries, room) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ranked, err := r.rank(m, chunk, min(room, powerOfTwo(len(chunk))))
			if err != nil {
				return nil, fmt.Errorf("rank: %w", err)
			}
			all = append(all, ranked...)
			done += len(chunk)
			r.report((float64(i) + float64(done)/float64(len(queries))) / float64(len(r.models)))
		}
		for both := range slices.Chunk(all, 2) {
			ranks[i] = append(ranks[i], eval.Ranked{Tail: both[0], Head: both[1]})
		}
	}
	return ranks, ctx.Err()
}

// rank ranks the answers of queries, padded to size. An answer with score NaN ranks last.
func (r *ranker) rank(m *stored, queries []query, size int) ([]eval.Rank, error) {
	var questions []kge.Question
	var answers, ofExcluded, excluded []int32
	for i, q := range queries {
		questions, answers = append(questions, q.Question), append(answers, q.answer)
		ofExcluded = append(ofExcluded, slices.Repeat([]int32{int32(i)}, len(q.excluded))...)
		excluded = append(excluded, q.excluded...)
	}
	used, length := slices.Repeat([]int32{1}, len(excluded)), powerOfTwo(len(excluded))
	padded := func(numbers []int32, size int) *tensors.Tensor {
		return vectorOf(append(numbers, make([]int32, size-len(numbers))...)...)
	}
	inputs := append(r.walkInputs(m, questions, size), padded(answers, size),
		padded(ofExcluded, length), padded(excluded, length), padded(used, length))
	p := ranking{modelOf(m.Parameters)}
	outputs, err := r.call(m, p, "ranks", p.graph, 3, inputs)
	if err != nil {
		return nil, err
	}
	defer finalize(outputs...)
	better, errBetter := tensors.CopyFlatData[int32](outputs[0])
	equal, errEqual := tensors.CopyFlatData[int32](outputs[1])
	truths, errTruths := tensors.CopyFlatData[float32](outputs[2])
	if err := errors.Join(errBetter, errEqual, errTruths); err != nil {
		return nil, err
	}
	entities, ranks := m.tables[0].Shape().Dim(0), make([]eval.Rank, len(queries))
	for i, q := range queries {
		ranks[i] = eval.Rank{Better: better[i], Equal: equal[i]}
		if math.IsNaN(float64(truths[i])) {
			ranks[i] = eval.Rank{Better: int32(entities - len(q.excluded))}
		}
	}
	return ranks, nil
}
