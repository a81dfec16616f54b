package cpu

import (
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/datasets"
)

// ranker holds models of one shape.
type ranker struct {
	threads   int
	precision kge.Precision // of what is counted fast; the counts are those of float32
	models    []*model
}

// NewRanker implements [kge.Engine].
func (e *Engine) NewRanker(parameters []kge.Parameters, precision kge.Precision) (kge.Ranker, error) {
	if err := kge.OneShape(parameters); err != nil {
		return nil, err
	}
	precision, err := kge.RankingPrecision(e, parameters, precision)
	if err != nil {
		return nil, err
	}
	r := &ranker{threads: e.threads, precision: precision}
	for _, p := range parameters {
		r.models = append(r.models, newModel(e.kernels, e.unit(precision), p))
	}
	return r, nil
}

// Models implements [kge.Ranker].
func (r *ranker) Models() int { return len(r.models) }

// Close implements [kge.Ranker]; the garbage collector does the work.
func (r *ranker) Close() {}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]kge.Ranked, error) {
	chunks := slices.Collect(slices.Chunk(triples, askedTriples))
	ranks := make([][]kge.Ranked, len(r.models))
	counters := make([]*counter, r.threads)
	for member, m := range r.models {
		ranks[member] = make([]kge.Ranked, len(triples))
		tiles.Parallel(r.threads, len(chunks), func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if counters[worker] == nil {
				counters[worker] = newCounter(m)
			}
			counters[worker].rank(m, chunks[i], known, ranks[member][i*askedTriples:])
		})
	}
	return ranks, ctx.Err()
}

// askedTriples is how many triples are ranked at a time: each is two questions.
const askedTriples = tiles.MostQueries / 2

// counter ranks the triples of a chunk.
type counter struct {
	paths
	between        states
	queries        tiles.Queries
	tile           kernel.Table // scores of a tile of entities
	truth          []float32    // the scores of the true entities of the queries
	answers        kernel.Table // their rows
	above, atLeast []int32
	known          [][]int32 // the known answers of each query, sorted
}

func newCounter(m *model) *counter {
	return &counter{
		paths: newPaths(m), queries: tiles.NewQueries(m.measure, m.dim),
		tile: tiles.NewTable(tiles.Rows, tiles.MostQueries), answers: tiles.NewTable(tiles.MostQueries, m.dim),
		truth: make([]float32, tiles.MostQueries), above: make([]int32, tiles.MostQueries), atLeast: make([]int32, tiles.MostQueries),
		known: make([][]int32, tiles.MostQueries),
	}
}

func (c *counter) rank(m *model, triples []datasets.Triple, known *datasets.Known, ranks []kge.Ranked) {
	n := len(triples)
	c.ask(m, triples)
	c.queries.Transpose()
	c.scoreAnswers(m)
	clear(c.above)
	clear(c.atLeast)
	for i, t := range triples {
		c.known[i], c.known[n+i] = nil, nil
		if known != nil {
			c.known[i], c.known[n+i] = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
		}
		c.known[i], c.known[n+i] = withTruth(c.known[i], t.Tail), withTruth(c.known[n+i], t.Head)
	}
	left := make([]int32, 2*n) // candidates that are no known answer
	for i := range left {
		left[i] = int32(m.entities.Count - len(c.known[i]))
	}
	for i := range m.entities.Tiles() {
		start, count, rows := m.entities.Tile(i)
		c.queries.Scores(m.kernels, c.tile, m.entities.From(start), rows)
		m.kernels.Count(c.tile, count, c.queries.Count, c.truth, c.above, c.atLeast)
		for query := range left {
			c.leaveOutKnown(query, int32(start), int32(start+count))
		}
	}
	rank := func(query int) kge.Rank {
		if math.IsNaN(float64(c.truth[query])) { // comes after all other candidates
			return kge.Rank{Better: left[query]}
		}
		return kge.Rank{Better: c.above[query], Equal: c.atLeast[query] - c.above[query]}
	}
	for i := range triples {
		ranks[i] = kge.Ranked{Tail: rank(i), Head: rank(n + i)}
	}
}

// ask makes a query for each triple's tail, and then one for each head: backward from
// the tail, or forward by the reverse of the relation where there are reverses.
func (c *counter) ask(m *model, triples []datasets.Triple) {
	n := len(triples)
	c.queries.Reset(2 * n)
	tails := c.queries.Rows.From(n * m.stateRows)
	c.reset(m, n, 1)
	put := func(i int, from, relation, to int32) {
		c.put(m, i, &kge.Question{Anchor: from, Path: []int32{relation}})
		c.putTarget(m, i, to)
	}
	for i, t := range triples {
		put(i, t.Head, 2*t.Relation, t.Tail)
		copy(tiles.WholeRow(c.answers, i), m.entities.Row(int(t.Tail)))
		copy(tiles.WholeRow(c.answers, n+i), m.entities.Row(int(t.Head)))
	}
	m.walk(forward, &c.paths, c.queries.Rows, &c.between)
	if !m.reciprocal {
		m.walk(backward, &c.paths, tails, &c.between)
		return
	}
	for i, t := range triples {
		put(i, t.Tail, 2*t.Relation+1, t.Head)
	}
	m.walk(forward, &c.paths, tails, &c.between)
}

// scoreAnswers scores the true entities by the same product as all others, so
// that equal embeddings have equal scores to the bit.
func (c *counter) scoreAnswers(m *model) {
	c.queries.Scores(m.kernels, c.tile, c.answers, c.queries.Count)
	for i := range c.queries.Count {
		c.truth[i] = c.tile.Row(i)[i]
	}
}

// leaveOutKnown takes back what the known answers of a tile were counted for.
func (c *counter) leaveOutKnown(query int, start, end int32) {
	known := c.known[query]
	for len(known) > 0 && known[0] < end {
		score := c.tile.Row(int(known[0] - start))[query]
		if score > c.truth[query] {
			c.above[query]--
		}
		if score >= c.truth[query] {
			c.atLeast[query]--
		}
		known = known[1:]
	}
	c.known[query] = known
}

// withTruth adds the true entity to sorted answers where it is not among them.
func withTruth(known []int32, truth int32) []int32 {
	i, there := slices.BinarySearch(known, truth)
	if there {
		return known
	}
	return slices.Insert(slices.Clone(known), i, truth)
}
