package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// roundedExponentials are kept in bfloat16, as the left factor of the gradient by the rows
// along the queries of all units.
type roundedExponentials struct {
	bands kernel.Tiles // of entities: exp(score - largest)
	right kernel.Tiles // of coordinates: the queries by their weights over their sums
}

const (
	// MaxRoundedQueries is how many queries are asked of rounded rows at a time at most.
	MaxRoundedQueries = 128
	// tileSteps and stepsOfUnit are how many tiles the rows of a tile and the queries of
	// a unit are along an inner dimension.
	tileSteps = Rows / kernel.TileInner
	unitSteps = MaxRoundedQueries / kernel.TileInner
	// pairedSteps is how many tiles along d are paired at a time.
	pairedSteps = 16
	// unitBands is how many bands the queries of a unit are.
	unitBands = MaxRoundedQueries / kernel.Band
)

func newRoundedExponentials(e Embeddings, units int) *roundedExponentials {
	return &roundedExponentials{
		bands: kernel.NewTiles(e.Tiles()*tileBands, units*unitSteps), right: kernel.NewTiles(2*steps(e.Stride), units*unitSteps),
	}
}

// maxExcess is how far a score may be above what is taken from all: exponentials up to
// exp(slack), and sums of any number of them, are far from overflowing, and relative
// errors do not depend on their size.
const maxExcess = 40

func (x *roundedExponentials) forward(k *kernel.Set, s *Softmax, e Embeddings, room *Scratch) {
	room.roundQueries(s, e)
	for tile := range e.Tiles() {
		x.forwardTile(k, s, e, room, tile)
	}
}

// forwardTile adds one tile to the sums and to the gradient by the queries.
func (x *roundedExponentials) forwardTile(k *kernel.Set, s *Softmax, e Embeddings, room *Scratch, tile int) {
	u, dims := e.Rounded.Unit, steps(e.Stride)
	_, count, _ := e.Tile(tile)
	rows := kernel.Pad(count, 2*kernel.Band)
	of, kept := e.Rounded.tile(tile), x.bands.From(tile*tileBands, s.number*unitSteps)
	strip := Rows
	if dims <= narrowSteps {
		strip = narrowStrip
	}
	for row := 0; row < count; row += strip {
		band, n := row/kernel.Band, min(strip, count-row)
		u.Multiply(room.scores, of.From(band, 0), room.queryFactor, kernel.Pad(n, 2*kernel.Band), s.PaddedCount, dims*kernel.TileInner, false)
		x.exponentiate(k, u, s, room.scores, kept.From(band, 0), tile*Rows+row, n)
	}
	for row := count; row < rows; row++ { // padding is no candidate
		kept.ClearRow(row, s.PaddedCount/kernel.TileInner)
	}
	for step := s.PaddedCount / kernel.TileInner; step < unitSteps; step++ { // queries that there are none of
		kept.ClearSteps(step, rows/kernel.Band)
	}
	u.Columns(room.exponentialColumns, kept, rows/kernel.Band, s.PaddedCount/kernel.TileInner, room.swapTiles)
	for step := 0; step < dims; step += pairedSteps { // few at a time, which stay in cache
		n := min(pairedSteps, dims-step)
		u.Pairs(room.rowPairs, of.From(0, step), rows/kernel.Band, n)
		column := step * kernel.TileInner
		byQuery := kernel.Table{Data: s.ByQuery.Data[column:], Stride: s.ByQuery.Stride}
		u.Multiply(byQuery, room.exponentialColumns, room.rowPairs, s.PaddedCount, min(n*kernel.TileInner, e.Stride-column), rows, tile > 0)
	}
}

// Short products leave more scores than the first cache holds, so there they are made and
// used by fewer rows at a time.
const (
	narrowSteps = 4 // tiles along d
	narrowStrip = 4 * kernel.Band
)

// exponentiate makes the exponentials of so many rows from one on, out of their scores.
func (x *roundedExponentials) exponentiate(k *kernel.Set, u *kernel.BF16Set, s *Softmax, scores kernel.Table, kept kernel.Tiles, row, rows int) {
	if row == 0 {
		k.ColumnMax(scores, rows, s.PaddedCount, s.shifts)
	}
	copy(s.maxima, s.shifts)
	for {
		clear(s.tileSums)
		u.ExpRound(kept, scores, rows, s.PaddedCount, s.shifts, s.tileSums, s.maxima)
		again := false
		for i, most := range s.maxima[:s.PaddedCount] {
			if most > s.shifts[i]+maxExcess {
				x.rescale(k, s, i, row, most)
				again = true
			}
		}
		if !again {
			break
		}
	}
	s.add()
}

// rescale takes more from the scores of a query, and from those of the first rows too.
func (x *roundedExponentials) rescale(k *kernel.Set, s *Softmax, query, rows int, higher float32) {
	factor := s.rescale(k, query, higher)
	s.shifts[query] = higher
	place := s.number*MaxRoundedQueries + query
	for row := range rows {
		x.bands.SetNumber(row, place, factor*x.bands.Number(row, place))
	}
}

func (x *roundedExponentials) finish(s *Softmax, e Embeddings, room *Scratch) {
	u, dims := e.Rounded.Unit, steps(e.Stride)
	for i, weight := range s.weights {
		room.factors[i] = 0
		if weight != 0 {
			room.factors[i] = weight / float32(s.sums[i])
		}
	}
	u.Round(room.queryBands, s.Rows, MaxRoundedQueries, s.Rows.Stride, room.factors)
	u.Pairs(x.right.From(0, s.number*unitSteps), room.queryBands, unitBands, dims)
	for i := range room.factors {
		room.factors[i] = 1
	}
}

func (x *roundedExponentials) collect(_ *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient, _ kernel.Table, add bool) {
	_, count, _ := e.Tile(tile)
	e.Rounded.Unit.Multiply(gradient, x.bands.From(tile*tileBands, 0), x.right, kernel.Pad(count, 2*kernel.Band), e.Stride, len(units)*MaxRoundedQueries, add)
}
