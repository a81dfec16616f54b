package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Ranker is what a thread needs to count the scores of a tile of rounded embeddings above
// those of true answers, as they are in float32, to the bit. It multiplies in bfloat16,
// counts what is above by more than [ErrorBounds] allow for, computes in float32 what is nearer,
// in the order of sums that is fast, and what is still too near as all scores are computed.
type Ranker struct {
	kernels     *kernel.Set
	scores      kernel.Table // of a tile
	left        kernel.Tiles // queries, while they are rounded
	ones        []float32
	squares     []kernel.SquaredNorms
	counts      []int32 // of what is not above in the tile
	marks       kernel.Marks
	uncertain   []kernel.Position // rows of the tile and queries
	blockRows   kernel.Table      // some rows of the tile
	blockScores kernel.Table      // their scores by some queries
}

const (
	// maxUncertain is how many scores of a tile are computed one by one at most: beyond, it is
	// as fast to compute all in float32.
	maxUncertain = Rows * MaxQueries / 8
	// skippedTiles is how many tiles are for float32 after one with more.
	skippedTiles = 3
)

// NewRanker is for rows and queries of d numbers.
func NewRanker(k *kernel.Set, dim int) *Ranker {
	width := kernel.Pad(dim, kernel.Columns)
	return &Ranker{
		kernels: k, scores: NewTable(Rows, MaxQueries), left: kernel.NewTiles(unitBands, steps(width)),
		ones: ones(MaxQueries), squares: make([]kernel.SquaredNorms, MaxQueries), counts: make([]int32, MaxQueries), marks: kernel.NewMarks(Rows),
		blockRows: NewTable(kernel.Rows, width), blockScores: NewTable(kernel.Rows, kernel.Columns),
	}
}

// RankedQueries are queries as factors of products in bfloat16, with the scores in float32 of their
// true answers.
type RankedQueries struct {
	queries           *Queries
	bounds            *ErrorBounds // of what they ask for
	right             kernel.Tiles
	truth             []float32 // of padding infinite, so that nothing is near
	norms, errorNorms []float32 // norms
	maxNorm           float64
	pending           [MaxQueries / kernel.Columns]pending
	skip              int // tiles that are for float32, since there were too many doubts before
}

// pending are places that are to be computed as all scores are in float32, for some queries
// beside each other: with the entities that are the rows.
type pending struct {
	entities  []int32
	positions []kernel.Position
}

// NewRankedQueries has room for what there is room for in queries.
func NewRankedQueries(q *Queries) *RankedQueries {
	ofQueries := func() []float32 { return make([]float32, MaxQueries) }
	return &RankedQueries{queries: q, right: kernel.NewTiles(unitBands, steps(q.Rows.Stride)), truth: ofQueries(), norms: ofQueries(), errorNorms: ofQueries()}
}

// Prepare readies transposed queries of rounded embeddings and the scores of their true answers.
// Where these are infinite or not a number, all tiles are for float32.
func (s *Ranker) Prepare(a *RankedQueries, b *ErrorBounds, truth []float32) {
	q, u := a.queries, b.embeddings.Rounded.Unit
	width := q.Rows.Stride
	a.bounds = b
	u.SquaredNorms(s.squares, q.Rows, q.PaddedCount, width)
	a.maxNorm, a.skip = 0, 0
	for i := range q.PaddedCount {
		whole, rounded := upperNorm(s.squares[i].Exact, width), upperNorm(s.squares[i].Rounded, width)
		a.norms[i], a.errorNorms[i] = roundUp(whole), roundUp(upperNorm(s.squares[i].Error, width))
		a.maxNorm = max(a.maxNorm, whole, rounded)
		a.truth[i] = float32(math.Inf(1))
		if i < q.Count {
			a.truth[i] = truth[i]
			a.maxNorm = max(a.maxNorm, 0*float64(truth[i])) // which is not a number
		}
	}
	u.Round(s.left, q.Rows, q.PaddedCount, width, s.ones)
	u.Right(a.right, s.left, q.PaddedCount/kernel.Band, steps(width))
}

