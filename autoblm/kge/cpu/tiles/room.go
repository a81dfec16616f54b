package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Scratch is what a thread needs for the unit of queries that it is at.
type Scratch struct {
	kernels *kernel.Set

	// For rounded rows.
	scores             kernel.Table // [rows of a tile, queries]
	queryBands         kernel.Tiles // bands of queries
	queryFactor        kernel.Tiles // the same as a right factor
	exponentialColumns kernel.Tiles // bands of queries along the rows of a tile
	rowPairs           kernel.Tiles // bands of some coordinates along the rows of a tile
	swapTiles          kernel.Tiles // two tiles
	factors            []float32

	// For queries that keep few slopes.
	exponentials []tileExponentials
	shares       []float32 // of a query's exponentials in its probabilities
	skippedMass  []float32 // probabilities of a query, since the last one drawn
}

// NewScratch is for queries of d numbers of the rows of a table, of each of which few slopes are
// kept if that is said.
func NewScratch(k *kernel.Set, e Embeddings, dim int, few bool) *Scratch {
	room := &Scratch{kernels: k, factors: ones(MaxRoundedQueries)}
	if few {
		most := e.MaxQueries()
		room.exponentials, room.shares, room.skippedMass = newTileExponentials(e), make([]float32, most), make([]float32, most)
	}
	if e.Rounded != nil {
		dims := steps(kernel.Pad(dim, kernel.Columns))
		room.scores = NewTable(Rows, MaxRoundedQueries)
		room.queryBands, room.queryFactor = kernel.NewTiles(unitBands, dims), kernel.NewTiles(unitBands, dims)
		room.exponentialColumns, room.rowPairs = kernel.NewTiles(unitBands, tileSteps), kernel.NewTiles(2*min(dims, pairedSteps), tileSteps)
		room.swapTiles = kernel.NewTiles(1, 2)
	}
	return room
}

// roundQueries readies the queries as a right factor.
func (room *Scratch) roundQueries(s *Softmax, e Embeddings) {
	u := e.Rounded.Unit
	u.Round(room.queryBands, s.Rows, s.PaddedCount, s.Rows.Stride, room.factors)
	u.Right(room.queryFactor, room.queryBands, s.PaddedCount/kernel.Band, steps(e.Stride))
}
