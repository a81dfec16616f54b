package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Sieve is what a thread needs to count the scores of a tile of rounded embeddings above
// those of true answers, as they are in float32, to the bit. It multiplies in bfloat16,
// counts what is above by more than [Bounds] allow for, computes in float32 what is nearer,
// in the order of sums that is fast, and what is still too near as all scores are computed.
type Sieve struct {
	kernels *kernel.Set
	scores  kernel.Table // of a tile
	left    kernel.Tiles // queries, while they are rounded
	ones    []float32
	squares []kernel.SquaredNorms
	counts  []int32 // of what is not above in the tile
	marks   kernel.Marks
	near    []kernel.Position // rows of the tile and queries
	rows    kernel.Table      // some rows of the tile
	alike   kernel.Table      // their scores by some queries
}

const (
	// mostDoubts is how many scores of a tile are computed one by one at most: beyond, it is
	// as fast to compute all in float32.
	mostDoubts = Rows * MostQueries / 8
	// skipped is how many tiles are for float32 after one with more.
	skipped = 3
)

// NewSieve is for rows and queries of d numbers.
func NewSieve(k *kernel.Set, dim int) *Sieve {
	width := kernel.Pad(dim, kernel.Columns)
	return &Sieve{
		kernels: k, scores: NewTable(Rows, MostQueries), left: kernel.NewTiles(bandsOfUnit, steps(width)),
		ones: ones(MostQueries), squares: make([]kernel.SquaredNorms, MostQueries), counts: make([]int32, MostQueries), marks: kernel.NewMarks(Rows),
		rows: NewTable(kernel.Rows, width), alike: NewTable(kernel.Rows, kernel.Columns),
	}
}

// Asked are queries as factors of products in bfloat16, with the scores in float32 of their
// true answers.
type Asked struct {
	queries     *Queries
	bounds      *Bounds // of what they ask for
	right       kernel.Tiles
	truth       []float32 // of padding infinite, so that nothing is near
	whole, lost []float32 // norms
	longest     float64
	waiting     [MostQueries / kernel.Columns]waiting
	skip        int // tiles that are for float32, since there were too many doubts before
}

// waiting are places that are to be computed as all scores are in float32, for some queries
// beside each other: with the entities that are the rows.
type waiting struct {
	entities []int32
	places   []kernel.Position
}

// NewAsked has room for what there is room for in queries.
func NewAsked(q *Queries) *Asked {
	ofQueries := func() []float32 { return make([]float32, MostQueries) }
	return &Asked{queries: q, right: kernel.NewTiles(bandsOfUnit, steps(q.Rows.Stride)), truth: ofQueries(), whole: ofQueries(), lost: ofQueries()}
}

// Ask readies transposed queries of rounded embeddings and the scores of their true answers.
// Where these are infinite or not a number, all tiles are for float32.
func (s *Sieve) Ask(a *Asked, b *Bounds, truth []float32) {
	q, u := a.queries, b.of.Rounded.Unit
	width := q.Rows.Stride
	a.bounds = b
	u.SquaredNorms(s.squares, q.Rows, q.Count, width)
	a.longest, a.skip = 0, 0
	for i := range q.Count {
		whole, rounded := norm(s.squares[i].Exact, width), norm(s.squares[i].Rounded, width)
		a.whole[i], a.lost[i] = up(whole), up(norm(s.squares[i].Error, width))
		a.longest = max(a.longest, whole, rounded)
		a.truth[i] = float32(math.Inf(1))
		if i < q.Asked {
			a.truth[i] = truth[i]
			a.longest = max(a.longest, 0*float64(truth[i])) // which is not a number
		}
	}
	u.Round(s.left, q.Rows, q.Count, width, s.ones)
	u.Right(a.right, s.left, q.Count/kernel.Band, steps(width))
}

// Count adds how many scores of a tile are above those of the true answers, and how many at
// least as high, of which a few are added in a later call or in Finish. leaveOut may set scores
// to -Inf, which then count for nothing. It is false, with nothing added, where the tile is for
// float32: its numbers are infinite, none or huge, or too many scores are near those of true
// answers.
func (s *Sieve) Count(a *Asked, tile int, leaveOut func(scores kernel.Table), above, atLeast []int32) bool {
	b := a.bounds
	e, q := b.of, a.queries
	if !(b.longest[tile]*a.longest < mostProduct) {
		return false
	}
	if a.skip > 0 {
		a.skip--
		return false
	}
	start, count, _ := e.Tile(tile)
	u, width := e.Rounded.Unit, e.Stride
	u.Multiply(s.scores, e.Rounded.tile(tile), a.right, kernel.Pad(count, 2*kernel.Band), q.Count, steps(width)*kernel.TileInner, false)
	leaveOut(s.scores)
	clear(s.counts)
	first := start / kernel.BoundRows
	reach := kernel.ErrorBound{ColumnNorm: a.whole, ColumnError: a.lost, RowPerNorm: b.byWhole[first:], RowPerError: b.byLost[first:], Floor: least(width)}
	u.CountNotAbove(s.scores, count, q.Count, a.truth, reach, s.counts, s.marks)
	if s.near = u.Positions(s.marks, s.near); len(s.near) > mostDoubts {
		a.skip = skipped
		return false
	}
	near := u.Recheck(s.near, e.From(start), q.Rows, width, a.truth, a.whole, b.again[start:], least(width), s.counts)
	for i, n := range s.counts[:q.Asked] {
		above[i] += int32(count) - n
		atLeast[i] += int32(count) - n
	}
	s.wait(a, near, start, above, atLeast)
	return true
}

// wait keeps places until the same queries have some.
func (s *Sieve) wait(a *Asked, near []kernel.Position, start int, above, atLeast []int32) {
	for _, p := range near {
		block, entity := p.Column()/kernel.Columns, int32(start+p.Row())
		w := &a.waiting[block]
		if n := len(w.entities); n == 0 || w.entities[n-1] != entity {
			if n == kernel.Rows {
				s.settle(a, block, above, atLeast)
			}
			w.entities = append(w.entities, entity)
		}
		w.places = append(w.places, kernel.NewPosition(len(w.entities)-1, p.Column()))
	}
}

// Finish counts what waits for more after the last tile.
func (s *Sieve) Finish(a *Asked, above, atLeast []int32) {
	for block := range a.waiting {
		if len(a.waiting[block].entities) > 0 {
			s.settle(a, block, above, atLeast)
		}
	}
}

// settle counts what has waited, by the same products as all scores in float32.
func (s *Sieve) settle(a *Asked, block int, above, atLeast []int32) {
	w, q, first := &a.waiting[block], a.queries, block*kernel.Columns
	for i, entity := range w.entities {
		copy(WholeRow(s.rows, i), WholeRow(a.bounds.of.Table, int(entity)))
	}
	columns := kernel.Table{Data: q.columns.Data[first:], Stride: q.columns.Stride}
	s.kernels.Product(s.alike, s.rows.Data, s.rows.Stride, 1, columns, kernel.Rows, kernel.Columns, q.dim, false)
	for _, p := range w.places {
		query := p.Column()
		score := s.alike.Row(p.Row())[query-first]
		if score > a.truth[query] {
			above[query]++
		}
		if score >= a.truth[query] {
			atLeast[query]++
		}
	}
	w.entities, w.places = w.entities[:0], w.places[:0]
}
