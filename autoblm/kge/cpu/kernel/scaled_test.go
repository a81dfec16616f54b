package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// FuzzScaled compares scaled distances and their gradients with float64 and with the Go version, for
// any shape, and checks that the kernels stay within their tables.
func FuzzScaled(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(3), uint8(5), uint8(7), uint8(69), uint8(4), uint64(2))
	f.Add(uint8(1), uint8(2), uint8(15), uint8(255), uint8(16), uint64(3))
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() uint8 { return uint8(rng.Uint32()) }
	for range 60 {
		f.Add(number(), number(), number(), number(), number(), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, rows, columns, width, inner, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, m := kernel.Rows*(1+int(rows)%4), kernel.Columns*(1+int(columns)%4)
		for _, set := range kernel.Sets() {
			scaledDistances(t, set, rng, n, m, 1+int(inner)%80, int(margin)%20)
			scaledSlopes(t, set, rng, n, 1+int(width)%80, 1+int(inner)%80, int(margin)%20)
		}
	})
}

// newIntegers draws small integers, so that products are exact and many distances are 0.
func newIntegers(rng *rand.Rand, rows, columns, stride int) table {
	t := newTable(rng, rows, columns, stride, rng.IntN(16), false)
	for i := range rows {
		for k := range columns {
			t.Row(i)[k] = float32((1 + rng.IntN(2)) * (1 - 2*rng.IntN(2)))
		}
	}
	return t
}

// scaledDistances checks a table of distances.
func scaledDistances(
	t *testing.T, set *kernel.Set, rng *rand.Rand, rows, columns, inner, margin int,
) {
	t.Helper()
	a := newTable(rng, rows, inner, inner+margin, rng.IntN(16), false)
	down := newTable(rng, 2*inner, columns, columns+margin, rng.IntN(16), false)
	b := kernel.PairedScales(down.Table)
	got := newTable(rng, rows, columns, columns+margin, rng.IntN(16), false)
	want := got.clone()
	set.ScaledDistances(got.Table, a.Table, b, rows, columns, inner)
	kernel.Portable().ScaledDistances(want.Table, a.Table, b, rows, columns, inner)
	what := fmt.Sprint(set.Name, ": rows, columns, inner ", rows, columns, inner)
	same(t, what, got.all, want.all, 1e-5)
	for i := range rows {
		for j := range columns {
			exact := 0.0
			for k := range inner {
				scaled := float64(a.Row(i)[k]) * float64(b.Scales.Row(k)[j])
				exact -= math.Abs(scaled - float64(b.Points.Row(k)[j]))
			}
			if x := float64(got.Row(i)[j]); math.Abs(x-exact) > 1e-5*math.Max(1, -exact) {
				t.Fatalf("%s: the distance is %v, want %v", what, x, exact)
			}
		}
	}
}

// scaledSlopes checks the gradients of points, scales and rows.
func scaledSlopes(
	t *testing.T, set *kernel.Set, rng *rand.Rand, rows, width, inner, margin int,
) {
	t.Helper()
	columns := kernel.Pad(width, kernel.Columns)
	stride, most := columns+margin, max(rows, inner)
	a, pairs := newIntegers(rng, most, columns, stride), newIntegers(rng, 2*most, columns, stride)
	points := kernel.PairedScales(pairs.Table)
	weights := newTable(rng, inner, rows, rows+margin, rng.IntN(16), false)
	before := newTable(rng, 2*rows, columns, stride, rng.IntN(16), false)
	// pull is the slope of a term with respect to the point, where row i has the weight of j.
	pull := func(i, j int, scaled, point float32) float64 {
		if scaled < point {
			return -float64(weights.Row(j)[i])
		}
		return float64(weights.Row(j)[i])
	}
	for _, add := range []bool{false, true} {
		what := fmt.Sprint(set.Name, ": rows, width, inner, add ", rows, width, inner, add)
		// compare checks numbers that are sums of terms, one for each j.
		compare := func(name string, run func(s *kernel.Set, to table), term func(row, k, j int) float64) {
			got, portable := before.clone(), before.clone()
			run(set, got)
			run(kernel.Portable(), portable)
			same(t, what+", "+name, got.all, portable.all, 1e-4)
			for row := range rows {
				for k := range columns {
					var want sum
					if add && k < width {
						want.add(float64(before.Row(row)[k]))
					}
					for j := range inner {
						if k < width {
							want.add(term(row, k, j))
						}
					}
					if y := got.Row(row)[k]; !want.near(y) {
						t.Fatalf("%s, %s: number %d of row %d is %v, want %v", what, name, k, row, y, want.exact)
					}
				}
			}
		}
		compare("rows", func(s *kernel.Set, to table) {
			s.ScaledPointGradient(to.Table, weights.Data, 1, weights.Stride, a.Table, points, rows, width,
				inner, add)
		}, func(row, k, j int) float64 {
			scale := points.Scales.Row(j)[k]
			return -pull(row, j, a.Row(row)[k]*scale, points.Points.Row(j)[k]) * float64(scale)
		})
		if rows%(2*kernel.Rows) != 0 { // compare reads points and scales as rows
			continue
		}
		compare("points and scales", func(s *kernel.Set, to table) {
			s.ScaledGradient(kernel.PairedScales(to.Table), weights.Data, 1, weights.Stride, points,
				a.Table, rows, width, inner, add)
		}, func(row, k, j int) float64 {
			i, other := row/2, a.Row(j)[k]
			slope := pull(i, j, other*points.Scales.Row(i)[k], points.Points.Row(i)[k])
			if row%2 == 1 {
				slope *= -float64(other)
			}
			return slope
		})
	}
}
