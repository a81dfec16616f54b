package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Ranker is a thread's scratch buffer for counting the scores of a tile that exceed those of
// the true answers. The counts are exactly those of float32 scores. The ranker multiplies in
// bfloat16 and counts the scores that [ErrorBounds] makes certain. It computes the uncertain
// ones in float32, with a fast order of sums. Those that are still uncertain are computed by
// the same kernel as all float32 scores.
type Ranker struct {
	kernels     *kernel.Set
	scores      kernel.Table // of a tile
	queryBands  kernel.Tiles // queries as a left factor
	ones        []float32
	squares     []kernel.SquaredNorms
	notAbove    []int32 // counts in the tile
	marks       kernel.Marks
	uncertain   []kernel.Position // rows of the tile and queries
	blockRows   kernel.Table      // gathered rows of pending positions
	blockScores kernel.Table      // their scores for a block of queries
}

const (
	// maxUncertain limits the scores of a tile that are computed one by one. Beyond it,
	// computing all of them in float32 is as fast.
	maxUncertain = Rows * MaxQueries / 8
	// skippedTiles is the number of tiles left to float32 after a tile with more.
	skippedTiles = 3
)

// NewRanker allocates a ranker for rows and queries of dimension dim.
func NewRanker(k *kernel.Set, dim int) *Ranker {
	width := kernel.Pad(dim, kernel.Columns)
	return &Ranker{
		kernels:     k,
		scores:      NewTable(Rows, MaxQueries),
		queryBands:  kernel.NewTiles(unitBands, steps(width)),
		ones:        ones(MaxQueries),
		squares:     make([]kernel.SquaredNorms, MaxQueries),
		notAbove:    make([]int32, MaxQueries),
		marks:       kernel.NewMarks(Rows),
		blockRows:   NewTable(kernel.Rows, width),
		blockScores: NewTable(kernel.Rows, kernel.Columns),
	}
}

// RankedQueries holds queries as factors of bfloat16 products, and the float32 scores of their
// true answers.
type RankedQueries struct {
	queries           *Queries
	bounds            *ErrorBounds // of the candidates
	factor            kernel.Tiles // queries as a right factor
	truth             []float32    // scores of true answers; infinite for padding
	norms, errorNorms []float32
	maxNorm           float64
	pending           [MaxQueries / kernel.Columns]pending
	skip              int // tiles to leave to float32
}

// pending holds positions to compute with the float32 kernel, for a block of neighbouring
// queries. A position's row indexes entities.
type pending struct {
	entities  []int32
	positions []kernel.Position
}

// NewRankedQueries allocates space for the queries that fit in q.
func NewRankedQueries(q *Queries) *RankedQueries {
	floats := func() []float32 { return make([]float32, MaxQueries) }
	return &RankedQueries{
		queries:    q,
		factor:     kernel.NewTiles(unitBands, steps(q.Rows.Stride)),
		truth:      floats(),
		norms:      floats(),
		errorNorms: floats(),
	}
}

// Prepare packs transposed queries and stores the scores of their true answers. If one of these
// is infinite or NaN, Count leaves all tiles to float32.
func (r *Ranker) Prepare(a *RankedQueries, b *ErrorBounds, truth []float32) {
	q, k := a.queries, b.embeddings.Rounded.Kernels
	width := q.Rows.Stride
	a.bounds = b
	k.SquaredNorms(r.squares, q.Rows, q.PaddedCount, width)
	a.maxNorm, a.skip = 0, 0
	for i := range q.PaddedCount {
		exact, rounded := upperNorm(r.squares[i].Exact, width), upperNorm(r.squares[i].Rounded, width)
		a.norms[i], a.errorNorms[i] = roundUp(exact), roundUp(upperNorm(r.squares[i].Error, width))
		a.maxNorm = max(a.maxNorm, exact, rounded)
		a.truth[i] = float32(math.Inf(1))
		if i < q.Count {
			a.truth[i] = truth[i]
			a.maxNorm = max(a.maxNorm, 0*float64(truth[i])) // NaN if truth is not finite
		}
	}
	k.Round(r.queryBands, q.Rows, q.PaddedCount, width, r.ones)
	k.Right(a.factor, r.queryBands, q.PaddedCount/kernel.Band, steps(width))
}

