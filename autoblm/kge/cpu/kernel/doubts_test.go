package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
			gotMarks, wantMarks := kernel.NewMarks(rows+5), kernel.NewMarks(rows+5)
			unit.Sift(x.Table, rows, columns, limit.Data, reach, got, gotMarks)
			kernel.PortableUnit().Sift(x.Table, rows, columns, limit.Data, reach, want, wantMarks)
			if !slices.Equal(got, want) || !slices.Equal(gotMarks, wantMarks) {
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
		notAbove int32
		near     bool
	}{
		{1, 0, 0, false}, {-1, 0, 1, false}, {0, 0, 1, true}, {0.5, 0, 1, true}, {-0.5, 0, 1, true}, {0.51, 0, 0, false}, {-0.51, 0, 1, false},
		{nan, 0, 1, true}, {0, nan, 1, true}, {-inf, 0, 1, false}, {0, -inf, 0, false}, {0, inf, 1, false},
		{1e8 + 16, 1e8, 0, false}, {1e8, 1e8, 1, true}, {-1e8, -1e8 + 16, 1, false},
	} {
		for _, unit := range kernel.Units() {
			notAbove, marks := make([]int32, kernel.Columns), kernel.NewMarks(1)
			reach := kernel.Reach{Whole: column(1), Lost: column(2), ByWhole: []float32{0.125}, ByLost: []float32{0.0625}, Least: 0.25}
			unit.Sift(kernel.Table{Data: column(c.x), Stride: kernel.Columns}, 1, kernel.Columns, column(c.limit), reach, notAbove, marks)
			if near := slices.Contains(unit.Places(marks, nil), kernel.NewPlace(0, 3)); notAbove[3] != c.notAbove || near != c.near {
				t.Errorf("%s: %v against %v is not above %d times, near it %v", unit.Name, c.x, c.limit, notAbove[3], near)
			}
		}
	}
}

// TestPlaces: each mark has its place, and places are in order.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		rows, columns, rare := 1+rng.IntN(50), kernel.Columns*(1+rng.IntN(8)), 1+rng.IntN(30)
		marks := kernel.NewMarks(rows)
		var want []kernel.Place
		for row := range rows {
			for column := range columns {
				p := kernel.NewPlace(row, column)
				if p.Row() != row || p.Column() != column {
					t.Fatalf("row %d, column %d has the place of row %d, column %d", row, column, p.Row(), p.Column())
				}
				if rng.IntN(rare) == 0 {
					marks[p/64] |= 1 << (p % 64)
					want = append(want, p)
				}
			}
		}
		slices.Sort(want)
		for _, unit := range kernel.Units() {
			if got := unit.Places(marks, nil); !slices.Equal(got, want) {
				t.Fatalf("%s: %d marks have the places %v, want %v", unit.Name, len(want), got, want)
			}
		}
	}
}

// TestSettle: the counts and the places that are left are those of the Go twin, which are
// those of the definition in float64.
func TestSettle(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, unit := range kernel.Units() {
		for trial := range 100 {
			rows, columns, width := 1+rng.IntN(40), 1+rng.IntN(60), kernel.Columns*(1+rng.IntN(12))
			a := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), trial%3 == 0)
			b := newTable(rng, columns, width, width+rng.IntN(9), rng.IntN(16), false)
			limit, whole, byWhole := randomNumbers(rng, columns, 3, trial%5 == 0), randomNumbers(rng, columns, 1, false), randomNumbers(rng, rows, 3, false)
			places, counts := make([]kernel.Place, rng.IntN(90)), make([]int32, columns)
			var left []kernel.Place
			want := make([]int32, columns)
			for i := range places {
				row, column := rng.IntN(rows), rng.IntN(columns)
				places[i] = kernel.NewPlace(row, column)
				over := -float64(limit[column])
				for k, x := range a.Row(row)[:width] {
					over += float64(x) * float64(b.Row(column)[k])
				}
				reach := float64(byWhole[row])*float64(whole[column]) + 0.125
				switch {
				case over > reach:
					want[column]--
				case !(-over > reach):
					left = append(left, places[i])
				}
			}
			got := unit.Settle(places, a.Table, b.Table, width, limit, whole, byWhole, 0.125, counts)
			if !slices.Equal(got, left) || !slices.Equal(counts, want) {
				t.Fatalf("%s, products of %d: %v are left and counted %v, want %v and %v", unit.Name, width, got, counts, left, want)
			}
		}
	}
}

// TestSquares: they are those of the Go twin but for the order of sums.
func TestSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, unit := range assembled(t) {
		for range 100 {
			rows, width := 1+rng.IntN(20), kernel.Columns*(1+rng.IntN(12))
			a := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), rng.IntN(4) == 0)
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
	limit, counts, marks := make([]float32, columns), make([]int32, columns), kernel.NewMarks(rows)
	reach := kernel.Reach{
		Whole: randomNumbers(rng, columns, 1, false), Lost: randomNumbers(rng, columns, 1, false),
		ByWhole: randomNumbers(rng, rows, 1e-2, false), ByLost: randomNumbers(rng, rows, 1e-2, false),
	}
	var near []kernel.Place
	places, again := make([]kernel.Place, doubtful), make([]kernel.Place, doubtful)
	for i := range places {
		places[i] = kernel.NewPlace(i*rows/doubtful, rng.IntN(columns))
	}
	for _, unit := range assembled(b)[:1] {
		b.Run("Sift", func(b *testing.B) {
			for b.Loop() {
				unit.Sift(x.Table, rows, columns, limit, reach, counts, marks)
			}
		})
		b.Run("Places", func(b *testing.B) {
			for b.Loop() {
				near = unit.Places(marks, near)
			}
		})
		for _, dim := range []int{64, 1024} {
			left, right := newTable(rng, rows, dim, dim, 0, false), newTable(rng, columns, dim, dim, 0, false)
			b.Run(fmt.Sprintf("Settle/d%d", dim), func(b *testing.B) {
				for b.Loop() {
					copy(again, places)
					unit.Settle(again, left.Table, right.Table, dim, limit, reach.Whole, reach.ByWhole, 0, counts)
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
