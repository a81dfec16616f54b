package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// FuzzModuli compares sums of moduli and their gradients with float64 and with the Go version, for
// any shape, and checks that the kernels stay within their tables.
func FuzzModuli(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint64(1))
	f.Add(uint8(3), uint8(5), uint8(7), uint8(69), uint8(4), uint64(2))
	f.Add(uint8(1), uint8(2), uint8(15), uint8(255), uint8(16), uint64(3))
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() uint8 { return uint8(rng.Uint32()) }
	for range 60 {
		f.Add(number(), number(), number(), number(), number(), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, rows, columns, half, inner, margin uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, m := kernel.Rows*(1+int(rows)%4), kernel.Columns*(1+int(columns)%4)
		for _, set := range kernel.Sets() {
			sumsModuli(t, set, rng, n, m, 1+int(half)%50, int(margin)%20)
			slopesOfModuli(t, set, rng, n, 1+int(half)%50, 1+int(inner)%80, int(margin)%20)
		}
	})
}

// sumsModuli checks a table of sums of moduli.
func sumsModuli(
	t *testing.T, set *kernel.Set, rng *rand.Rand, rows, columns, half, margin int,
) {
	t.Helper()
	a := newTable(rng, rows, 2*half, 2*half+margin, rng.IntN(16), false)
	b := newTable(rng, 2*half, columns, columns+margin, rng.IntN(16), false)
	for k := range 2 * half { // the first distance has many moduli of 0
		if rng.IntN(2) == 0 {
			b.Row(k)[0] = a.Row(0)[k]
		}
	}
	got := newTable(rng, rows, columns, columns+margin, rng.IntN(16), false)
	want := got.clone()
	set.Moduli(got.Table, a.Table, b.Table, rows, columns, half)
	kernel.Portable().Moduli(want.Table, a.Table, b.Table, rows, columns, half)
	same(t, fmt.Sprint(set.Name, ": rows, columns, half ", rows, columns, half), got.all, want.all, 1e-5)
	for i := range rows {
		for j := range columns {
			exact := 0.0
			for k := range half {
				exact -= math.Hypot(float64(a.Row(i)[k])-float64(b.Row(k)[j]),
					float64(a.Row(i)[half+k])-float64(b.Row(half + k)[j]))
			}
			if x := float64(got.Row(i)[j]); math.Abs(x-exact) > 1e-5*math.Max(1, -exact) {
				t.Fatalf("%s: the sum of %d moduli is %v, want %v", set.Name, half, x, exact)
			}
		}
	}
}

// slopesOfModuli checks a gradient.
func slopesOfModuli(
	t *testing.T, set *kernel.Set, rng *rand.Rand, rows, half, inner, margin int,
) {
	t.Helper()
	columns := kernel.Pad(2*half, kernel.Columns)
	x := newTable(rng, rows, columns, columns+margin, rng.IntN(16), false)
	b := newTable(rng, inner, columns, columns+margin, rng.IntN(16), false)
	copy(b.Row(0)[:columns], x.Row(0)) // all moduli are 0
	weights := newTable(rng, inner, rows, rows+margin, rng.IntN(16), false)
	transposed := newTable(rng, rows, inner, inner+margin, rng.IntN(16), false)
	for i := range rows {
		for j := range inner {
			transposed.Row(i)[j] = weights.Row(j)[i]
		}
	}
	before := newTable(rng, rows, columns, columns+margin, rng.IntN(16), false)
	for _, add := range []bool{false, true} {
		gradient := func(s *kernel.Set, w []float32, wRow, wStep int) table {
			y := before.clone()
			s.ModulusGradient(y.Table, w, wRow, wStep, x.Table, b.Table, rows, half, inner, add)
			return y
		}
		got := gradient(set, weights.Data, 1, weights.Stride)
		what := fmt.Sprint(set.Name, ": rows, half, inner, add ", rows, half, inner, add)
		same(t, what, got.all, gradient(kernel.Portable(), weights.Data, 1, weights.Stride).all, 1e-4)
		same(t, what+", transposed weights", got.all,
			gradient(set, transposed.Data, transposed.Stride, 1).all, 0)
		for i := range rows {
			for k := range columns {
				var want sum
				if add && k < 2*half {
					want.add(float64(before.Row(i)[k]))
				}
				for j := range inner {
					if k < 2*half {
						re := float64(b.Row(j)[k%half]) - float64(x.Row(i)[k%half])
						im := float64(b.Row(j)[half+k%half]) - float64(x.Row(i)[half+k%half])
						if part := [2]float64{re, im}[k/half]; part != 0 {
							want.add(float64(weights.Row(j)[i]) * part / math.Hypot(re, im))
						}
					}
				}
				if y := got.Row(i)[k]; !want.near(y) {
					t.Fatalf("%s: number %d of row %d is %v, want %v", what, k, i, y, want.exact)
				}
			}
		}
	}
}

