package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// randomNumbers draws non-negative numbers, some of them special if asked.
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

// TestCountNotAbove compares counts and marks with the Go version.
func TestCountNotAbove(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, set := range assemblySets(t) {
		for trial := range 100 {
			special := trial%2 == 1
			rows, columns := 1+rng.IntN(70), kernel.Columns*(1+rng.IntN(8))
			x := newTable(rng, rows, columns, columns+rng.IntN(9), rng.IntN(16), special)
			limit := newTable(rng, 1, columns, columns, 0, special)
			bound := kernel.ErrorBound{
				ColumnNorm:  randomNumbers(rng, columns, 1, special),
				ColumnError: randomNumbers(rng, columns, 1, special),
				RowPerNorm:  randomNumbers(rng, rows, 0.3, special),
				RowPerError: randomNumbers(rng, rows, 0.3, special), Floor: 1e-3,
			}
			got, want := make([]int32, columns), make([]int32, columns)
			gotMarks, wantMarks := kernel.NewMarks(rows+5), kernel.NewMarks(rows+5)
			set.CountNotAbove(x.Table, rows, columns, limit.Data, bound, got, gotMarks)
			kernel.PortableBF16().CountNotAbove(x.Table, rows, columns, limit.Data, bound, want, wantMarks)
			if !slices.Equal(got, want) || !slices.Equal(gotMarks, wantMarks) {
				t.Fatalf("%s, %d×%d: counts or marks differ from the Go version", set.Name, rows, columns)
			}
		}
	}
}

// TestCountNotAboveValues compares all versions with worked examples.
func TestCountNotAboveValues(t *testing.T) {
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
		{1, 0, 0, false}, {-1, 0, 1, false}, {0, 0, 1, true}, {0.5, 0, 1, true}, {-0.5, 0, 1, true},
		{0.51, 0, 0, false}, {-0.51, 0, 1, false},
		{nan, 0, 1, true}, {0, nan, 1, true}, {-inf, 0, 1, false}, {0, -inf, 0, false},
		{0, inf, 1, false},
		{1e8 + 16, 1e8, 0, false}, {1e8, 1e8, 1, true}, {-1e8, -1e8 + 16, 1, false},
	} {
		for _, set := range kernel.BF16Sets() {
			notAbove, marks := make([]int32, kernel.Columns), kernel.NewMarks(1)
			bound := kernel.ErrorBound{ColumnNorm: column(1), ColumnError: column(2),
				RowPerNorm: []float32{0.125}, RowPerError: []float32{0.0625}, Floor: 0.25}
			set.CountNotAbove(kernel.Table{Data: column(c.x), Stride: kernel.Columns}, 1, kernel.Columns,
				column(c.limit), bound, notAbove, marks)
			if near := slices.Contains(set.Positions(marks, nil),
				kernel.NewPosition(0, 3)); notAbove[3] != c.notAbove || near != c.near {
				t.Errorf("%s: %v against %v is not above %d times, near it %v", set.Name, c.x, c.limit,
					notAbove[3], near)
			}
		}
	}
}

// TestPositions checks that each mark has its position, and that positions are in order.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		rows, columns, rare := 1+rng.IntN(50), kernel.Columns*(1+rng.IntN(8)), 1+rng.IntN(30)
		marks := kernel.NewMarks(rows)
		var want []kernel.Position
		for row := range rows {
			for column := range columns {
				p := kernel.NewPosition(row, column)
				if p.Row() != row || p.Column() != column {
					t.Fatalf("row %d, column %d has the place of row %d, column %d", row, column, p.Row(),
						p.Column())
				}
				if rng.IntN(rare) == 0 {
					marks[p/64] |= 1 << (p % 64)
					want = append(want, p)
				}
			}
		}
		slices.Sort(want)
		for _, set := range kernel.BF16Sets() {
			if got := set.Positions(marks, nil); !slices.Equal(got, want) {
				t.Fatalf("%s: %d marks have the places %v, want %v", set.Name, len(want), got, want)
			}
		}
	}
}

// TestRecheck compares counts and uncertain positions with the definition in float64.
func TestRecheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, set := range kernel.BF16Sets() {
		for trial := range 100 {
			rows, columns, width := 1+rng.IntN(40), 1+rng.IntN(60), kernel.Columns*(1+rng.IntN(12))
			a := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), trial%3 == 0)
			b := newTable(rng, columns, width, width+rng.IntN(9), rng.IntN(16), false)
			limit, whole, byWhole := randomNumbers(rng, columns, 3, trial%5 == 0),
				randomNumbers(rng, columns, 1, false), randomNumbers(rng, rows, 3, false)
			places, counts := make([]kernel.Position, rng.IntN(90)), make([]int32, columns)
			var left []kernel.Position
			want := make([]int32, columns)
			for i := range places {
				row, column := rng.IntN(rows), rng.IntN(columns)
				places[i] = kernel.NewPosition(row, column)
				over := -float64(limit[column])
				for k, x := range a.Row(row)[:width] {
					over += float64(x) * float64(b.Row(column)[k])
				}
				bound := float64(byWhole[row])*float64(whole[column]) + 0.125
				switch {
				case over > bound:
					want[column]--
				case !(-over > bound):
					left = append(left, places[i])
				}
			}
			got := set.Recheck(places, a.Table, b.Table, width, limit, whole, byWhole, 0.125, counts)
			if !slices.Equal(got, left) || !slices.Equal(counts, want) {
				t.Fatalf("%s, products of %d: %v are left and counted %v, want %v and %v", set.Name, width,
					got, counts, left, want)
			}
		}
	}
}

// TestSquaredNorms compares squared norms with the Go version, up to the order of sums.
func TestSquaredNorms(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, set := range assemblySets(t) {
		for range 100 {
			rows, width := 1+rng.IntN(20), kernel.Columns*(1+rng.IntN(12))
			a := newTable(rng, rows, width, width+rng.IntN(9), rng.IntN(16), rng.IntN(4) == 0)
			gotSquares, wantSquares := make([]kernel.SquaredNorms, rows+1),
				make([]kernel.SquaredNorms, rows+1)
			set.SquaredNorms(gotSquares, a.Table, rows, width)
			kernel.PortableBF16().SquaredNorms(wantSquares, a.Table, rows, width)
			for i, w := range wantSquares {
				g := gotSquares[i]
				same(t, fmt.Sprintf("%s, squares of %d", set.Name, width),
					[]float32{g.Exact, g.Rounded, g.Error * 1e4}, []float32{w.Exact, w.Rounded, w.Error * 1e4},
					1e-5)
			}
		}
	}
}
