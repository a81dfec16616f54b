package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Distribution has shares of rows of the table, whose sum is 1, for a query to learn. Scores are
// products.
type Distribution struct {
	Query  int
	Weight float32 // in the loss
	Rows   []int32 // each once
	Shares []float32
}

// learnDistributions returns the part of [Softmax.CrossEntropy] of distributions, after Finish. The
// queries have the gradients of the logarithms already. It adds those of the mean scores, and lets
// the store do so for the rows.
func (s *Softmax) learnDistributions(k *kernel.Set, e Embeddings, scratch *Scratch) (loss float64) {
	for _, d := range s.Distributions {
		if d.Weight == 0 {
			continue
		}
		if scratch.mean == nil {
			scratch.mean = make([]float32, e.Stride)
		}
		mean := scratch.mean // the mean score is the score of the mean row
		clear(mean)
		for i, row := range d.Rows {
			k.ScaleAdd(mean, PaddedRow(e.Table, int(row)), d.Shares[i])
		}
		loss += float64(d.Weight) * (s.LogSum(d.Query) - Dot(s.QueryRows(s.Rows, d.Query), mean))
		k.ScaleAdd(s.QueryRows(s.ByQuery, d.Query), mean, -d.Weight)
		s.store.subtract(s, d)
	}
	return loss
}

// exponentialOf converts a share of a distribution to the unit of its query's exponentials, which
// are relative to the shift. A slope is weight/sum times an exponential.
func (s *Softmax) exponentialOf(d Distribution, share float32) float64 {
	return float64(share) * float64(d.Weight) / float64(s.weights[d.Query]) * s.sums[d.Query]
}

func (x *exponentials) subtract(s *Softmax, d Distribution) {
	shift := s.shifts[d.Query]
	for i, row := range d.Rows {
		kept := x.units[s.number][row/Rows]
		if shift-kept.maxima[d.Query] > maxExcess {
			kept.rescale(d.Query, shift)
		}
		above := math.Exp(float64(shift) - float64(kept.maxima[d.Query]))
		at := int(row)%Rows*kept.Stride + d.Query
		kept.Data[at] -= float32(above * s.exponentialOf(d, d.Shares[i]))
	}
}

// rescale makes the exponentials of a query relative to a higher maximum.
func (t tileExponentials) rescale(query int, higher float32) {
	factor := float32(math.Exp(float64(t.maxima[query]) - float64(higher)))
	t.maxima[query] = higher
	for at := query; at < len(t.Data); at += t.Stride {
		t.Data[at] *= factor
	}
}

func (x *roundedExponentials) subtract(s *Softmax, d Distribution) {
	column := s.number*MaxRoundedQueries + d.Query
	for i, row := range d.Rows {
		slope := float64(x.bands.Number(int(row), column)) - s.exponentialOf(d, d.Shares[i])
		x.bands.SetNumber(int(row), column, float32(slope))
	}
}

func (x *sparse) subtract(s *Softmax, d Distribution) {
	for i, row := range d.Rows {
		slopes := &x.units[s.number][row/Rows]
		*slopes = append(*slopes, slope{row, int32(d.Query), -d.Shares[i] * d.Weight})
	}
}
