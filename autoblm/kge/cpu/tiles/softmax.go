package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Softmax is queries on their way through the rows of a table, and after Walk
// what the tiles need to collect the gradient of the rows.
type Softmax struct {
	Queries
	// ByQuery is the gradient by the queries, once they have their weights.
	ByQuery kernel.Table

	// exponentials[tile] is exp(score - maxima[tile]), [rows of the tile, queries].
	exponentials []kernel.Table
	maxima       [][]float32
	largest      []float32 // of all tiles
	tileSums     []float32
	sums         []float64  // Σ exp(score - largest)
	weights      []float32  // of the queries in the loss
	of           Embeddings // that they walked through
}

// NewSoftmax is for queries of the rows of a table.
func NewSoftmax(m Measure, e Embeddings, dim int) *Softmax {
	s := &Softmax{
		Queries: NewQueries(m, dim), ByQuery: NewTable(m.RowsOfQuery()*MostQueries, dim),
		largest: make([]float32, MostQueries), tileSums: make([]float32, MostQueries), sums: make([]float64, MostQueries),
		weights: make([]float32, MostQueries),
	}
	for i := range e.Tiles() {
		_, _, rows := e.Tile(i)
		s.exponentials = append(s.exponentials, kernel.Table{Data: make([]float32, rows*MostQueries), Stride: MostQueries})
		s.maxima = append(s.maxima, make([]float32, MostQueries))
	}
	return s
}

// SoftmaxBytes is what a softmax keeps for the rows of a table.
func SoftmaxBytes(e Embeddings) int { return 4 * len(e.Data) / e.Stride * MostQueries }

// CrossEntropy returns weight · the sum over the queries of log Σ exp(score) -
// share · the score of the answer. The gradient by the queries is in ByQuery
// then, and that by the answers is added. answer is the row of a query's answer
// and the gradient by it.
func (s *Softmax) CrossEntropy(k *kernel.Set, e Embeddings, weight, share float32, answer func(query int) (row, gradient []float32)) float64 {
	s.Walk(k, e)
	loss := 0.0
	for i := range s.Asked {
		query, gradient := s.OfQuery(s.Rows, i), s.OfQuery(s.ByQuery, i)
		truth, byTruth := answer(i)
		loss += float64(weight) * (s.LogSum(i) - float64(share)*s.measure.Score(query, truth))
		s.Weigh(k, i, weight)
		s.measure.AddGradQuery(k, gradient, query, truth, -weight*share)
		s.measure.AddGradRow(k, byTruth, query, truth, -weight*share)
	}
	return loss
}

// Walk takes the queries, whose rows are set, through all rows of the table.
func (s *Softmax) Walk(k *kernel.Set, e Embeddings) {
	s.Transpose()
	s.of = e
	for i := range s.Count {
		s.largest[i], s.sums[i], s.weights[i] = float32(math.Inf(-1)), 0, 0
	}
	for i := range s.exponentials {
		s.walk(k, e, i)
	}
}

// LogSum is log Σ exp(score) of a query.
func (s *Softmax) LogSum(query int) float64 {
	return float64(s.largest[query]) + math.Log(s.sums[query])
}

// Weigh makes the gradient of weight · log Σ exp(score) of a query.
func (s *Softmax) Weigh(k *kernel.Set, query int, weight float32) {
	s.weights[query] = weight
	gradient := s.OfQuery(s.ByQuery, query)
	k.Scale(gradient, gradient, weight/float32(s.sums[query]))
}

// walk adds one tile to the sums and to the gradient by the queries.
func (s *Softmax) walk(k *kernel.Set, e Embeddings, tile int) {
	start, count, rows := e.Tile(tile)
	x, maxima := s.exponentials[tile], s.maxima[tile]
	of := e.From(start)
	s.Scores(k, x, of, rows)
	for row := count; row < rows; row++ { // padding is no candidate
		for i := range s.Count {
			x.Data[row*x.Stride+i] = float32(math.Inf(-1))
		}
	}
	copy(maxima, s.largest)
	k.ColumnMax(x, rows, s.Count, maxima)
	if tile > 0 {
		s.rescale(k, maxima)
	}
	copy(s.largest, maxima)
	clear(s.tileSums)
	k.ExpSum(x, rows, s.Count, maxima, s.tileSums)
	for i, sum := range s.tileSums[:s.Count] {
		s.sums[i] += float64(sum)
	}
	s.measure.GradQuery(k, &s.Queries, s.ByQuery, x, of, rows, tile > 0)
}

// rescale takes the sums and the gradient from the old maxima to higher ones.
func (s *Softmax) rescale(k *kernel.Set, maxima []float32) {
	for i, higher := range maxima[:s.Count] {
		if higher > s.largest[i] {
			factor := math.Exp(float64(s.largest[i]) - float64(higher))
			s.sums[i] *= factor
			gradient := s.OfQuery(s.ByQuery, i)
			k.Scale(gradient, gradient, float32(factor))
		}
	}
}

// Collect adds to gradient, [rows of the tile, d], what the softmax gives them, or
// overwrites it with that. It spends what is kept of the tile, so it is for once; the
// rows are to be as they were. scratch has room for a row for each query.
func (s *Softmax) Collect(k *kernel.Set, tile int, gradient, scratch kernel.Table, add bool) {
	start, _, rows := s.of.Tile(tile)
	factors := s.maxima[tile][:s.Count]
	for i, most := range factors {
		factor := s.weights[i] // of padding it is 0
		if factor != 0 {
			factor *= float32(math.Exp(float64(most)-float64(s.largest[i])) / s.sums[i])
		}
		factors[i] = factor
	}
	s.measure.GradRows(k, &s.Queries, gradient, s.exponentials[tile], s.of.From(start), factors, rows, scratch, add)
}
