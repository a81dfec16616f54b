package cpu

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// ranker holds models of one shape.
type ranker struct {
	threads   int
	precision kge.Precision // of what is counted fast; the counts are those of float32
	models    []*model
	tell      func(share float64) // how far it is; nil where nobody listens
}

// OnProgress implements [progress.Reporter].
func (r *ranker) OnProgress(tell func(share float64)) { r.tell = tell }

// doing tells of each part of so many that is over.
func (r *ranker) doing(parts int) (over func()) {
	if r.tell == nil {
		return func() {}
	}
	var done atomic.Int64
	tell := r.tell
	return func() { tell(float64(done.Add(1)) / float64(parts)) }
}

// NewRanker implements [kge.Engine].
func (e *Engine) NewRanker(parameters []kge.Parameters, precision kge.Precision) (kge.Ranker, error) {
	if err := kge.CheckSameShape(parameters); err != nil {
		return nil, err
	}
	if err := checkForm(parameters[0].Form); err != nil {
		return nil, err
	}
	precision, err := precision.ForRanking(e, parameters)
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

// Close implements [kge.Ranker]. Large tables make room at once for those of the next.
func (r *ranker) Close() {
	bytes := 0.0
	for _, m := range r.models {
		bytes += float * float64(len(m.entities.Data))
	}
	r.models = nil
	memory.CollectGarbage(bytes)
}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]eval.Ranked, error) {
	atATime := r.atATime(len(triples))
	chunks := slices.Collect(slices.Chunk(triples, atATime))
	ranks := make([][]eval.Ranked, len(r.models))
	counters := make([]*counter, r.threads)
	over := r.doing(len(r.models) * len(chunks))
	for member, m := range r.models {
		ranks[member] = make([]eval.Ranked, len(triples))
		var bounds *tiles.ErrorBounds
		if m.entities.Rounded != nil {
			bounds = tiles.NewErrorBounds(m.entities, r.threads)
		}
		tiles.Parallel(r.threads, len(chunks), func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if counters[worker] == nil {
				counters[worker] = newCounter(m)
			}
			counters[worker].rank(m, bounds, chunks[i], known, ranks[member][i*atATime:])
			over()
		})
	}
	return ranks, ctx.Err()
}

// askedTriples is how many triples are asked for together: each is two questions.
const askedTriples = tiles.MaxQueries / 2

// atATime is how many triples are ranked while a tile of entities is in cache: as many as
// the second cache holds the queries of, and as many for each thread.
func (r *ranker) atATime(triples int) int {
	const least, most, numbers = 4, 16, 1 << 10
	chunks := max(1, (triples+askedTriples-1)/askedTriples)
	together := min(max(least, numbers/r.models[0].dim), most)
	parts := kernel.Pad((chunks+together-1)/together, r.threads)
	return (chunks + parts - 1) / parts * askedTriples
}

// counter ranks some triples at a time.
type counter struct {
	paths
	between states
	tile    kernel.Table // scores of a tile of entities
	answers kernel.Table // the rows of true entities
	asked   []*asked
	sieve   *tiles.Ranker // nil where all is counted in float32
}

// asked are questions that are asked together, and how many candidates are above and at
// least at the true answer of each.
type asked struct {
	queries        tiles.Queries
	rounded        *tiles.RankedQueries // nil where all is counted in float32
	truth          []float32            // the scores of the true entities of the queries
	above, atLeast []int32
	left           []int32   // how many candidates are no known answers
	known          [][]int32 // the known answers from the tile on, sorted
	next           []int32   // the first of these
	here           []place   // those in the tile
}

// place is a row of a tile of entities, and a query.
type place struct{ row, query int32 }

func newCounter(m *model) *counter {
	return &counter{
		paths: newPaths(m, m.mostQueries(), true), tile: tiles.NewTable(tiles.Rows, tiles.MaxQueries), answers: tiles.NewTable(tiles.MaxQueries, m.dim),
	}
}

func newAsked(m *model) *asked {
	ofQueries := func() []int32 { return make([]int32, tiles.MaxQueries) }
	return &asked{
		queries: tiles.NewQueries(m.measure, m.dim), truth: make([]float32, tiles.MaxQueries), above: ofQueries(), atLeast: ofQueries(),
		left: ofQueries(), known: make([][]int32, tiles.MaxQueries), next: ofQueries(),
	}
}

