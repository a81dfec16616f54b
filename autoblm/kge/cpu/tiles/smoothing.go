package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Smoothing computes the part of the cross entropy that label smoothing spreads over all
// entities. It depends on the entities only through their mean: the loss of a query is
// -share · ⟨query, mean⟩, and all entities have the same gradient.
type Smoothing struct {
	share   float32
	sums    kernel.Table // sum of each tile's entities
	mean    []float32    // of all entities
	queries kernel.Table // sum of each unit's queries
	slope   []float32    // gradient of each entity
}

// NewSmoothing allocates label smoothing for a number of units.
func NewSmoothing(share float64, entities Embeddings, units int) *Smoothing {
	return &Smoothing{
		share:   float32(share),
		sums:    NewTable(entities.Tiles(), entities.Stride),
		mean:    make([]float32, entities.Stride),
		queries: NewTable(units, entities.Stride),
		slope:   make([]float32, entities.Stride),
	}
}

// SumTile sums the entities of a tile.
func (s *Smoothing) SumTile(k *kernel.Set, entities Embeddings, tile int) {
	start, count, _ := entities.Tile(tile)
	sumRows(k, PaddedRow(s.sums, tile), entities.From(start), count, 1)
}

// Average computes the mean of all entities from the sums of tiles.
func (s *Smoothing) Average(k *kernel.Set, entities Embeddings) {
	sumRows(k, s.mean, s.sums, entities.Tiles(), 1/float32(entities.Count))
}

// AddQueries returns the smoothing loss of a unit's queries, each with the given weight, and
// adds its gradient to of.ByQuery.
func (s *Smoothing) AddQueries(k *kernel.Set, unit int, of *Softmax, weight float32) float64 {
	sum := PaddedRow(s.queries, unit)
	sumRows(k, sum, of.Rows, of.Count, 1)
	for i := range of.Count {
		k.ScaleAdd(PaddedRow(of.ByQuery, i), s.mean, -weight*s.share)
	}
	return -float64(weight) * float64(s.share) * Dot(sum, s.mean)
}

// FinishStep computes the gradient of each entity from the queries of all units.
func (s *Smoothing) FinishStep(k *kernel.Set, units int, weight float32, entities int) {
	sumRows(k, s.slope, s.queries, units, -weight*s.share/float32(entities))
}

// Collect adds the gradient to count rows of entities.
func (s *Smoothing) Collect(k *kernel.Set, gradient kernel.Table, count int) {
	for i := range count {
		k.ScaleAdd(PaddedRow(gradient, i), s.slope, 1)
	}
}

// sumRows computes factor times the sum of the first n rows of a table.
func sumRows(k *kernel.Set, to []float32, of kernel.Table, n int, factor float32) {
	clear(to)
	for i := range n {
		k.ScaleAdd(to, PaddedRow(of, i), 1)
	}
	k.Scale(to, to, factor)
}
