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
}

// SizeOf returns the size of a graph on this machine.
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
	// manyMoreEntities and mostEntities are the numbers of entities from which fewer sampled ones
	// are better in a short time: the packages of Debian, 129,000, are between them, and a graph of
	// 807,000 is above.
	manyMoreEntities = 100_000
	mostEntities     = 500_000
	// minDim is the smallest dimension that memory leads to.
	minDim = 64
)

// Names of default recipes of graphs that are not small.
const (
	Dense = "dense"
	Large = "large"
	Huge  = "huge"
	Vast  = "vast"
)

// Default returns the default recipe of bilinear models on a graph of a size.
func Default(s Size) Recipe {
	var r Recipe
	switch {
	case s.Entities <= smallGraph:
		r = defaultSmallRow.recipe()
	case s.isSampled() && s.Entities > mostEntities:
		r = vastRow.recipe()
	case s.isSampled() && s.Entities > manyMoreEntities:
		r = hugeRow.recipe()
	case s.isSampled():
		r = largeRow.recipe()
	case s.Train > manyTriples && !s.Full:
		r = denseRow.recipe()
	default:
		r = defaultRow.recipe()
	}
	for r.Training.Dim > minDim && !s.fits(r.Training.Dim) {
		r.Training.Dim /= 2
	}
	s.FitValidation(&r.Training)
	return r
}

// FitValidation leaves out what a graph of the size has too few validation triples for: a sample of
// them, or all validation.
func (s Size) FitValidation(t *kge.Settings) {
	if t.ValidateSample >= s.Valid {
		t.ValidateSample = 0
	}
	if s.Valid == 0 {
		t.SkipValidation()
	}
}

// isSampled reports whether the default recipe has a sampled softmax.
func (s Size) isSampled() bool { return s.Entities > manyEntities && !s.Full }

// fits reports whether a model of a dimension fits into memory.
func (s Size) fits(dim int) bool {
	// Half of the memory holds the tables, the state of the optimizer and the best epoch.
	const copies, float32Bytes = 3, 4
	rows := float64(s.Entities + 2*s.Relations)
	return s.Memory == 0 || copies*float32Bytes*rows*float64(dim) <= s.Memory/2
}