// rank ranks triples: in float32, or by bounds to the same counts.
func (c *counter) rank(m *model, bounds *tiles.ErrorBounds, triples []datasets.Triple, known *datasets.Known, ranks []eval.Ranked) {
	if bounds != nil && c.sieve == nil {
		c.sieve = tiles.NewRanker(m.kernels, m.dim)
	}
	chunks := slices.Collect(slices.Chunk(triples, askedTriples))
	for i, chunk := range chunks {
		if i == len(c.asked) {
			c.asked = append(c.asked, newAsked(m))
		}
		a := c.asked[i]
		c.ask(m, a, chunk)
		a.queries.Transpose()
		c.scoreAnswers(m, a)
		a.reset(m, chunk, known)
		if bounds != nil {
			if a.rounded == nil {
				a.rounded = tiles.NewRankedQueries(&a.queries)
			}
			c.sieve.Prepare(a.rounded, bounds, a.truth)
		}
	}
	for tile := range m.entities.Tiles() {
		for _, a := range c.asked[:len(chunks)] {
			start, count, _ := m.entities.Tile(tile)
			a.enter(int32(start), int32(start+count))
			if bounds == nil || !c.sieve.Count(a.rounded, tile, a.leaveOut, a.above, a.atLeast) {
				c.count(m, a, tile)
			}
		}
	}
	for i, chunk := range chunks {
		if bounds != nil {
			c.sieve.Finish(c.asked[i].rounded, c.asked[i].above, c.asked[i].atLeast)
		}
		for j := range chunk {
			ranks[i*askedTriples+j] = eval.Ranked{Tail: c.asked[i].rank(j), Head: c.asked[i].rank(len(chunk) + j)}
		}
	}
}

// count counts a tile in float32.
func (c *counter) count(m *model, a *asked, tile int) {
	start, count, rows := m.entities.Tile(tile)
	a.queries.Scores(m.kernels, c.tile, m.entities.From(start), rows)
	m.kernels.Count(c.tile, count, a.queries.PaddedCount, a.truth, a.above, a.atLeast)
	a.takeBack(c.tile)
}

// ask makes a query for each triple's tail, and then one for each head: backward from
// the tail, or forward by the reverse of the relation where there are reverses.
func (c *counter) ask(m *model, a *asked, triples []datasets.Triple) {
	n := len(triples)
	a.queries.Reset(2 * n)
	tails := a.queries.Rows.From(n * m.stateRows)
	c.reset(m, n, 1)
	put := func(i int, from, relation, to int32) {
		c.put(m, i, &kge.Question{Anchor: from, Path: []int32{relation}})
		c.putTarget(m, i, to)
	}
	for i, t := range triples {
		put(i, t.Head, 2*t.Relation, t.Tail)
		copy(tiles.PaddedRow(c.answers, i), m.entities.Row(int(t.Tail)))
		copy(tiles.PaddedRow(c.answers, n+i), m.entities.Row(int(t.Head)))
	}
	m.walk(forward, &c.paths, a.queries.Rows, &c.between)
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
func (c *counter) scoreAnswers(m *model, a *asked) {
	a.queries.Scores(m.kernels, c.tile, c.answers, a.queries.PaddedCount)
	for i := range a.queries.PaddedCount {
		a.truth[i] = c.tile.Row(i)[i]
	}
}

// reset begins to count.
func (a *asked) reset(m *model, triples []datasets.Triple, known *datasets.Known) {
	clear(a.above)
	clear(a.atLeast)
	n := len(triples)
	for i, t := range triples {
		var tails, heads []int32
		if known != nil {
			tails, heads = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
		}
		a.keep(i, withTruth(tails, t.Tail))
		a.keep(n+i, withTruth(heads, t.Head))
	}
	for i := range a.queries.Count {
		a.left[i] = int32(m.entities.Count - len(a.known[i]))
	}
}

// enter goes on to the tile of some entities.
func (a *asked) enter(start, end int32) {
	a.here = a.here[:0]
	for i, next := range a.next[:a.queries.Count] {
		if next >= end {
			continue
		}
		known := a.known[i]
		for ; len(known) > 0 && known[0] < end; known = known[1:] {
			a.here = append(a.here, place{known[0] - start, int32(i)})
		}
		a.keep(i, known)
	}
}

// keep remembers the known answers of a query that are still to come.
func (a *asked) keep(query int, known []int32) {
	a.known[query], a.next[query] = known, math.MaxInt32
	if len(known) > 0 {
		a.next[query] = known[0]
	}
}

// takeBack takes back what the known answers of a tile were counted for.
func (a *asked) takeBack(scores kernel.Table) {
	for _, p := range a.here {
		score := scores.Row(int(p.row))[p.query]
		if score > a.truth[p.query] {
			a.above[p.query]--
		}
		if score >= a.truth[p.query] {
			a.atLeast[p.query]--
		}
	}
}

// leaveOut lets the known answers of a tile be counted for nothing.
func (a *asked) leaveOut(scores kernel.Table) {
	for _, p := range a.here {
		scores.Row(int(p.row))[p.query] = float32(math.Inf(-1))
	}
}

// rank is that of the true answer of a query.
func (a *asked) rank(query int) eval.Rank {
	if math.IsNaN(float64(a.truth[query])) { // comes after all other candidates
		return eval.Rank{Better: a.left[query]}
	}
	return eval.Rank{Better: a.above[query], Equal: a.atLeast[query] - a.above[query]}
}

// withTruth adds the true entity to sorted answers where it is not among them.
func withTruth(known []int32, truth int32) []int32 {
	i, there := slices.BinarySearch(known, truth)
	if there {
		return known
	}
	return slices.Insert(slices.Clone(known), i, truth)
}