// TestModuliAreExact checks that moduli that are integers have no rounding error, so that entities
// with equal scores tie.
func TestModuliAreExact(t *testing.T) {
	eachSet(t, func(t *testing.T, set, _ *kernel.Set, _ *rand.Rand) {
		const n = 40
		c, zero := newTable(rand.New(rand.NewPCG(1, 2)), kernel.Rows, kernel.Columns, kernel.Columns, 0, false),
			kernel.Table{Data: make([]float32, 2*kernel.Columns), Stride: kernel.Columns}
		for i := range n {
			size := float32(i)
			a := kernel.Table{Data: make([]float32, 2*kernel.Rows), Stride: 2}
			copy(a.Data, []float32{3 * size, 4 * size, -size, 0, 0, size})
			set.Moduli(c.Table, a, zero, kernel.Rows, kernel.Columns, 1)
			got := [3]float32{c.Row(0)[0], c.Row(1)[0], c.Row(2)[0]}
			if want := [3]float32{-5 * size, -size, -size}; i > 0 && got != want {
				t.Errorf("moduli are %v, want %v", got, want)
			}
		}
	})
}

// TestModuliOfNaN checks that a number that is not finite makes the score NaN.
func TestModuliOfNaN(t *testing.T) {
	eachSet(t, func(t *testing.T, set, _ *kernel.Set, _ *rand.Rand) {
		a := kernel.Table{Data: make([]float32, 2*kernel.Rows), Stride: 2}
		b := kernel.Table{Data: make([]float32, 2*kernel.Columns), Stride: kernel.Columns}
		c := kernel.Table{Data: make([]float32, kernel.Rows*kernel.Columns), Stride: kernel.Columns}
		a.Data[1] = nan
		set.Moduli(c, a, b, kernel.Rows, kernel.Columns, 1)
		if got := c.Row(0)[0]; got == got {
			t.Errorf("the distance of NaN is %v", got)
		}
	})
}

func BenchmarkModuli(b *testing.B) {
	const rows, columns, d = 192, 96, 200
	for _, set := range kernel.Sets() {
		rng := rand.New(rand.NewPCG(1, 2))
		entities := newTable(rng, rows, d, kernel.Pad(d, kernel.Columns), 0, false)
		down := newTable(rng, d, columns, columns, 0, false)
		queries := newTable(rng, columns, d, entities.Stride, 0, false)
		scores := newTable(rng, rows, columns, columns, 0, false)
		byQuery, byEntity := queries.clone(), entities.clone()
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"scores", func() {
				set.Moduli(scores.Table, entities.Table, down.Table, rows, columns, d/2)
			}},
			{"byQuery", func() {
				set.ModulusGradient(byQuery.Table, scores.Data, 1, columns, queries.Table, entities.Table,
					columns, d/2, rows, true)
			}},
			{"byEntity", func() {
				set.ModulusGradient(byEntity.Table, scores.Data, columns, 1, entities.Table, queries.Table,
					rows, d/2, columns, true)
			}},
		} {
			b.Run(set.Name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					c.run()
				}
				moduli := float64(rows * columns * d / 2 * b.N)
				b.ReportMetric(moduli/b.Elapsed().Seconds()/1e9, "Gmoduli/s")
			})
		}
	}
}
