package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// randomNumbers are of all kinds, and now and then no numbers.
func randomNumbers(rng *rand.Rand, n int, scale float64, special bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Abs(rng.NormFloat64()) * scale)
		if special && rng.IntN(20) == 0 {
			x[i] = []float32{nan, inf, 0}[rng.IntN(3)]
		}
	}
	return x
}

// TestSift: the counts and marks are those of the Go twin.
func TestSift(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, unit := range assembled(t) {
		for trial := range 100 {
			special := trial%2 == 1
			rows, columns := 1+rng.IntN(70), kernel.Columns*(1+rng.IntN(8))
			x := newTable(rng, rows, columns, columns+rng.IntN(9), rng.IntN(16), special)
			limit := newTable(rng, 1, columns, columns, 0, special)
			reach := kernel.Reach{
				Whole: randomNumbers(rng, columns, 1, special), Lost: randomNumbers(rng, columns, 1, special),
				ByWhole: randomNumbers(rng, rows, 0.3, special), ByLost: randomNumbers(rng, rows, 0.3, special), Least: 1e-3,
			}
			got, want := make([]int32, columns), make([]int32, columns)
			gotMarks, wantMarks := make([]kernel.Marks, rows+1), make([]kernel.Marks, rows+1)
			unit.Sift(x.Table, rows, columns, limit.Data, reach, got, gotMarks)
			kernel.PortableUnit().Sift(x.Table, rows, columns, limit.Data, reach, want, wantMarks)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotMarks, wantMarks) {
				t.Fatalf("%s, %d×%d: the Go twin has other counts or marks", unit.Name, rows, columns)
			}
		}
	}
}

// TestSiftIsCertain holds the Go twin to what it is for.
func TestSiftIsCertain(t *testing.T) {
	column := func(x float32) []float32 {
		all := make([]float32, kernel.Columns)
		all[3] = x
		return all
	}
	for _, c := range []struct {
		x, limit float32
		above    int32
		marked   bool
	}{
		{1, 0, 1, false}, {-1, 0, 0, false}, {0, 0, 0, true}, {0.5, 0, 0, true}, {-0.5, 0, 0, true}, {0.51, 0, 1, false}, {-0.51, 0, 0, false},
		{nan, 0, 0, true}, {0, nan, 0, true}, {-inf, 0, 0, false}, {0, -inf, 1, false}, {inf, inf, 0, true}, {0, inf, 0, false},
	} {
		for _, unit := range kernel.Units() {
			above, marks := make([]int32, kernel.Columns), make([]kernel.Marks, 1)
			reach := kernel.Reach{Whole: column(1), Lost: column(2), ByWhole: []float32{0.125}, ByLost: []float32{0.0625}, Least: 0.25}
			unit.Sift(kernel.Table{Data: column(c.x), Stride: kernel.Columns}, 1, kernel.Columns, column(c.limit), reach, above, marks)
			if marked := marks[0][0]>>3&1 == 1; above[3] != c.above || marked != c.marked {
				t.Errorf("%s: %v against %v is counted %d times, marked %v", unit.Name, c.x, c.limit, above[3], marked)
			}
		}
	}
}

// TestDotsAndSquares: they are those of the Go twins but for the order of sums.
func TestDotsAndSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, unit := range assembled(t) {
		for range 100 {
			rows, width := 1+rng.IntN(20), kernel.Columns*(1+rng.IntN(12))
			a := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), rng.IntN(4) == 0)
			b := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), false)
			pairs := make([]kernel.Pair, 1+rng.IntN(30))
			for i := range pairs {
				pairs[i] = kernel.Pair{Left: rng.Int32N(int32(rows)), Right: rng.Int32N(int32(rows))}
			}
			got, want := make([]float32, len(pairs)+1), make([]float32, len(pairs)+1)
			unit.Dots(got, pairs, a.Table, b.Table, width)
			kernel.PortableUnit().Dots(want, pairs, a.Table, b.Table, width)
			same(t, fmt.Sprintf("%s, products of %d", unit.Name, width), got, want, 1e-5)

			gotSquares, wantSquares := make([]kernel.Squares, rows+1), make([]kernel.Squares, rows+1)
			unit.Squares(gotSquares, a.Table, rows, width)
			kernel.PortableUnit().Squares(wantSquares, a.Table, rows, width)
			for i, w := range wantSquares {
				g := gotSquares[i]
				same(t, fmt.Sprintf("%s, squares of %d", unit.Name, width), []float32{g.Whole, g.Rounded, g.Lost * 1e4}, []float32{w.Whole, w.Rounded, w.Lost * 1e4}, 1e-5)
			}
		}
	}
}

// BenchmarkDoubts is what a tile of scores takes beside its product.
func BenchmarkDoubts(b *testing.B) {
	const rows, columns, doubtful = 192, 96, 220
	rng := rand.New(rand.NewPCG(1, 1))
	x := newTable(rng, rows, columns, columns, 0, false)
	limit, above, marks := make([]float32, columns), make([]int32, columns), make([]kernel.Marks, rows)
	reach := kernel.Reach{
		Whole: randomNumbers(rng, columns, 1, false), Lost: randomNumbers(rng, columns, 1, false),
		ByWhole: randomNumbers(rng, rows, 1e-2, false), ByLost: randomNumbers(rng, rows, 1e-2, false),
	}
	dots, pairs := make([]float32, doubtful), make([]kernel.Pair, doubtful)
	for i := range pairs {
		pairs[i] = kernel.Pair{Left: int32(i * rows / doubtful), Right: rng.Int32N(columns)}
	}
	for _, unit := range assembled(b)[:1] {
		b.Run("Sift", func(b *testing.B) {
			for b.Loop() {
				unit.Sift(x.Table, rows, columns, limit, reach, above, marks)
			}
		})
		for _, dim := range []int{64, 1024} {
			left, right := newTable(rng, rows, dim, dim, 0, false), newTable(rng, columns, dim, dim, 0, false)
			b.Run(fmt.Sprintf("Dots/d%d", dim), func(b *testing.B) {
				for b.Loop() {
					unit.Dots(dots, pairs, left.Table, right.Table, dim)
				}
			})
			squares := make([]kernel.Squares, rows)
			b.Run(fmt.Sprintf("Squares/d%d", dim), func(b *testing.B) {
				for b.Loop() {
					unit.Squares(squares, left.Table, rows, dim)
				}
			})
		}
	}
}
