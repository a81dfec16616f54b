package cpu

import (
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/datasets"
)

// ranker holds models of one shape.
type ranker struct {
	threads int
	models  []*model
}

// NewRanker implements [completion.Engine].
func (e *Engine) NewRanker(parameters []completion.Parameters) (completion.Ranker, error) {
	if err := completion.OneShape(parameters); err != nil {
		return nil, err
	}
	r := &ranker{threads: e.threads}
	for _, p := range parameters {
		r.models = append(r.models, newModel(e.kernels, p))
	}
	return r, nil
}

// Close implements [completion.Ranker]; the garbage collector does the work.
func (r *ranker) Close() {}

// Rank implements [completion.Ranker].
func (r *ranker) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]completion.Ranked, error) {
	chunks := slices.Collect(slices.Chunk(triples, unitTriples))
	ranks := make([][]completion.Ranked, len(r.models))
	counters := make([]*counter, r.threads)
	for member, m := range r.models {
		ranks[member] = make([]completion.Ranked, len(triples))
		tiles.Parallel(r.threads, len(chunks), func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if counters[worker] == nil {
				counters[worker] = newCounter(m)
			}
			counters[worker].rank(m, chunks[i], known, ranks[member][i*unitTriples:])
		})
	}
	return ranks, ctx.Err()
}

// counter ranks the triples of a unit.
type counter struct {
	lookup
	queries        tiles.Queries
	tile           kernel.Table // scores of a tile of entities
	answers        kernel.Table // the true entities of the queries
	truth          []float32    // their scores
	above, atLeast []int32
	known          [][]int32 // the known answers of each query, sorted
}

func newCounter(m *model) *counter {
	return &counter{
		lookup: newLookup(m), queries: tiles.NewQueries(m.dim),
		tile: tiles.NewTable(tiles.Rows, tiles.MostQueries), answers: tiles.NewTable(tiles.MostQueries, m.dim),
		truth: make([]float32, tiles.MostQueries), above: make([]int32, tiles.MostQueries), atLeast: make([]int32, tiles.MostQueries),
		known: make([][]int32, tiles.MostQueries),
	}
}

func (c *counter) rank(m *model, triples []datasets.Triple, known *datasets.Known, ranks []completion.Ranked) {
	n := len(triples)
	c.fetch(m, triples)
	c.ask(m, &c.queries)
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
	rank := func(query int) completion.Rank {
		if math.IsNaN(float64(c.truth[query])) { // comes after all other candidates
			return completion.Rank{Better: left[query]}
		}
		return completion.Rank{Better: c.above[query], Equal: c.atLeast[query] - c.above[query]}
	}
	for i := range triples {
		ranks[i] = completion.Ranked{Tail: rank(i), Head: rank(n + i)}
	}
}

// scoreAnswers scores the true entities by the same product as all others, so
// that equal embeddings have equal scores to the bit.
func (c *counter) scoreAnswers(m *model) {
	for i := range c.queries.Asked {
		copy(tiles.WholeRow(c.answers, i), c.answer(i))
	}
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
