package gomlx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// ranker holds the embeddings of one or more models of one shape.
type ranker struct {
	engine              *Engine
	shards              []*shard
	models, entities, k int
	dim                 int
	widths              []int // of a relation in each of its tables
	shape
	progress func(share float64) // nil if not reported
}

// OnProgress implements [progress.Reporter].
func (r *ranker) OnProgress(report func(share float64)) { r.progress = report }

func (r *ranker) report(share float64) {
	if r.progress != nil {
		r.progress(share)
	}
}

// NewRanker implements [kge.Engine].
func (e *Engine) NewRanker(
	parameters []kge.Parameters, precision kge.Precision,
) (kge.Ranker, error) {
	for _, p := range parameters {
		if err := supportsForm(p.Form); err != nil {
			return nil, err
		}
	}
	if len(parameters) > 0 {
		if _, err := precision.ForRanking(e, parameters); err != nil {
			return nil, err
		}
	}
	if err := kge.CheckSameShape(parameters); err != nil {
		return nil, err
	}
	var bytes int64
	for _, p := range parameters {
		for _, table := range p.All() {
			bytes += 4 * int64(len(table))
		}
	}
	if !isExplicitForm(parameters[0].Form) {
		return autodiff.NewRanker(compiler{e}, parameters)
	}
	shards := 1
	if e.devices.Shard || bytes > e.settings.Memory {
		shards = e.devices.Count
	}
	return newScoringRanker(e.newRanker(parameters, newShards(0, shards)), parameters), nil
}

// newRanker copies models of one shape to shards.
func (e *Engine) newRanker(parameters []kge.Parameters, shards []*shard) *ranker {
	first := parameters[0]
	structures := make([]structure.Structure, len(parameters))
	tables := make([]kge.Tables, len(parameters))
	for i, p := range parameters {
		structures[i], tables[i] = p.Structure, p.Tables
	}
	r := &ranker{
		engine: e, shards: shards, models: len(parameters), dim: first.Dim,
		entities: len(first.Entities) / first.Dim, k: max(1, first.Structure.K()),
		shape: shapeOf(first.Form, first.Reciprocal), widths: widths(first.Form, first.Dim),
	}
	for i, s := range shards {
		s.tables = r.stack(tables, i, len(shards))
		s.operators = operators(structures)
	}
	return r
}

// Models implements [kge.Ranker].
func (r *ranker) Models() int { return r.models }

// Close implements [kge.Ranker].
func (r *ranker) Close() {
	for _, s := range r.shards {
		s.finalize()
	}
}

// call runs a program on the devices of the shards, with the inputs of the first, then those of the
// second, and so on. It returns the outputs in the same order.
func (r *ranker) call(program *Exec, inputs []any) ([]*tensors.Tensor, error) {
	// CallOnDevice would run it on device 0 (GoMLX v0.28.3).
	outputs, _, err := program.CallWithGraphOnDevice(r.shards[0].device, inputs...)
	return outputs, err
}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	ranks := make([][]eval.Ranked, r.Models())
	if len(triples) == 0 {
		return ranks, nil
	}
	relations, free, err := r.rankedRelations()
	if err != nil {
		return nil, err
	}
	defer free()
	p := ranking{r.shape, shardingOf(r.entities, len(r.shards))}
	p.derived = p.partitions > 0
	of := signature{inputs: rankInputs, outputs: rankOutputs, inputTables: 2}
	program, err := r.engine.program(p, "rank", p.graph, of, p.sharding)
	if err != nil {
		return nil, err
	}
	size := r.batch(len(triples))
	parts := divide(triples, known, size, len(r.shards))
	defer func() {
		for _, p := range parts {
			finalize(slices.Concat(p.tensors...)...)
		}
	}()
	if err := r.engine.compile("the ranking", program, r.inputs(relations, parts[0])); err != nil {
		return nil, err
	}
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.report(float64(i) / float64(len(parts)))
		rank, err := r.count(program, relations, part)
		if err != nil {
			return nil, err
		}
		for member := range ranks {
			for row := range part.triples {
				ranked := eval.Ranked{Tail: rank(member, row), Head: rank(member, size+row)}
				ranks[member] = append(ranks[member], ranked)
			}
		}
	}
	return ranks, nil
}

