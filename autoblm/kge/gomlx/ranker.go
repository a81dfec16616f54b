package gomlx

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// ranker holds the embeddings of one or more models of one shape.
type ranker struct {
	engine              *Engine
	entities, relations *tensors.Tensor // [S, E, d], [S, R, d], interleaved
	operators           *tensors.Tensor // [S, mixes, K·K, K]
	dim                 int
	reciprocal          bool
	asked               *questions // of the last ranking
}

// NewRanker implements [kge.Engine].
func (e *Engine) NewRanker(parameters []kge.Parameters) (kge.Ranker, error) {
	for _, p := range parameters {
		if err := supports(p.Form); err != nil {
			return nil, err
		}
	}
	return e.newRanker(parameters)
}

func (e *Engine) newRanker(parameters []kge.Parameters) (*ranker, error) {
	if err := kge.OneShape(parameters); err != nil {
		return nil, err
	}
	first := parameters[0]
	members, k := len(parameters), first.Structure.K()
	structures := make([]structure.Structure, members)
	entities, relations := make([][]float32, members), make([][]float32, members)
	for i, p := range parameters {
		structures[i], entities[i], relations[i] = p.Structure, p.Entities, p.Relations
	}
	return &ranker{
		engine:     e,
		dim:        first.Dim,
		entities:   tensors.FromFlatDataAndDimensions(stack(entities, first.Dim, k), members, len(first.Entities)/first.Dim, first.Dim),
		relations:  tensors.FromFlatDataAndDimensions(stack(relations, first.Dim, k), members, len(first.Relations)/first.Dim, first.Dim),
		operators:  operatorTensor(structures),
		reciprocal: first.Reciprocal,
	}, nil
}

// operatorTensor is [S, mixes, K·K, K]; see operators.
func operatorTensor(structures []structure.Structure) *tensors.Tensor {
	k := structures[0].K()
	return tensors.FromFlatDataAndDimensions(operators(structures), len(structures), mixes, k*k, k)
}

// Scores implements [kge.Ranker].
func (r *ranker) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errNoPaths
}

// Models implements [kge.Ranker].
func (r *ranker) Models() int { return r.members() }

// Close implements [kge.Ranker].
func (r *ranker) Close() {
	finalize(r.entities, r.relations, r.operators)
	r.asked.free()
}

// finalize frees tensors; one whose memory went to a failed step has nothing to free.
func finalize(all ...*tensors.Tensor) {
	for _, t := range all {
		_ = t.FinalizeAll()
	}
}

// finalizeBut frees tensors but the one with the given index.
func finalizeBut(index int, all []*tensors.Tensor) {
	for i, t := range all {
		if i != index {
			finalize(t)
		}
	}
}

// ranks is the program that ranks.
func (e *Engine) ranks(reciprocal bool) (*graph.Exec, error) {
	return cached(e, e.rankers, reciprocal, func() (*graph.Exec, error) {
		return e.program("rank", func(g *graph.Graph, in []*graph.Node) []*graph.Node { return countRanks(g, in, reciprocal) }, rankInputs, 3)
	})
}

// Rank implements [kge.Ranker]. What was asked last stays where it is, so
// that the validation triples are placed once.
func (r *ranker) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]kge.Ranked, error) {
	if len(triples) == 0 {
		return make([][]kge.Ranked, r.members()), nil
	}
	program, err := r.engine.ranks(r.reciprocal)
	if err != nil {
		return nil, err
	}
	k := r.operators.Shape().Dim(3)
	size := rankBatch(len(triples), r.members()*max(r.entityCount(), r.dim*k), r.engine.rankNumbers())
	if !r.asked.same(triples, known, size) {
		r.asked.free()
		r.asked = ask(triples, known, size)
	}
	if err := r.ready(program); err != nil {
		return nil, err
	}
	ranks := make([][]kge.Ranked, r.members())
	for _, q := range r.asked.parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts, err := r.count(program, q, size)
		if err != nil {
			return nil, err
		}
		for member := range ranks {
			for row := range q.count {
				ranks[member] = append(ranks[member], kge.Ranked{
					Tail: counts.rank(member, row, r.entityCount(), q.perRow),
					Head: counts.rank(member, size+row, r.entityCount(), q.perRow),
				})
			}
		}
	}
	return ranks, nil
}

