package tiles

import (
	"math"
	"math/bits"

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
	squares []kernel.Squares
	above   []int32 // in the tile
	marks   []kernel.Marks
	pairs   []kernel.Pair // what is marked: rows of the tile and queries
	dots    []float32     // their scores
	rows    kernel.Table  // some rows of the tile
	alike   kernel.Table  // their scores by some queries
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
		ones: ones(MostQueries), squares: make([]kernel.Squares, MostQueries), above: make([]int32, MostQueries), marks: make([]kernel.Marks, Rows),
		dots: make([]float32, mostDoubts), rows: NewTable(kernel.Rows, width), alike: NewTable(kernel.Rows, kernel.Columns),
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
	skip        int // tiles that are for float32, since there were too many doubts before
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
	u.Squares(s.squares, q.Rows, q.Count, width)
	a.longest, a.skip = 0, 0
	for i := range q.Count {
		whole, rounded := norm(s.squares[i].Whole, width), norm(s.squares[i].Rounded, width)
		a.whole[i], a.lost[i] = up(whole), up(norm(s.squares[i].Lost, width))
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
// least as high. leaveOut may set scores to -Inf, which then count for nothing. It is false,
// with nothing added, where the tile is for float32: its numbers are infinite, none or huge,
// or too many scores are near those of true answers.
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
	clear(s.above)
	clear(s.marks)
	reach := kernel.Reach{Whole: a.whole, Lost: a.lost, ByWhole: b.byWhole[start:], ByLost: b.byLost[start:], Least: least(width)}
	u.Sift(s.scores, count, q.Count, a.truth, reach, s.above, s.marks)
	if !s.collect(count) {
		a.skip = skipped
		return false
	}
	for i, n := range s.above[:q.Asked] {
		above[i] += n
		atLeast[i] += n
	}
	u.Dots(s.dots, s.pairs, e.From(start), q.Rows, width)
	if s.settle(a, start, above, atLeast) {
		s.settleAlike(a, start, count, above, atLeast)
	}
	return true
}

// collect turns marks into pairs, unless there are too many.
func (s *Sieve) collect(rows int) bool {
	s.pairs = s.pairs[:0]
	for row := range s.marks[:rows] {
		if s.marks[row] == (kernel.Marks{}) {
			continue
		}
		for i, marked := range s.marks[row] {
			for ; marked != 0; marked &= marked - 1 {
				s.pairs = append(s.pairs, kernel.Pair{Left: int32(row), Right: int32(i*kernel.Columns + bits.TrailingZeros16(marked))})
			}
		}
		if len(s.pairs) > mostDoubts {
			return false
		}
	}
	return true
}

// settle counts the pairs whose scores are certain now, and leaves marks of the others, if
// there are any.
func (s *Sieve) settle(a *Asked, start int, above, atLeast []int32) (left bool) {
	clear(s.marks)
	least := least(a.bounds.of.Stride)
	for i, p := range s.pairs {
		over := s.dots[i] - a.truth[p.Right]
		reach := least + a.bounds.again[start+int(p.Left)]*a.whole[p.Right]
		switch {
		case over > reach:
			above[p.Right]++
			atLeast[p.Right]++
		case !(over < -reach):
			s.marks[p.Left][p.Right/kernel.Columns] |= 1 << (p.Right % kernel.Columns)
			left = true
		}
	}
	return left
}

// settleAlike counts what is marked by the same products as all scores in float32: some
// rows at a time, by the queries beside those that they are marked for.
func (s *Sieve) settleAlike(a *Asked, start, count int, above, atLeast []int32) {
	var rows []int
	for block := range a.queries.Count / kernel.Columns {
		for row := range count {
			if s.marks[row][block] == 0 {
				continue
			}
			copy(WholeRow(s.rows, len(rows)), WholeRow(a.bounds.of.Table, start+row))
			if rows = append(rows, row); len(rows) == kernel.Rows {
				s.settleRows(a, block, rows, above, atLeast)
				rows = rows[:0]
			}
		}
		if len(rows) > 0 {
			s.settleRows(a, block, rows, above, atLeast)
			rows = rows[:0]
		}
	}
}

// settleRows counts what is marked of the rows that were gathered.
func (s *Sieve) settleRows(a *Asked, block int, rows []int, above, atLeast []int32) {
	q, first := a.queries, block*kernel.Columns
	columns := kernel.Table{Data: q.columns.Data[first:], Stride: q.columns.Stride}
	s.kernels.Product(s.alike, s.rows.Data, s.rows.Stride, 1, columns, kernel.Rows, kernel.Columns, q.dim, false)
	for i, row := range rows {
		for marked := s.marks[row][block]; marked != 0; marked &= marked - 1 {
			column := bits.TrailingZeros16(marked)
			query, score := first+column, s.alike.Row(i)[column]
			if score > a.truth[query] {
				above[query]++
			}
			if score >= a.truth[query] {
				atLeast[query]++
			}
		}
	}
}
