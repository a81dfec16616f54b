package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// roundedExponentials stores exponentials in bfloat16. They are the left factor of the row
// gradient, along the queries of all units.
type roundedExponentials struct {
	bands kernel.Tiles // of entities: exp(score - shift)
	right kernel.Tiles // of coordinates: queries times weight divided by sum
}

const (
	// MaxRoundedQueries is the maximum number of queries of a unit with bfloat16 products.
	MaxRoundedQueries = 128
	// tileSteps and unitSteps are the numbers of bfloat16 tiles along an inner dimension for
	// the rows of a tile and for the queries of a unit.
	tileSteps = Rows / kernel.TileInner
	unitSteps = MaxRoundedQueries / kernel.TileInner
	// pairedSteps is the number of bfloat16 tiles along d that are paired at a time.
	pairedSteps = 16
	// unitBands is the number of bands of the queries of a unit.
	unitBands = MaxRoundedQueries / kernel.Band
)

func newRoundedExponentials(e Embeddings, units int) *roundedExponentials {
	return &roundedExponentials{
		bands: kernel.NewTiles(e.Tiles()*tileBands, units*unitSteps),
		right: kernel.NewTiles(2*steps(e.Stride), units*unitSteps),
	}
}

// maxExcess limits how far a score may exceed the shift that is subtracted from it. Sums of
// exponentials up to exp(maxExcess) are far from overflowing, and relative errors do not
// depend on their size.
const maxExcess = 40

func (x *roundedExponentials) forward(k *kernel.Set, s *Softmax, e Embeddings, scratch *Scratch) {
	scratch.roundQueries(s, e)
	for tile := range e.Tiles() {
		x.forwardTile(k, s, e, scratch, tile)
	}
}

// forwardTile adds a tile to the sums and to the gradient of the queries.
func (x *roundedExponentials) forwardTile(
	k *kernel.Set, s *Softmax, e Embeddings, scratch *Scratch, tile int) {
	u, dims := e.Rounded.Kernels, steps(e.Stride)
	_, count, _ := e.Tile(tile)
	rows := kernel.Pad(count, 2*kernel.Band)
	of, kept := e.Rounded.tile(tile), x.bands.From(tile*tileBands, s.number*unitSteps)
	strip := Rows
	if dims <= narrowSteps {
		strip = narrowStrip
	}
	for row := 0; row < count; row += strip {
		band, n := row/kernel.Band, min(strip, count-row)
		u.Multiply(scratch.scores, of.From(band, 0), scratch.queryFactor, kernel.Pad(n, 2*kernel.Band),
			s.PaddedCount, dims*kernel.TileInner, false)
		x.exponentiate(k, u, s, scratch.scores, kept.From(band, 0), tile*Rows+row, n)
	}
	for row := count; row < rows; row++ { // padding is not a candidate
		kept.ClearRow(row, s.PaddedCount/kernel.TileInner)
	}
	for step := s.PaddedCount / kernel.TileInner; step < unitSteps; step++ { // unused queries
		kept.ClearSteps(step, rows/kernel.Band)
	}
	u.Columns(scratch.exponentialColumns, kept, rows/kernel.Band, s.PaddedCount/kernel.TileInner,
		scratch.swapTiles)
	for step := 0; step < dims; step += pairedSteps { // a few at a time stay in cache
		n := min(pairedSteps, dims-step)
		u.Pairs(scratch.rowPairs, of.From(0, step), rows/kernel.Band, n)
		column := step * kernel.TileInner
		byQuery := kernel.Table{Data: s.ByQuery.Data[column:], Stride: s.ByQuery.Stride}
		u.Multiply(byQuery, scratch.exponentialColumns, scratch.rowPairs, s.PaddedCount,
			min(n*kernel.TileInner, e.Stride-column), rows, tile > 0)
	}
}

// For small d the scores of a tile exceed the L1 cache while the factors do not. Then fewer
// rows are processed at a time.
const (
	narrowSteps = 4 // bfloat16 tiles along d
	narrowStrip = 4 * kernel.Band
)

// exponentiate stores the exponentials of scores of rows rows, beginning with row, and adds
// them to the sums.
func (x *roundedExponentials) exponentiate(
	k *kernel.Set, u *kernel.BF16Set, s *Softmax, scores kernel.Table, kept kernel.Tiles, row,
	rows int) {
	if row == 0 {
		k.ColumnMax(scores, rows, s.PaddedCount, s.shifts)
	}
	copy(s.maxima, s.shifts)
	for {
		clear(s.tileSums)
		u.ExpRound(kept, scores, rows, s.PaddedCount, s.shifts, s.tileSums, s.maxima)
		rescaled := false
		for i, most := range s.maxima[:s.PaddedCount] {
			if most > s.shifts[i]+maxExcess {
				x.rescale(k, s, i, row, most)
				rescaled = true
			}
		}
		if !rescaled {
			break
		}
	}
	s.add()
}

// rescale raises the shift of a query and rescales the stored exponentials of the first rows.
func (x *roundedExponentials) rescale(k *kernel.Set, s *Softmax, query, rows int, higher float32) {
	factor := s.rescale(k, query, higher)
	s.shifts[query] = higher
	column := s.number*MaxRoundedQueries + query
	for row := range rows {
		x.bands.SetNumber(row, column, factor*x.bands.Number(row, column))
	}
}

func (x *roundedExponentials) finish(s *Softmax, e Embeddings, scratch *Scratch) {
	u, dims := e.Rounded.Kernels, steps(e.Stride)
	for i, weight := range s.weights {
		scratch.factors[i] = 0
		if weight != 0 {
			scratch.factors[i] = weight / float32(s.sums[i])
		}
	}
	u.Round(scratch.queryBands, s.Rows, MaxRoundedQueries, s.Rows.Stride, scratch.factors)
	u.Pairs(x.right.From(0, s.number*unitSteps), scratch.queryBands, unitBands, dims)
	for i := range scratch.factors {
		scratch.factors[i] = 1
	}
}

func (x *roundedExponentials) collect(_ *kernel.Set, units []*Softmax, e Embeddings, tile int,
	gradient, _ kernel.Table, add bool) {
	_, count, _ := e.Tile(tile)
	e.Rounded.Kernels.Multiply(gradient, x.bands.From(tile*tileBands, 0), x.right,
		kernel.Pad(count, 2*kernel.Band), e.Stride, len(units)*MaxRoundedQueries, add)
}