// Count adds the numbers of scores of the rows of a tile that are above those of the true answers, and at
// least as high. A few of them are added by a later call or by Finish. exclude may set scores
// to -Inf, which are not counted. Count returns false and adds nothing if the tile needs
// float32: its numbers are not finite or huge, or too many scores are uncertain.
func (r *Ranker) Count(a *RankedQueries, tile int, rows Embeddings,
	exclude func(scores kernel.Table), above, atLeast []int32) bool {
	b, q := a.bounds, a.queries
	if !(b.maxNorms[tile]*a.maxNorm < maxNormProduct) {
		return false
	}
	if a.skip > 0 {
		a.skip--
		return false
	}
	start, count := tile*Rows, rows.Count
	k, width := rows.Rounded.Kernels, rows.Stride
	k.Multiply(r.scores, rows.Rounded.bands, a.factor, kernel.Pad(count, 2*kernel.Band),
		q.PaddedCount, steps(width)*kernel.TileInner, false)
	exclude(r.scores)
	clear(r.notAbove)
	group := start / kernel.BoundRows
	bound := kernel.ErrorBound{
		ColumnNorm:  a.norms,
		ColumnError: a.errorNorms,
		RowPerNorm:  b.rowPerNorm[group:],
		RowPerError: b.rowPerError[group:],
		Floor:       absoluteError(width),
	}
	k.CountNotAbove(r.scores, count, q.PaddedCount, a.truth, bound, r.notAbove, r.marks)
	if r.uncertain = k.Positions(r.marks, r.uncertain); len(r.uncertain) > maxUncertain {
		a.skip = skippedTiles
		return false
	}
	uncertain := k.Recheck(r.uncertain, rows.Table, q.Rows, width, a.truth, a.norms,
		b.recheckPerNorm[start:], absoluteError(width), r.notAbove)
	for i, n := range r.notAbove[:q.Count] {
		above[i] += int32(count) - n
		atLeast[i] += int32(count) - n
	}
	r.enqueue(a, uncertain, start, above, atLeast)
	return true
}

// enqueue collects positions until a block of queries has enough for a product.
func (r *Ranker) enqueue(a *RankedQueries, uncertain []kernel.Position, start int,
	above, atLeast []int32) {
	for _, p := range uncertain {
		block, entity := p.Column()/kernel.Columns, int32(start+p.Row())
		w := &a.pending[block]
		if n := len(w.entities); n == 0 || w.entities[n-1] != entity {
			if n == kernel.Rows {
				r.flush(a, block, above, atLeast)
			}
			w.entities = append(w.entities, entity)
		}
		w.positions = append(w.positions, kernel.NewPosition(len(w.entities)-1, p.Column()))
	}
}

// Finish counts the pending positions after the last tile.
func (r *Ranker) Finish(a *RankedQueries, above, atLeast []int32) {
	for block := range a.pending {
		if len(a.pending[block].entities) > 0 {
			r.flush(a, block, above, atLeast)
		}
	}
}

// flush counts the pending positions of a block with the kernel of all float32 scores.
func (r *Ranker) flush(a *RankedQueries, block int, above, atLeast []int32) {
	w, q, first := &a.pending[block], a.queries, block*kernel.Columns
	for i, entity := range w.entities {
		copy(PaddedRow(r.blockRows, i), PaddedRow(a.bounds.embeddings.Table, int(entity)))
	}
	columns := kernel.Table{Data: q.columns.Data[first:], Stride: q.columns.Stride}
	r.kernels.Product(r.blockScores, r.blockRows.Data, r.blockRows.Stride, 1, columns,
		kernel.Rows, kernel.Columns, q.dim, false)
	for _, p := range w.positions {
		query := p.Column()
		score := r.blockScores.Row(p.Row())[query-first]
		if score > a.truth[query] {
			above[query]++
		}
		if score >= a.truth[query] {
			atLeast[query]++
		}
	}
	w.entities, w.positions = w.entities[:0], w.positions[:0]
}
