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
	precision kge.Precision // for speed; ranks are those of float32
	models    []*model
	among     []tiles.Embeddings  // candidates of each model; nil for all entities
	report    func(share float64) // receives progress; nil without
}

// OnProgress implements progress.Reporter.
func (r *ranker) OnProgress(report func(share float64)) { r.report = report }

// progressOf returns a function to call after each part of the work, which has a number of parts.
func (r *ranker) progressOf(parts int) (done func()) {
	if r.report == nil {
		return func() {}
	}
	var count atomic.Int64
	report := r.report
	return func() { report(float64(count.Add(1)) / float64(parts)) }
}

// NewRanker implements [kge.Engine].
func (e *Engine) NewRanker(models []kge.Parameters, precision kge.Precision) (kge.Ranker, error) {
	if err := kge.CheckSameShape(models); err != nil {
		return nil, err
	}
	if err := checkForm(models[0].Form); err != nil {
		return nil, err
	}
	precision, err := precision.ForRanking(e, models)
	if err != nil {
		return nil, err
	}
	r := &ranker{threads: e.threads, precision: precision}
	for _, p := range models {
		r.models = append(r.models, newModel(e.kernels, e.bf16(precision), p, e.threads))
	}
	return r, nil
}

// Models implements [kge.Ranker].
func (r *ranker) Models() int { return len(r.models) }

// Close implements [kge.Ranker]. It returns the memory of large tables at once.
func (r *ranker) Close() {
	bytes := 0.0
	for _, m := range r.models {
		bytes += float32Bytes * float64(len(m.entities.Data))
	}
	r.models = nil
	memory.CollectGarbage(bytes)
}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	size := r.chunkSize(len(triples))
	chunks := slices.Collect(slices.Chunk(triples, size))
	ranks := make([][]eval.Ranked, len(r.models))
	counters := make([]*counter, r.threads)
	done := r.progressOf(len(r.models) * len(chunks))
	for i, m := range r.models {
		ranks[i] = make([]eval.Ranked, len(triples))
		m.prepare(r.threads)
		var bounds *tiles.ErrorBounds
		if m.entities.Rounded != nil {
			m.entities.Refresh()
			bounds = tiles.NewErrorBounds(m.entities, r.threads)
		}
		tiles.Parallel(r.threads, len(chunks), func(worker, chunk int) {
			if ctx.Err() != nil {
				return
			}
			if counters[worker] == nil {
				counters[worker] = newCounter(m)
			}
			counters[worker].rank(ctx, m, bounds, chunks[chunk], known, ranks[i][chunk*size:])
			done()
		})
	}
	return ranks, ctx.Err()
}

// groupTriples is the number of triples in a group of queries; each triple has two.
const groupTriples = tiles.MaxQueries / 2

// chunkSize returns the number of triples that a thread ranks while a tile of entities is in
// cache. Their queries fit in the second-level cache, and all threads get equally many chunks.
func (r *ranker) chunkSize(triples int) int {
	const minGroups, maxGroups, numbers = 4, 16, 1 << 10
	groups := max(1, (triples+groupTriples-1)/groupTriples)
	perChunk := min(max(minGroups, numbers/r.models[0].dim), maxGroups)
	chunks := kernel.Pad((groups+perChunk-1)/perChunk, r.threads)
	return (groups + chunks - 1) / chunks * groupTriples
}

// counter ranks triples on one thread.
type counter struct {
	paths
	between states
	tile    kernel.Table // scores of a tile of entities
	answers kernel.Table // rows of the true entities
	reader  tiles.TileReader
	groups  []*queryGroup
	bf16    *tiles.Ranker // nil if everything is counted in float32
}

// queryGroup has queries that are scored together. For each it counts the candidates that score
// above the true entity, and at least as high.
type queryGroup struct {
	queries        tiles.Queries
	rounded        *tiles.RankedQueries // nil if everything is counted in float32
	truth          []float32            // scores of the true entities
	above, atLeast []int32
	candidates     []int32   // number of entities that are no known answers
	known          [][]int32 // known answers after the current tile, ascending
	next           []int32   // the first of these; MaxInt32 if there is none
	inTile         []place   // known answers in the current tile
}

