package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Softmaxes holds the softmaxes of the units of a batch over the rows of one table, and the
// values from which the row gradient is computed.
type Softmaxes struct {
	units []*Softmax
	store gradientStore
}

// gradientStore keeps the exponentials of units, or their slopes, between the forward pass and
// the computation of the row gradient.
type gradientStore interface {
	// forward computes the sums and the unweighted gradient of a unit's queries.
	forward(k *kernel.Set, s *Softmax, e Embeddings, scratch *Scratch)
	// finish completes a unit after its queries have their weights.
	finish(s *Softmax, e Embeddings, scratch *Scratch)
	// collect computes the gradient of the rows of a tile, [rows, d], from the given units, or
	// adds it.
	collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient, scratch kernel.Table,
		add bool)
}

// NewSoftmaxes allocates softmaxes for a number of units over the rows of a table. sampleRate
// is the sampled share of all rows, each of which counts 1/sampleRate times; 1 means all rows.
// sparseCount limits the rows that get a gradient from a query, see [Sampling]; 0 means all.
func NewSoftmaxes(m Measure, e Embeddings, dim, units int, sampleRate float64,
	sparseCount int) *Softmaxes {
	s := &Softmaxes{}
	most, queries := e.MaxQueries(), func() Queries { return NewQueries(m, dim) }
	if e.Rounded != nil {
		queries = func() Queries { return newRoundedQueries(dim) }
	}
	switch {
	case sparseCount > 0:
		s.store = newSparse(e, units, sparseCount)
	case e.Rounded != nil:
		s.store = newRoundedExponentials(e, units)
	default:
		s.store = newExponentials(e, units)
	}
	for i := range units {
		s.units = append(s.units, &Softmax{
			Queries:    queries(),
			ByQuery:    NewTable(m.RowsPerQuery()*most, dim),
			store:      s.store,
			number:     i,
			sampleRate: sampleRate,
			shifts:     make([]float32, most),
			maxima:     make([]float32, most),
			tileSums:   make([]float32, most),
			sums:       make([]float64, most),
			weights:    make([]float32, most),
		})
	}
	return s
}

// Unit returns the softmax of a unit.
func (s *Softmaxes) Unit(unit int) *Softmax { return s.units[unit] }

// Collect computes the gradient of the rows of a tile, [rows of the tile, d], from the first
// units, or adds it. It overwrites the stored values, so it can be called once per tile. The
// rows of e must not have changed since Forward. scratch holds one row for each query.
func (s *Softmaxes) Collect(k *kernel.Set, e Embeddings, units, tile int, gradient,
	scratch kernel.Table, add bool) {
	s.store.collect(k, s.units[:units], e, tile, gradient, scratch, add)
}

// EachRow calls visit with the row of each slope of the first units in a tile, if gradients
// are sparse.
func (s *Softmaxes) EachRow(units, tile int, visit func(row int)) {
	if x, isSparse := s.store.(*sparse); isSparse {
		x.eachRow(units, tile, visit)
	}
}

// SoftmaxBytes returns the bytes that a softmax stores for the rows of a table.
func SoftmaxBytes(e Embeddings) int {
	if e.Rounded != nil {
		return 2 * kernel.Pad(e.Count, 2*kernel.Band) * MaxRoundedQueries
	}
	return 4 * len(e.Data) / e.Stride * MaxQueries
}

// Softmax is the softmax of a unit of queries over the rows of a table.
type Softmax struct {
	Queries
	// ByQuery is the gradient of the queries after they have their weights.
	ByQuery kernel.Table
	// Sampling determines the samples of sparse gradients.
	Sampling Sampling

	store            gradientStore
	number           int // of the unit
	sampleRate       float64
	shifts           []float32 // subtracted from the scores of each query
	maxima, tileSums []float32 // of the current tile
	sums             []float64 // Σ exp(score - shift), times sampleRate
	weights          []float32 // of the queries in the loss
	scores           []float64 // of answers
}

