package recipe

import (
	"os"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// Size holds what the default recipe of a graph depends on.
type Size struct {
	// Entities and Relations are their numbers, Train and Valid the numbers of triples.
	Entities, Relations, Train, Valid int
	// Full excludes sampled softmax, sparse gradients and grouped answers, for an engine without them.
	Full bool
	// Memory is the number of free bytes; 0 if unknown.
	Memory float64
	// Seconds is the time for training; 0 without a deadline.
	Seconds float64
	// EpochSeconds predicts how long an epoch takes with a dimension, from measured steps. It is nil
	// without a deadline.
	EpochSeconds func(dim int) float64
}

// SizeOf returns the size of a graph on this machine, without a deadline.
func SizeOf(g *datasets.Graph) Size {
	return Size{
		Entities: len(g.Entities), Relations: len(g.Relations), Train: len(g.Train),
		Valid: len(g.Valid), Memory: float64(memory.Free(os.DirFS("/"))),
	}
}

const (
	// smallGraph is the maximum number of entities of a small graph. Its default penalty is a fifth
	// of that of other graphs, because each entity is in more triples.
	smallGraph = 250
	// manyTriples is the number of training triples from which larger batches, grouped answers and
	// sparse gradients are worth it.
	manyTriples = 100_000
	// manyEntities is the number of entities from which a sampled softmax loses nothing: WN18 and
	// WN18RR, with 41,000 entities, are above it, FB15k and FB15k-237, with 15,000, below.
	manyEntities = 30_000
	// manyMoreEntities is the number of entities from which few sampled ones are enough.
	manyMoreEntities = 100_000
	// enoughEpochs is the number of epochs that are worth more than a larger dimension.
	enoughEpochs = 10
	// minDim is the smallest dimension that a deadline or memory leads to.
	minDim = 64
)

// Names of default recipes of graphs that are not small.
const (
	Dense = "dense"
	Large = "large"
	Huge  = "huge"
)

// Default returns the default recipe of bilinear models on a graph of a size.
func Default(s Size) Recipe {
	var r Recipe
	switch {
	case s.Entities <= smallGraph:
		r = defaultSmallRow.recipe()
	case s.IsSampled() && s.Entities > manyMoreEntities:
		r = hugeRow.recipe()
	case s.IsSampled():
		r = largeRow.recipe()
	case s.Train > manyTriples && !s.Full:
		r = denseRow.recipe()
	default:
		r = defaultRow.recipe()
	}
	for r.Training.Dim > minDim && !s.fits(r.Training.Dim) {
		r.Training.Dim /= 2
	}
	if r.Training.ValidateSample >= s.Valid {
		r.Training.ValidateSample = 0
	}
	if s.Valid == 0 {
		r.Training.ValidateEvery, r.Training.Patience = 0, 0
	}
	return r
}

// IsSampled reports whether the default recipe has a sampled softmax.
func (s Size) IsSampled() bool { return s.Entities > manyEntities && !s.Full }

// AssumedPace returns about the seconds of an epoch with the sampled softmax of the default recipe
// on two cores.
func (s Size) AssumedPace(dim int) float64 {
	const operations = 3e10 // per second
	s.EpochSeconds = nil
	t := Default(s).Training
	t.Dim = dim
	return s.operations(t) / operations
}

// operations returns the number of operations of an epoch: scores and two gradients are products of
// two operations, for both directions of a triple.
func (s Size) operations(t kge.Settings) float64 {
	return 12 * float64(t.Dim) * float64(t.Candidates(s.Entities)) * float64(s.Train)
}

// Fits reports whether enough epochs fit into the time even on a slow machine, so that the pace need
// not be measured.
func (s Size) Fits(t kge.Settings) bool {
	const slow = 2e9 // operations per second
	return enoughEpochs*s.operations(t) <= slow*s.Seconds
}

// fits reports whether a model of a dimension fits into memory, and enough epochs into the time.
func (s Size) fits(dim int) bool {
	// Half of the memory holds the tables, the state of the optimizer and the best epoch.
	const copies, float32Bytes = 3, 4
	rows := float64(s.Entities + 2*s.Relations)
	if bytes := copies * float32Bytes * rows * float64(dim); s.Memory > 0 && bytes > s.Memory/2 {
		return false
	}
	return s.EpochSeconds == nil || enoughEpochs*s.EpochSeconds(dim) <= s.Seconds
}