// place is the position of a score in a tile: a row of entities and a query.
type place struct{ row, query int32 }

func newCounter(m *model) *counter {
	return &counter{
		paths:   newPaths(m, m.maxQueries(), true),
		tile:    tiles.NewTable(tiles.Rows, tiles.MaxQueries),
		answers: tiles.NewTable(tiles.MaxQueries, m.dim),
	}
}

func newQueryGroup(m *model) *queryGroup {
	counts := func() []int32 { return make([]int32, tiles.MaxQueries) }
	return &queryGroup{
		queries: tiles.NewQueries(m.measure, m.dim), truth: make([]float32, tiles.MaxQueries),
		above: counts(), atLeast: counts(), candidates: counts(),
		known: make([][]int32, tiles.MaxQueries), next: counts(),
	}
}

// rank ranks triples. With bounds it counts in bfloat16 and gets the same ranks as in float32. If ctx
// is cancelled, it returns after the current tile, with no ranks.
func (c *counter) rank(
	ctx context.Context, m *model, bounds *tiles.ErrorBounds, triples []datasets.Triple, known *datasets.Known,
	ranks []eval.Ranked,
) {
	if bounds != nil && c.bf16 == nil {
		c.bf16 = tiles.NewRanker(m.kernels, m.dim)
	}
	chunks := slices.Collect(slices.Chunk(triples, groupTriples))
	for i, chunk := range chunks {
		c.prepare(m, i, bounds, chunk, known)
	}
	groups := c.groups[:len(chunks)]
	for tile := range m.entities.Tiles() {
		if ctx.Err() != nil {
			return
		}
		rows := c.reader.Read(m.entities, tile)
		start := tile * tiles.Rows
		for _, g := range groups {
			g.enterTile(int32(start), int32(start+rows.Count))
			if bounds == nil || !c.bf16.Count(g.rounded, tile, rows, g.exclude, g.above, g.atLeast) {
				c.count(m, g, rows)
			}
		}
	}
	for i, g := range groups {
		if bounds != nil {
			c.bf16.Finish(g.rounded, g.above, g.atLeast)
		}
		n := len(chunks[i])
		for j := range n {
			ranks[i*groupTriples+j] = eval.Ranked{Tail: g.rank(j), Head: g.rank(n + j)}
		}
	}
}

// prepare prepares a group for counting.
func (c *counter) prepare(
	m *model, number int, bounds *tiles.ErrorBounds, triples []datasets.Triple,
	known *datasets.Known,
) {
	if number == len(c.groups) {
		c.groups = append(c.groups, newQueryGroup(m))
	}
	g := c.groups[number]
	c.makeQueries(m, g, triples)
	g.queries.Transpose()
	c.scoreTruth(m, g)
	g.reset(m, triples, known)
	if bounds != nil {
		if g.rounded == nil {
			g.rounded = tiles.NewRankedQueries(&g.queries)
		}
		c.bf16.Prepare(g.rounded, bounds, g.truth)
	}
}

// count counts a tile in float32.
func (c *counter) count(m *model, g *queryGroup, rows tiles.Embeddings) {
	g.queries.Scores(m.kernels, c.tile, rows.Table, kernel.Pad(rows.Count, kernel.Rows))
	m.kernels.Count(c.tile, rows.Count, g.queries.PaddedCount, g.truth, g.above, g.atLeast)
	g.uncountKnown(c.tile)
}

