package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Room is what a thread needs for the unit of queries that it is at.
type Room struct {
	kernels *kernel.Set

	// For rounded rows.
	scores  kernel.Table // [rows of a tile, queries]
	left    kernel.Tiles // bands of queries
	right   kernel.Tiles // the same as a right factor
	columns kernel.Tiles // bands of queries along the rows of a tile
	pairs   kernel.Tiles // bands of some coordinates along the rows of a tile
	swap    kernel.Tiles // two tiles
	factors []float32

	// For queries that keep few slopes.
	exponentials []exponentialsOfTile
	shares       []float32 // of a query's exponentials in its probabilities
	passed       []float32 // probabilities of a query, since the last one drawn
}

// NewRoom is for queries of d numbers of the rows of a table, of each of which few slopes are
// kept if that is said.
func NewRoom(k *kernel.Set, e Embeddings, dim int, few bool) *Room {
	room := &Room{kernels: k, factors: ones(MostRounded)}
	if few {
		most := e.MostQueries()
		room.exponentials, room.shares, room.passed = exponentialsOf(e), make([]float32, most), make([]float32, most)
	}
	if e.Rounded != nil {
		dims := steps(kernel.Pad(dim, kernel.Columns))
		room.scores = NewTable(Rows, MostRounded)
		room.left, room.right = kernel.NewTiles(bandsOfUnit, dims), kernel.NewTiles(bandsOfUnit, dims)
		room.columns, room.pairs = kernel.NewTiles(bandsOfUnit, stepsOfTile), kernel.NewTiles(2*min(dims, pairedSteps), stepsOfTile)
		room.swap = kernel.NewTiles(1, 2)
	}
	return room
}

// roundQueries readies the queries as a right factor.
func (room *Room) roundQueries(s *Softmax, e Embeddings) {
	u := e.Rounded.Unit
	u.Round(room.left, s.Rows, s.Count, s.Rows.Stride, room.factors)
	u.Right(room.right, room.left, s.Count/kernel.Band, steps(e.Stride))
}
