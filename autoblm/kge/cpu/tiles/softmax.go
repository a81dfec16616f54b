package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Softmaxes are the softmaxes of the units of a batch over the rows of one table, and what
// the tiles need to collect the gradient of the rows.
type Softmaxes struct {
	units []*Softmax
	store gradientStore
}

// store is the exponentials of some units, or their slopes, on the way of their queries through
// the rows and for the gradient by the rows afterwards.
type gradientStore interface {
	// forward takes the queries of a unit through all rows of the table.
	forward(k *kernel.Set, s *Softmax, e Embeddings, room *Scratch)
	// finish is told that the queries of a unit have their weights.
	finish(s *Softmax, e Embeddings, room *Scratch)
	// collect makes the gradient by the rows of a tile, [rows, d], of the first units, or adds it.
	collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient, scratch kernel.Table, add bool)
}

// NewSoftmaxes is for so many units of queries of the rows of a table, by products in
// bfloat16 if it is rounded. The rows are a share of those that there are, each of which
// stands for 1/share of them; 1 is all. The gradient by the rows reaches about so many of them
// from each query, see [Sampling]; 0 is all.
func NewSoftmaxes(m Measure, e Embeddings, dim, units int, share float64, few int) *Softmaxes {
	s := &Softmaxes{}
	most, queries := e.MaxQueries(), func() Queries { return NewQueries(m, dim) }
	if e.Rounded != nil {
		queries = func() Queries { return newRoundedQueries(dim) }
	}
	switch {
	case few > 0:
		s.store = newSparse(e, units, few)
	case e.Rounded != nil:
		s.store = newRoundedExponentials(e, units)
	default:
		s.store = newExponentials(e, units)
	}
	for i := range units {
		s.units = append(s.units, &Softmax{
			Queries: queries(), ByQuery: NewTable(m.RowsPerQuery()*most, dim), store: s.store, number: i, share: share,
			shifts: make([]float32, most), maxima: make([]float32, most), tileSums: make([]float32, most),
			sums: make([]float64, most), weights: make([]float32, most),
		})
	}
	return s
}

// Of is the softmax of a unit.
func (s *Softmaxes) Unit(unit int) *Softmax { return s.units[unit] }

// Collect adds to gradient, [rows of the tile, d], what the first units give them, or
// overwrites it with that. It spends what is kept of the tile, so it is for once; the rows, of
// e, are to be as they were. scratch has room for a row for each query.
func (s *Softmaxes) Collect(k *kernel.Set, e Embeddings, units, tile int, gradient, scratch kernel.Table, add bool) {
	s.store.collect(k, s.units[:units], e, tile, gradient, scratch, add)
}

// EachRow visits the rows of a tile that the first units have slopes of, where these are few.
func (s *Softmaxes) EachRow(units, tile int, visit func(row int)) {
	if x, few := s.store.(*sparse); few {
		x.each(units, tile, visit)
	}
}

// SoftmaxBytes is what a softmax keeps for the rows of a table.
func SoftmaxBytes(e Embeddings) int {
	if e.Rounded != nil {
		return 2 * len(e.Rounded.bands.Data) / (e.Rounded.bands.Stride * kernel.TileInner) * MaxRoundedQueries
	}
	return 4 * len(e.Data) / e.Stride * MaxQueries
}

// Softmax is queries on their way through the rows of a table.
type Softmax struct {
	Queries
	// ByQuery is the gradient by the queries, once they have their weights.
	ByQuery kernel.Table
	// Sampling is what slopes are drawn by, where they are few.
	Sampling Sampling

	store            gradientStore
	number           int       // of the unit
	share            float64   // that the rows are of all
	shifts           []float32 // what is taken from all scores of a query, so far
	maxima, tileSums []float32 // of some rows
	sums             []float64 // Σ exp(score - largest), times share
	weights          []float32 // of the queries in the loss
	scores           []float64 // of answers
}

// Answer is one of a query.
type Answer struct {
	Query         int
	Weight        float32 // in the loss
	Row, Gradient []float32
	// NotSampled is whether it is none of the rows that were drawn, and stands for itself;
	// Repeated whether the answer before is the same, which has done so.
	NotSampled, Repeated bool
}

// CrossEntropy returns the sum over so many answers of their weight · (log Σ exp(score of the
// query) - part · the score of the answer). The gradient by the queries is in ByQuery
// then, and that by the answers is added.
func (s *Softmax) CrossEntropy(k *kernel.Set, e Embeddings, answers int, part float32, room *Scratch, answer func(i int) Answer) float64 {
	s.Forward(k, e, room)
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
		query, slope := s.QueryRows(s.Rows, a.Query), -a.Weight*part
		if a.NotSampled && !a.Repeated {
			slope += s.weights[a.Query] * s.Probability(a.Query, score)
		}
		loss += float64(a.Weight) * (s.LogSum(a.Query) - float64(part)*score)
		s.measure.AddGradQuery(k, s.QueryRows(s.ByQuery, a.Query), query, a.Row, slope)
		s.measure.AddGradRow(k, a.Gradient, query, a.Row, slope)
	}
	s.Finish(e, room)
	return loss
}

// Forward takes the queries, whose rows are set, through all rows of the table. room is the
// thread's.
func (s *Softmax) Forward(k *kernel.Set, e Embeddings, room *Scratch) {
	for i := range s.weights {
		s.shifts[i], s.sums[i], s.weights[i] = float32(math.Inf(-1)), 0, 0
	}
	s.store.forward(k, s, e, room)
}

// Include adds a row to the sum of a query that is none of those that were drawn, and stands
// for itself.
func (s *Softmax) Include(query int, score float64) { s.sums[query] += s.ownTerm(query, score) }

// Probability is that of a row that was included, once all are.
func (s *Softmax) Probability(query int, score float64) float32 {
	return float32(s.ownTerm(query, score) / s.sums[query])
}

// ownTerm is what a row that stands for itself is of the sum of a query. The largest score is only
// that of drawn rows, and exponentials of scores far above it are not to overflow.
func (s *Softmax) ownTerm(query int, score float64) float64 {
	return s.share * math.Exp(min(score-float64(s.shifts[query]), 600))
}

// LogSum is log Σ exp(score) of a query.
func (s *Softmax) LogSum(query int) float64 {
	return float64(s.shifts[query]) + math.Log(s.sums[query]/s.share)
}

// SetWeight makes the gradient of weight · log Σ exp(score) of a query.
func (s *Softmax) SetWeight(k *kernel.Set, query int, weight float32) {
	s.weights[query] = weight
	gradient := s.QueryRows(s.ByQuery, query)
	k.Scale(gradient, gradient, weight/float32(s.sums[query]))
}

// Finish ends the unit, once each query has its weight.
func (s *Softmax) Finish(e Embeddings, room *Scratch) { s.store.finish(s, e, room) }

// add adds the sums of a tile.
func (s *Softmax) add() {
	for i, sum := range s.tileSums[:s.PaddedCount] {
		s.sums[i] += float64(sum)
	}
}

// rescale takes the sum and the gradient of a query from what was taken from its scores
// to more, and returns their factor.
func (s *Softmax) rescale(k *kernel.Set, query int, higher float32) float32 {
	factor := math.Exp(float64(s.shifts[query]) - float64(higher))
	s.sums[query] *= factor
	gradient := s.QueryRows(s.ByQuery, query)
	k.Scale(gradient, gradient, float32(factor))
	return float32(factor)
}