// Answer is a correct answer of a query.
type Answer struct {
	Query         int
	Weight        float32 // in the loss
	Row, Gradient []float32
	// NotSampled says that the answer is not one of the sampled rows, so it counts once.
	// Repeated says that the previous answer has the same row and query.
	NotSampled, Repeated bool
}

// CrossEntropy returns Σ weight · (log Σ exp(scores of the query) - score) over answers. It
// leaves the gradient of the queries in ByQuery and adds that of the answers to their Gradient.
func (s *Softmax) CrossEntropy(k *kernel.Set, e Embeddings, answers int, scratch *Scratch,
	answer func(i int) Answer) float64 {
	s.Forward(k, e, scratch)
	s.scores = s.scores[:0]
	for i := range answers {
		a := answer(i)
		score := s.measure.Score(s.QueryRows(s.Rows, a.Query), a.Row)
		if a.NotSampled && !a.Repeated {
			s.Include(a.Query, score)
		}
		s.weights[a.Query] += a.Weight
		s.scores = append(s.scores, score)
	}
	for i := range s.Count {
		s.SetWeight(k, i, s.weights[i])
	}
	loss := 0.0
	for i, score := range s.scores {
		a := answer(i)
		query, slope := s.QueryRows(s.Rows, a.Query), -a.Weight
		if a.NotSampled && !a.Repeated {
			slope += s.weights[a.Query] * s.Probability(a.Query, score)
		}
		loss += float64(a.Weight) * (s.LogSum(a.Query) - score)
		s.measure.AddGradQuery(k, s.QueryRows(s.ByQuery, a.Query), query, a.Row, slope)
		s.measure.AddGradRow(k, a.Gradient, query, a.Row, slope)
	}
	s.Finish(e, scratch)
	return loss
}

// Forward computes the softmax sums of the queries, whose rows are set, over all rows of the
// table.
func (s *Softmax) Forward(k *kernel.Set, e Embeddings, scratch *Scratch) {
	for i := range s.weights {
		s.shifts[i], s.sums[i], s.weights[i] = float32(math.Inf(-1)), 0, 0
	}
	s.store.forward(k, s, e, scratch)
}

// Include adds the score of a row that was not sampled to the sum of a query.
func (s *Softmax) Include(query int, score float64) { s.sums[query] += s.ownTerm(query, score) }

// Probability returns the probability of an included row, after all rows are included.
func (s *Softmax) Probability(query int, score float64) float32 {
	return float32(s.ownTerm(query, score) / s.sums[query])
}

// ownTerm returns the term of an included row in the sum of a query. The shift depends on
// sampled rows only, so the exponent is limited against overflow.
func (s *Softmax) ownTerm(query int, score float64) float64 {
	return s.sampleRate * math.Exp(min(score-float64(s.shifts[query]), 600))
}

// LogSum returns log Σ exp(score) of a query.
func (s *Softmax) LogSum(query int) float64 {
	return float64(s.shifts[query]) + math.Log(s.sums[query]/s.sampleRate)
}

// SetWeight turns the gradient of a query into that of weight · log Σ exp(score).
func (s *Softmax) SetWeight(k *kernel.Set, query int, weight float32) {
	s.weights[query] = weight
	gradient := s.QueryRows(s.ByQuery, query)
	k.Scale(gradient, gradient, weight/float32(s.sums[query]))
}

// Finish completes the unit after each query has its weight.
func (s *Softmax) Finish(e Embeddings, scratch *Scratch) { s.store.finish(s, e, scratch) }

// add adds the sums of a tile.
func (s *Softmax) add() {
	for i, sum := range s.tileSums[:s.PaddedCount] {
		s.sums[i] += float64(sum)
	}
}

// rescale scales the sum and the gradient of a query to a higher shift and returns the factor.
func (s *Softmax) rescale(k *kernel.Set, query int, higher float32) float32 {
	factor := math.Exp(float64(s.shifts[query]) - float64(higher))
	s.sums[query] *= factor
	gradient := s.QueryRows(s.ByQuery, query)
	k.Scale(gradient, gradient, float32(factor))
	return float32(factor)
}