// ready compiles the ranking of what is asked, where it is not.
func (r *ranker) ready(program *graph.Exec) error {
	inputs := r.inputs(r.asked.parts[0])
	key := fmt.Sprint(r.reciprocal)
	for _, t := range inputs {
		key += t.Shape().String()
	}
	e := r.engine
	e.mu.Lock()
	readied := e.readied[key]
	e.readied[key] = true
	e.mu.Unlock()
	if readied {
		return nil
	}
	if err := e.compile(program, inputs); err != nil {
		return fmt.Errorf("cannot compile the ranking: %w", outOfMemory(err))
	}
	return nil
}

func (r *ranker) inputs(q question) []*tensors.Tensor {
	return append([]*tensors.Tensor{r.entities, r.relations, r.operators}, q.tensors...)
}

func (r *ranker) members() int     { return r.entities.Shape().Dim(0) }
func (r *ranker) entityCount() int { return r.entities.Shape().Dim(1) }

// leastNumbers is how many numbers a table of a ranking has at least, about,
// where there are as many.
var leastNumbers = 8 << 20

// rankNumbers is how many numbers a table of a ranking may have. GoMLX's own
// backend does best with tables that a cache holds.
func (e *Engine) rankNumbers() int {
	if e.settings.Backend == backend.Go {
		return leastNumbers
	}
	return max(leastNumbers, int(e.settings.Memory/64))
}

// rankBatch is how many triples are ranked at a time: each is two rows of
// scores, or of products of chunks where these are more.
func rankBatch(triples, numbersPerRow, most int) int {
	return max(1, min(triples, most/(2*numbersPerRow)))
}

// questions are triples to rank, placed on the device in parts of one size.
type questions struct {
	triples []datasets.Triple
	known   *datasets.Known
	size    int
	parts   []question
}

type question struct {
	count   int               // of triples that are no padding
	perRow  []int32           // [2·size]: how many answers of a query are known
	tensors []*tensors.Tensor // the inputs of a ranking from rankTriples on
}

func ask(triples []datasets.Triple, known *datasets.Known, size int) *questions {
	q := &questions{triples: slices.Clone(triples), known: known, size: size}
	chunks := slices.Collect(slices.Chunk(triples, size))
	answers := make([]knownAnswers, len(chunks))
	most := 0
	for i, chunk := range chunks {
		answers[i] = collectKnown(chunk, size, known)
		most = max(most, len(answers[i].ids))
	}
	room := 1 << bits.Len(uint(most-1)) // few distinct sizes, so few compilations
	for i, chunk := range chunks {
		ids := make([]int32, 3*size)
		fillIDs(ids, chunk, size)
		lists := answers[i].padded(room)
		placed := make([]*tensors.Tensor, rankInputs-rankTriples)
		placed[0] = tensors.FromFlatDataAndDimensions(ids, 3, size)
		for input, list := range map[int][]int32{rankKnownRows: lists.rows, rankKnownIDs: lists.ids, rankKnownUsed: lists.used} {
			placed[input-rankTriples] = tensors.FromFlatDataAndDimensions(list, room)
		}
		q.parts = append(q.parts, question{count: len(chunk), perRow: lists.perRow, tensors: placed})
	}
	return q
}

func (q *questions) same(triples []datasets.Triple, known *datasets.Known, size int) bool {
	return q != nil && q.size == size && q.known == known && slices.Equal(q.triples, triples)
}

func (q *questions) free() {
	if q == nil {
		return
	}
	for _, part := range q.parts {
		finalize(part.tensors...)
	}
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
func (c counts) rank(member, row, entities int, known []int32) kge.Rank {
	i := member*c.rows + row
	if math.IsNaN(float64(c.truth[i])) {
		return kge.Rank{Better: int32(entities) - known[row]}
	}
	return kge.Rank{Better: c.better[i], Equal: c.equal[i]}
}

func (r *ranker) count(program *graph.Exec, q question, size int) (counts, error) {
	var arguments []any
	for _, t := range r.inputs(q) {
		arguments = append(arguments, t)
	}
	outputs, err := program.Call(arguments...)
	if err != nil {
		return counts{}, fmt.Errorf("ranking failed: %w", outOfMemory(err))
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