// Count adds how many scores of a tile are above those of the true answers, and how many at
// least as high, of which a few are added in a later call or in Finish. leaveOut may set scores
// to -Inf, which then count for nothing. It is false, with nothing added, where the tile is for
// float32: its numbers are infinite, none or huge, or too many scores are near those of true
// answers.
func (s *Ranker) Count(a *RankedQueries, tile int, leaveOut func(scores kernel.Table), above, atLeast []int32) bool {
	b := a.bounds
	e, q := b.embeddings, a.queries
	if !(b.maxNorms[tile]*a.maxNorm < maxNormProduct) {
		return false
	}
	if a.skip > 0 {
		a.skip--
		return false
	}
	start, count, _ := e.Tile(tile)
	u, width := e.Rounded.Unit, e.Stride
	u.Multiply(s.scores, e.Rounded.tile(tile), a.right, kernel.Pad(count, 2*kernel.Band), q.PaddedCount, steps(width)*kernel.TileInner, false)
	leaveOut(s.scores)
	clear(s.counts)
	first := start / kernel.BoundRows
	reach := kernel.ErrorBound{ColumnNorm: a.norms, ColumnError: a.errorNorms, RowPerNorm: b.rowPerNorm[first:], RowPerError: b.rowPerError[first:], Floor: absoluteError(width)}
	u.CountNotAbove(s.scores, count, q.PaddedCount, a.truth, reach, s.counts, s.marks)
	if s.uncertain = u.Positions(s.marks, s.uncertain); len(s.uncertain) > maxUncertain {
		a.skip = skippedTiles
		return false
	}
	near := u.Recheck(s.uncertain, e.From(start), q.Rows, width, a.truth, a.norms, b.recheckPerNorm[start:], absoluteError(width), s.counts)
	for i, n := range s.counts[:q.Count] {
		above[i] += int32(count) - n
		atLeast[i] += int32(count) - n
	}
	s.enqueue(a, near, start, above, atLeast)
	return true
}

// enqueue keeps places until the same queries have some.
func (s *Ranker) enqueue(a *RankedQueries, near []kernel.Position, start int, above, atLeast []int32) {
	for _, p := range near {
		block, entity := p.Column()/kernel.Columns, int32(start+p.Row())
		w := &a.pending[block]
		if n := len(w.entities); n == 0 || w.entities[n-1] != entity {
			if n == kernel.Rows {
				s.flush(a, block, above, atLeast)
			}
			w.entities = append(w.entities, entity)
		}
		w.positions = append(w.positions, kernel.NewPosition(len(w.entities)-1, p.Column()))
	}
}

// Finish counts what waits for more after the last tile.
func (s *Ranker) Finish(a *RankedQueries, above, atLeast []int32) {
	for block := range a.pending {
		if len(a.pending[block].entities) > 0 {
			s.flush(a, block, above, atLeast)
		}
	}
}

// flush counts what has waited, by the same products as all scores in float32.
func (s *Ranker) flush(a *RankedQueries, block int, above, atLeast []int32) {
	w, q, first := &a.pending[block], a.queries, block*kernel.Columns
	for i, entity := range w.entities {
		copy(PaddedRow(s.blockRows, i), PaddedRow(a.bounds.embeddings.Table, int(entity)))
	}
	columns := kernel.Table{Data: q.columns.Data[first:], Stride: q.columns.Stride}
	s.kernels.Product(s.blockScores, s.blockRows.Data, s.blockRows.Stride, 1, columns, kernel.Rows, kernel.Columns, q.dim, false)
	for _, p := range w.positions {
		query := p.Column()
		score := s.blockScores.Row(p.Row())[query-first]
		if score > a.truth[query] {
			above[query]++
		}
		if score >= a.truth[query] {
			atLeast[query]++
		}
	}
	w.entities, w.positions = w.entities[:0], w.positions[:0]
}
