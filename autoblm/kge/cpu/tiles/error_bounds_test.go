package tiles

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// TestErrorBounds checks that scores in bfloat16, and float32 scores summed in another order,
// are within the error bounds for many kinds of numbers, and that the bounds are at most ten
// times too large for numbers with the largest rounding errors.
func TestErrorBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := map[string]func() float32{
		"normal":      func() float32 { return float32(rng.NormFloat64()) },
		"of one sign": func() float32 { return 1 + rng.Float32() },
		"worst":       func() float32 { return 1 + 0x1p-8 - 0x1p-23*float32(rng.IntN(3)) },
		"of all sizes": func() float32 {
			return float32(rng.NormFloat64() * math.Pow(10, 30*rng.Float64()-15))
		},
		"subnormal": func() float32 { return math.Float32frombits(rng.Uint32N(1 << 24)) },
		// products underflow
		"tiny":       func() float32 { return float32(rng.NormFloat64()) * 0x1p-62 },
		"cancelling": func() float32 { return float32(1-2*rng.IntN(2)) * (1 + 0x1p-9*rng.Float32()) },
	}
	for name, number := range numbers {
		for _, dim := range []int{1, 16, 33, 200, 1000} {
			e := NewEmbeddings(make([]float32, 48*dim), dim)
			q := NewQueries(Products{}, dim)
			q.Reset(48)
			for _, table := range []kernel.Table{e.Table, q.Rows} {
				for i := range 40 {
					for j := range dim {
						table.Row(i)[j] = number()
					}
				}
			}
			q.Transpose()
			for i, unit := range kernel.BF16Sets() {
				for _, set := range kernel.Sets() {
					if i > 0 && dim > 200 { // these are slow
						continue
					}
					e.EnableBF16(unit)
					b, a, s := NewErrorBounds(e, 1), NewRankedQueries(&q), NewRanker(set, dim)
					s.Prepare(a, b, make([]float32, MaxQueries))
					exact := NewTable(48, MaxQueries)
					q.Scores(set, exact, e.Table, 48)
					unit.Multiply(s.scores, e.Rounded.tile(0), a.factor, 64, q.PaddedCount,
						steps(e.Stride)*kernel.TileInner, false)
					for row := range 40 {
						for column := range 40 {
							bound := float64(b.rowPerNorm[row/kernel.BoundRows])*float64(a.norms[column]) +
								float64(b.rowPerError[row/kernel.BoundRows])*float64(a.errorNorms[column]) +
								float64(absoluteError(e.Stride))
							got, want := float64(s.scores.Row(row)[column]), float64(exact.Row(row)[column])
							if !(math.Abs(got-want) <= bound) {
								t.Fatalf("%s, d %d, %s, %s: a score of %v is %v in bfloat16, further than %v", name, dim,
									set.Name, unit.Name, want, got, bound)
							}
							recheckBound := float64(b.recheckPerNorm[row])*float64(a.norms[column]) +
								float64(absoluteError(e.Stride))
							if other := Dot(PaddedRow(e.Table, row),
								PaddedRow(q.Rows, column)); !(math.Abs(other-want) <= 2*recheckBound) {
								t.Fatalf("%s, d %d, %s: a score of %v is %v by other sums, further than %v", name, dim,
									set.Name, want, other, recheckBound)
							}
							if name == "worst" && dim > 16 && math.Abs(got-want) < bound/10 {
								t.Fatalf("%s, d %d, %s: a score of %v is %v in bfloat16, far less than %v away", name, dim,
									set.Name, want, got, bound)
							}
						}
					}
				}
			}
		}
	}
}

// TestNorm checks that upperNorm is an upper bound of the norm, and a tight one.
func TestNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 500 {
		width := kernel.Columns * (1 + rng.IntN(80))
		row := make([]float32, width)
		exponent := []float64{0, -10, -19, -23, -35, -45, 10}[trial%7]
		for i := range row {
			row[i] = float32(rng.NormFloat64() * math.Pow(10, exponent))
		}
		for _, unit := range kernel.BF16Sets() {
			var squares [1]kernel.SquaredNorms
			unit.SquaredNorms(squares[:], kernel.Table{Data: row, Stride: width}, 1, width)
			sum := 0.0
			for _, x := range row {
				sum += float64(x) * float64(x)
			}
			got, want := upperNorm(squares[0].Exact, width), math.Sqrt(sum)
			if got < want || exponent > -19 && got > want*1.0001 {
				t.Fatalf("%s: the norm of %d numbers near 1e%v is %v, %v was measured", unit.Name, width,
					exponent, want, got)
			}
		}
	}
}
