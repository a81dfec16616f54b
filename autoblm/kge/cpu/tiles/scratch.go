package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Scratch is a thread's scratch buffer for one unit of queries.
type Scratch struct {
	kernels *kernel.Set

	// For bfloat16 products.
	scores             kernel.Table // [rows of a tile, queries]
	queryBands         kernel.Tiles // queries as a left factor
	queryFactor        kernel.Tiles // queries as a right factor
	exponentialColumns kernel.Tiles // bands of queries along the rows of a tile
	rowPairs           kernel.Tiles // bands of coordinates along the rows of a tile
	swapTiles          kernel.Tiles // two tiles
	factors            []float32

	// For sparse gradients.
	exponentials []tileExponentials
	scales       []float32 // probability divided by exponential, for each query
	skippedMass  []float32 // probability of a query that was skipped since its last sample

	// For losses of sigmoids.
	negatives     [2]kernel.Table // [rows of a tile, queries]
	losses        []float64       // by query
	products      []float64       // by query
	zeros, unused []float32       // by query
}

// NewScratch allocates a scratch buffer for queries of dimension dim over the rows of e.
// sparse says that gradients are sparse.
func NewScratch(k *kernel.Set, e Embeddings, dim int, sparse bool) *Scratch {
	s := &Scratch{kernels: k, factors: ones(MaxRoundedQueries)}
	if sparse {
		n := e.MaxQueries()
		s.exponentials = newTileExponentials(e)
		s.scales, s.skippedMass = make([]float32, n), make([]float32, n)
	}
	if e.Rounded != nil {
		dims := steps(kernel.Pad(dim, kernel.Columns))
		s.scores = NewTable(Rows, MaxRoundedQueries)
		s.queryBands, s.queryFactor = kernel.NewTiles(unitBands, dims), kernel.NewTiles(unitBands, dims)
		s.exponentialColumns = kernel.NewTiles(unitBands, tileSteps)
		s.rowPairs = kernel.NewTiles(2*min(dims, pairedSteps), tileSteps)
		s.swapTiles = kernel.NewTiles(1, 2)
	}
	return s
}

// EnableSigmoids allocates the buffers of [Softmax.NegativeSampling] and
// [Softmax.BinaryCrossEntropy].
func (scratch *Scratch) EnableSigmoids() {
	for i := range scratch.negatives {
		scratch.negatives[i] = NewTable(Rows, MaxQueries)
	}
	scratch.losses, scratch.products = make([]float64, MaxQueries), make([]float64, MaxQueries)
	scratch.zeros, scratch.unused = make([]float32, MaxQueries), make([]float32, MaxQueries)
}

// roundQueries packs the queries as a right factor.
func (scratch *Scratch) roundQueries(s *Softmax, e Embeddings) {
	k := e.Rounded.Kernels
	k.Round(scratch.queryBands, s.Rows, s.PaddedCount, s.Rows.Stride, scratch.factors)
	k.Right(scratch.queryFactor, scratch.queryBands, s.PaddedCount/kernel.Band, steps(e.Stride))
}