// makeQueries makes a query for each triple's tail, and then one for each head: backward from
// the tail or, with reverses, forward through the reverse of the relation.
func (c *counter) makeQueries(m *model, g *queryGroup, triples []datasets.Triple) {
	n := len(triples)
	g.queries.Reset(2 * n)
	heads := g.queries.Rows.From(n * m.stateRows)
	c.reset(m, n, 1)
	load := func(i int, from, relation, to int32) {
		c.load(m, i, &kge.Question{Anchor: from, Path: []int32{relation}})
		c.loadTarget(m, i, to)
	}
	for i, t := range triples {
		load(i, t.Head, 2*t.Relation, t.Tail)
		copy(tiles.PaddedRow(c.answers, i), tiles.PaddedRow(m.entities.Table, int(t.Tail)))
		copy(tiles.PaddedRow(c.answers, n+i), tiles.PaddedRow(m.entities.Table, int(t.Head)))
	}
	m.walk(forward, &c.paths, g.queries.Rows, &c.between)
	if !m.reciprocal {
		m.walk(backward, &c.paths, heads, &c.between)
		return
	}
	for i, t := range triples {
		load(i, t.Tail, 2*t.Relation+1, t.Head)
	}
	m.walk(forward, &c.paths, heads, &c.between)
}

// scoreTruth scores the true entities with the same product as all others, so that equal
// embeddings have bitwise equal scores.
func (c *counter) scoreTruth(m *model, g *queryGroup) {
	g.queries.Scores(m.kernels, c.tile, c.answers, g.queries.PaddedCount)
	for i := range g.queries.PaddedCount {
		g.truth[i] = c.tile.Row(i)[i]
	}
}

// reset starts to count.
func (g *queryGroup) reset(m *model, triples []datasets.Triple, known *datasets.Known) {
	clear(g.above)
	clear(g.atLeast)
	n := len(triples)
	for i, t := range triples {
		var tails, heads []int32
		if known != nil {
			tails, heads = known.Tails(t.Head, t.Relation), known.Heads(t.Relation, t.Tail)
		}
		g.setKnown(i, withTruth(tails, t.Tail))
		g.setKnown(n+i, withTruth(heads, t.Head))
	}
	for i := range g.queries.Count {
		g.candidates[i] = int32(m.entities.Count - len(g.known[i]))
	}
}

// enterTile finds the known answers in the next tile, which has the entities from start to end.
func (g *queryGroup) enterTile(start, end int32) {
	g.inTile = g.inTile[:0]
	for i, next := range g.next[:g.queries.Count] {
		if next >= end {
			continue
		}
		known := g.known[i]
		for ; len(known) > 0 && known[0] < end; known = known[1:] {
			g.inTile = append(g.inTile, place{known[0] - start, int32(i)})
		}
		g.setKnown(i, known)
	}
}

// setKnown sets the known answers of a query in the tiles still to come.
func (g *queryGroup) setKnown(query int, known []int32) {
	g.known[query], g.next[query] = known, math.MaxInt32
	if len(known) > 0 {
		g.next[query] = known[0]
	}
}

// uncountKnown subtracts the known answers in a tile from the counts.
func (g *queryGroup) uncountKnown(scores kernel.Table) {
	for _, p := range g.inTile {
		score := scores.Row(int(p.row))[p.query]
		if score > g.truth[p.query] {
			g.above[p.query]--
		}
		if score >= g.truth[p.query] {
			g.atLeast[p.query]--
		}
	}
}

// exclude sets the scores of known answers in a tile to -∞, which is never counted.
func (g *queryGroup) exclude(scores kernel.Table) {
	for _, p := range g.inTile {
		scores.Row(int(p.row))[p.query] = float32(math.Inf(-1))
	}
}

// rank returns the rank of the true entity of a query. A NaN score comes after all candidates.
func (g *queryGroup) rank(query int) eval.Rank {
	if math.IsNaN(float64(g.truth[query])) {
		return eval.Rank{Better: g.candidates[query]}
	}
	return eval.Rank{Better: g.above[query], Equal: g.atLeast[query] - g.above[query]}
}

// withTruth returns ascending known answers with the true entity.
func withTruth(known []int32, truth int32) []int32 {
	i, found := slices.BinarySearch(known, truth)
	if found {
		return known
	}
	return slices.Insert(slices.Clone(known), i, truth)
}