// inputs returns the inputs of a ranking for all shards.
func (r *ranker) inputs(relations []*tensors.Tensor, p *part) (all []*tensors.Tensor) {
	for i, s := range r.shards {
		all = append(all, s.tables[0], relations[i], s.operators)
		all = append(all, p.tensors[i]...)
	}
	return all
}

// count ranks a part and returns a function for the rank of a query. A true entity with score
// NaN ranks last.
func (r *ranker) count(
	program *Exec, relations []*tensors.Tensor, p *part,
) (func(member, query int) eval.Rank, error) {
	var arguments []any
	for _, t := range r.inputs(relations, p) {
		arguments = append(arguments, t)
	}
	outputs, err := r.call(program, arguments)
	if err != nil {
		return nil, fmt.Errorf("rank: %w", outOfMemory(err))
	}
	defer finalize(outputs...) // those of all shards are equal
	better, errBetter := tensors.CopyFlatData[int32](outputs[0])
	equal, errEqual := tensors.CopyFlatData[int32](outputs[1])
	truth, errTruth := tensors.CopyFlatData[float32](outputs[2])
	return func(member, query int) eval.Rank {
		i := member*len(p.known) + query
		if math.IsNaN(float64(truth[i])) {
			return eval.Rank{Better: int32(r.entities) - p.known[query]}
		}
		return eval.Rank{Better: better[i], Equal: equal[i]}
	}, errors.Join(errBetter, errEqual, errTruth)
}

// minTableSize is the approximate size of a table of scores, in numbers, unless there are fewer.
var minTableSize = 8 << 20

// batch returns the number of triples to rank at a time. Each takes two rows of scores, or of
// products of chunks or matrices of relations if these are longer. GoMLX's pure-Go backend is
// fastest if the tables fit in cache.
func (r *ranker) batch(triples int) int {
	limit := minTableSize
	if r.engine.settings.Backend != backend.Go {
		limit = max(limit, int(r.engine.settings.Memory/64))
	}
	rows := shardRows(r.entities, len(r.shards))
	return max(1, min(triples, limit/(2*r.models*max(rows, r.dim*max(r.k, r.matrixSize(r.dim))))))
}

// part is a batch of triples to rank, with the known answers to exclude from the ranks. These
// are ordered by query and include the true entity.
type part struct {
	triples   []datasets.Triple
	rows, ids []int32             // query and entity of each known answer
	known     []int32             // [2·size]: number of known answers of each query
	tensors   [][]*tensors.Tensor // for each shard: inputs of a ranking from rankTriples on
}

// divide copies triples to the devices of shards, in parts of one size.
func divide(
	triples []datasets.Triple, known *datasets.Known, size, shards int,
) (parts []*part) {
	longest := 0
	for chunk := range slices.Chunk(triples, size) {
		p := &part{triples: chunk, known: make([]int32, 2*size)}
		for i, t := range chunk {
			var tails, heads []int32
			if known != nil {
				tails, heads = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
			}
			p.exclude(i, t.Tail, tails)
			p.exclude(size+i, t.Head, heads)
		}
		longest = max(longest, len(p.ids))
		parts = append(parts, p)
	}
	length := 1 << bits.Len(uint(longest-1)) // few distinct lengths, so few compilations
	for _, p := range parts {
		for range shards {
			p.tensors = append(p.tensors, p.inputs(size, length))
		}
	}
	return parts
}

func (p *part) exclude(row int, truth int32, others []int32) {
	if !slices.Contains(others, truth) {
		others = append(slices.Clip(others), truth)
	}
	p.rows = append(p.rows, slices.Repeat([]int32{int32(row)}, len(others))...)
	p.ids = append(p.ids, others...)
	p.known[row] = int32(len(others))
}

