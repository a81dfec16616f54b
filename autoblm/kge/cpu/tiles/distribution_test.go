package tiles

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// TestDistributionOfLowScores compares loss and gradients of a distribution with their definition,
// where its rows score so much lower than others in a later tile that the quotient of their
// exponentials exceeds float32.
func TestDistributionOfLowScores(t *testing.T) {
	const dim, count, lower = 16, Rows + 5, 120
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float32, count*dim)
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64())
		if i%dim == 0 && i/dim < Rows { // the query's only coordinate
			numbers[i] -= lower
		}
	}
	d := Distribution{
		Weight: 0.5, Rows: []int32{3, Rows - 1, Rows + 2}, Shares: []float32{0.6, 0.3, 0.1},
	}
	for name, c := range map[string]struct {
		sparse    int
		unit      *kernel.BF16Set
		tolerance float64
	}{
		"float32":  {0, nil, 1e-5},
		"sparse":   {1e9, nil, 1e-5},
		"bfloat16": {0, kernel.PortableBF16(), 1e-2},
	} {
		rows := NewEmbeddings(numbers, dim)
		if c.unit != nil {
			rows.EnableBF16(c.unit)
		}
		k := kernel.Sets()[0]
		all := NewSoftmaxes(Products{}, rows, dim, 1, 1, c.sparse)
		scratch := NewScratch(k, rows, dim, c.sparse > 0)
		s := all.Unit(0)
		s.Reset(1)
		s.Rows.Row(0)[0], s.Sampling.Directions, s.Distributions = 1, 1, []Distribution{d}
		loss := s.CrossEntropy(k, rows, 0, scratch, nil)

		sum, slopes := 0.0, make([]float64, count) // by the scores
		for row := range slopes {
			sum += math.Exp(float64(numbers[row*dim]))
		}
		for row := range slopes {
			slopes[row] = math.Exp(float64(numbers[row*dim])) / sum
		}
		want := math.Log(sum)
		for i, row := range d.Rows {
			slopes[row] -= float64(d.Shares[i])
			want -= float64(d.Shares[i]) * float64(numbers[int(row)*dim])
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= c.tolerance*max(1, math.Abs(want))) {
				t.Errorf("%s: %s is %v, want %v", name, what, got, want)
			}
		}
		near("loss", loss, 0.5*want)
		byQuery := make([]float64, dim)
		for tile := range rows.Tiles() {
			start, n, _ := rows.Tile(tile)
			gradient := NewTable(Rows, dim)
			all.Collect(k, rows, 1, tile, gradient, NewTable(MaxQueries, dim), false)
			for row := range n {
				near("gradient of a row", float64(gradient.Row(row)[0]), 0.5*slopes[start+row])
				for column := range byQuery {
					byQuery[column] += 0.5 * slopes[start+row] * float64(numbers[(start+row)*dim+column])
				}
			}
		}
		for column, want := range byQuery {
			near("gradient of the query", float64(s.QueryRows(s.ByQuery, 0)[column]), want)
		}
	}
}