// inputs returns the inputs of a ranking from rankTriples on, with the known answers padded to a
// length.
func (p *part) inputs(size, length int) []*tensors.Tensor {
	ids := make([]int32, 3*size)
	fillIDs(ids, p.triples, size)
	all := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(ids, 3, size)}
	used := slices.Repeat([]int32{1}, len(p.ids))
	for _, list := range [][]int32{p.rows, p.ids, used} {
		padded := make([]int32, length)
		copy(padded, list)
		all = append(all, tensors.FromFlatDataAndDimensions(padded, length))
	}
	return all
}

// fillIDs writes triples as heads, relations and tails, size numbers each.
func fillIDs(to []int32, triples []datasets.Triple, size int) {
	for i, t := range triples {
		to[i], to[size+i], to[2*size+i] = t.Head, t.Relation, t.Tail
	}
}

// The inputs of a ranking, in order.
const (
	rankEntities  = iota // [S, E, d]
	rankRelations        // [S, R, w], see rankedRelations
	rankOperators        // [S, mixes, K·K, K]
	rankTriples          // [3, b]: heads, relations, tails
	rankKnownRows        // [n]: the query of a known answer, 0…2b-1
	rankKnownIDs         // [n]: the known answer
	rankKnownUsed        // [n]: 1, and 0 for padding
	rankInputs
)

// rankOutputs is the number of outputs of a ranking.
const rankOutputs = 3

// ranking is a program that ranks triples, for any shapes.
type ranking struct {
	shape
	sharding
}

// graph returns three tables [S, 2·b]: the number of entities, without known answers, that
// score above the true one; the number that score the same; and the score of the true one. It
// subtracts counts of known answers from counts of all entities. Both come from one table of
// scores, so they agree to the bit for any precision, without a mask over entities.
func (p ranking) graph(g *Graph, in []*Node) []*Node {
	b := gatherBatch(in[rankEntities], in[rankRelations], in[rankOperators], in[rankTriples],
		p.shape)
	all := scores(Reshape(b.rankedQueries(), b.members(), -1, b.dim()), b.entities) // [S, 2·b, E]
	all = p.mask(all, float32(math.NaN()))                                          // neither above nor equal to any score
	members, rows := all.Shape().Dim(0), all.Shape().Dim(1)
	pick := func(row, id *Node) *Node { // from [n] and [n] to [S, n]
		n := row.Shape().Dim(0)
		axes := []*Node{Iota(g, shapes.Make(dtypes.Int32, members, n), 0),
			BroadcastPrefix(row, members), BroadcastPrefix(id, members)}
		return Gather(all, Stack(axes, -1)) // a flat table of scores could not stay sharded
	}
	ids := in[rankTriples]
	tails, heads := Slice(ids, AxisRange(2, 3)), Slice(ids, AxisRange(0, 1))
	trueIDs := Reshape(Concatenate([]*Node{tails, heads}, 0), rows)
	truth := pick(Iota(g, shapes.Make(dtypes.Int32, rows), 0), trueIDs) // [S, 2·b]

	knownScore := pick(in[rankKnownRows], in[rankKnownIDs]) // [S, n]
	knownRows := Reshape(in[rankKnownRows], -1, 1)
	knownTruth := TransposeAllAxes(Gather(TransposeAllAxes(truth, 1, 0), knownRows), 1, 0)
	counted := func(compare func(a, b *Node) *Node) *Node {
		truths := BroadcastToShape(Reshape(truth, members, rows, 1), all.Shape())
		total := ReduceSum(ConvertDType(compare(all, truths), dtypes.Int32), 2)
		known := ConvertDType(compare(knownScore, knownTruth), dtypes.Int32)
		known = Mul(known, BroadcastPrefix(in[rankKnownUsed], members))
		perRow := ScatterSum(Zeros(g, shapes.Make(dtypes.Int32, rows, members)), knownRows,
			TransposeAllAxes(known, 1, 0), false, false)
		return Sub(total, TransposeAllAxes(perRow, 1, 0))
	}
	better := counted(GreaterThan)
	return []*Node{better, Sub(counted(GreaterOrEqual), better), truth}
}
