package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

const band, step = kernel.Band, kernel.TileInner

// assemblySets returns all sets but the portable one.
func assemblySets(t testing.TB) []*kernel.BF16Set {
	units := kernel.BF16Sets()
	if len(units) == 1 {
		t.Skip("this processor has no bfloat16 products")
	}
	return units[:len(units)-1]
}

// guarded holds tiles between margins that no kernel may touch.
type guarded struct {
	kernel.Tiles
	all []uint16
}

const tileMark = 0x4321

func newGuarded(bands, steps int) guarded {
	const margin = 64
	n := bands * steps * band * step
	all := make([]uint16, n+2*margin)
	for i := range all {
		all[i] = tileMark
	}
	return guarded{kernel.Tiles{Data: all[margin:][:n], Stride: steps}, all}
}

// randomTiles draws normally distributed numbers, with NaN, infinities and subnormal numbers
// if special is set.
func randomTiles(rng *rand.Rand, bands, steps int, special bool) kernel.Tiles {
	t := newGuarded(bands, steps).Tiles
	for row := range bands * band {
		for column := range steps * step {
			x := float32(rng.NormFloat64())
			if special && rng.IntN(400) == 0 {
				x = []float32{nan, inf, -inf, 0, -0.5}[rng.IntN(5)]
			}
			t.SetNumber(row, column, x)
			if special && rng.IntN(40) == 0 { // subnormal
				t.Data[rng.IntN(len(t.Data))] = uint16(rng.IntN(2)<<15 + rng.IntN(0x80))
			}
		}
	}
	return t
}

func sameTiles(t *testing.T, what string, got, want guarded) {
	t.Helper()
	for i, w := range want.all {
		if g := got.all[i]; g != w && !(isNaN(g) && isNaN(w)) {
			t.Fatalf("%s: number %d is %#x, the Go version has %#x", what, i, g, w)
		}
	}
}

func isNaN(x uint16) bool { return x&0x7fff > 0x7f80 }

// shape counts bands of rows, bands of columns, and tiles along the inner dimension.
type shape struct{ bands, columns, steps int }

func multiplies(t *testing.T, set *kernel.BF16Set, rng *rand.Rand, s shape, special bool) {
	t.Helper()
	a, b := randomTiles(rng, s.bands, s.steps, special), randomTiles(rng, s.columns, s.steps, special)
	inner := step * (1 + rng.IntN(s.steps))
	got := newTable(rng, s.bands*band, s.columns*band, s.columns*band+rng.IntN(20), rng.IntN(16),
		special && rng.IntN(2) == 0)
	want := got.clone()
	add := rng.IntN(2) == 1
	set.Multiply(got.Table, a, b, s.bands*band, s.columns*band, inner, add)
	kernel.PortableBF16().Multiply(want.Table, a, b, s.bands*band, s.columns*band, inner, add)
	same(t, fmt.Sprintf("%s, %+v, %d numbers, add %v", set.Name, s, inner, add), got.all, want.all,
		1e-4)
}

// TestMultiplyIsTheProduct compares the Go version with the definition in float64.
func TestMultiplyIsTheProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, columns, inner = 2 * band, 3 * band, 2 * step
	a, columnsOfB := randomTiles(rng, 2, 2, false), randomTiles(rng, 3, 2, false)
	b := kernel.NewTiles(3, 2)
	kernel.PortableBF16().Right(b, columnsOfB, 3, 2)
	c := newTable(rng, rows, columns, columns, 0, false)
	kernel.PortableBF16().Multiply(c.Table, a, b, rows, columns, inner, false)
	for i := range rows {
		for j := range columns {
			want := 0.0
			for k := range inner {
				want += float64(a.Number(i, k)) * float64(columnsOfB.Number(j, k))
			}
			if got := c.Row(i)[j]; math.Abs(float64(got)-want) > 1e-4 {
				t.Fatalf("[%d, %d] is %v, want %v", i, j, got, want)
			}
		}
	}
}

func packs(t *testing.T, set *kernel.BF16Set, rng *rand.Rand, s shape) {
	t.Helper()
	from, portable := randomTiles(rng, s.bands, s.steps, true), kernel.PortableBF16()
	for name, make := range map[string]func(*kernel.BF16Set, kernel.Tiles){
		"pairs": func(u *kernel.BF16Set, to kernel.Tiles) { u.Pairs(to, from, s.bands, s.steps) },
		"columns": func(u *kernel.BF16Set, to kernel.Tiles) {
			u.Columns(to, from, s.bands, s.steps, kernel.NewTiles(1, 2))
		},
	} {
		got, want := newGuarded(2*s.steps, s.bands/2), newGuarded(2*s.steps, s.bands/2)
		make(set, got.Tiles)
		make(portable, want.Tiles)
		sameTiles(t, set.Name+", "+name, got, want)
	}
	got, want := newGuarded(s.bands, s.steps), newGuarded(s.bands, s.steps)
	set.Right(got.Tiles, from, s.bands, s.steps)
	portable.Right(want.Tiles, from, s.bands, s.steps)
	sameTiles(t, set.Name+", right", got, want)
}

func rounds(t *testing.T, set *kernel.BF16Set, rng *rand.Rand, rows, width, margin int) {
	t.Helper()
	x := newTable(rng, rows, width, width+margin, rng.IntN(16), true)
	factors := make([]float32, rows)
	for i := range factors {
		factors[i] = []float32{1, 0, 0.3, 1e-39, nan}[rng.IntN(5)]
	}
	bands, steps := (rows+band-1)/band, (width+step-1)/step
	got, want := newGuarded(bands, steps), newGuarded(bands, steps)
	set.Round(got.Tiles, x.Table, rows, width, factors)
	kernel.PortableBF16().Round(want.Tiles, x.Table, rows, width, factors)
	sameTiles(t, fmt.Sprintf("%s, %d rows of %d rounded", set.Name, rows, width), got, want)
}

// TestColumnsIsTheTranspose compares the Go version of packing with its definition.
func TestColumnsIsTheTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	u, from := kernel.PortableBF16(), randomTiles(rng, 2, 3, false)
	to, back := kernel.NewTiles(6, 1), kernel.NewTiles(6, 1)
	u.Columns(to, from, 2, 3, kernel.NewTiles(1, 2))
	u.Pairs(back, from, 2, 3)
	twice := kernel.NewTiles(6, 1)
	u.Right(twice, to, 6, 1)
	if !slices.Equal(twice.Data, back.Data) {
		t.Error("the columns for left and right factors differ")
	}
	for row := range 2 * band {
		for column := range 3 * step {
			if from.Number(row, column) != to.Number(column, row) {
				t.Fatalf("[%d, %d] is %v, its transpose has %v", row, column, from.Number(row, column),
					to.Number(column, row))
			}
		}
	}
}

func exponentiates(t *testing.T, set *kernel.BF16Set, rng *rand.Rand, rows, columns, margin int) {
	t.Helper()
	x := newTable(rng, rows, columns, columns+margin, rng.IntN(16), true)
	shift, sum, most := make([]float32, columns), make([]float32, columns), make([]float32, columns)
	for i := range shift {
		// no difference is too large
		shift[i], sum[i], most[i] = max(-70, float32(rng.NormFloat64())*30), float32(rng.NormFloat64()),
			float32(rng.NormFloat64())
	}
	for i, v := range x.Data { // nor this
		if v == inf {
			x.Data[i] = -100
		}
	}
	wantSum, wantMost := slices.Clone(sum), slices.Clone(most)
	bands := (rows + band - 1) / band
	got, want := newGuarded(bands, columns/step), newGuarded(bands, columns/step)
	set.ExpRound(got.Tiles, x.Table, rows, columns, shift, sum, most)
	kernel.PortableBF16().ExpRound(want.Tiles, x.Table, rows, columns, shift, wantSum, wantMost)
	for i, w := range wantSum {
		if g := sum[i]; math.Abs(float64(g-w)) > 1e-5*math.Max(1, math.Abs(float64(w))) ||
			(g != g) != (w != w) {
			t.Fatalf("%s: sum %d is %v, the Go version has %v", set.Name, i, g, w)
		}
	}
	same(t, set.Name+", maxima", most, wantMost, 0)
	// as neighbours at most, where the exponentials differ in their last bits
	for i, w := range want.all {
		if g := got.all[i]; g != w && !(isNaN(g) && isNaN(w)) && g+1 != w && g != w+1 {
			t.Fatalf("%s: number %d is %#x, the Go version has %#x", set.Name, i, g, w)
		}
	}
}

// TestShortExponential limits the error of sums of exponentials to that of float32.
func TestShortExponential(t *testing.T) {
	const columns = step
	for _, set := range kernel.BF16Sets() {
		zeros, to := make([]float32, columns), kernel.NewTiles(1, 1)
		for x := float32(-86.9); x < 80; x += 0.0137 {
			row, sum := slices.Repeat([]float32{x}, columns), make([]float32, columns)
			set.ExpRound(to, kernel.Table{Data: row, Stride: columns}, 1, columns, zeros, sum,
				slices.Clone(zeros))
			if want := math.Exp(float64(x)); math.Abs(float64(sum[5])-want) > 4e-6*want ||
				sum[5] != sum[columns-1] {
				t.Fatalf("%s: exp(%v) is %v, want %v", set.Name, x, sum[5], want)
			}
		}
	}
}

// TestRounding checks rounding to the nearest bfloat16 number, ties to even.
func TestRounding(t *testing.T) {
	for x, want := range map[float32]float32{1: 1, 1 + 0x1p-8: 1, 1 + 0x1p-8 + 0x1p-20: 1 + 0x1p-7,
		1 + 3*0x1p-8: 1 + 2*0x1p-7, -3.14159: -3.140625, 1e-39: 0, inf: inf, 3.4e38: inf} {
		for _, u := range kernel.BF16Sets() {
			tiles := kernel.NewTiles(1, 1)
			row := make([]float32, kernel.Columns)
			row[3] = x
			u.Round(tiles, kernel.Table{Data: row, Stride: kernel.Columns}, 1, kernel.Columns, []float32{1})
			if got := tiles.Number(0, 3); got != want {
				t.Errorf("%s: %v is rounded to %v, want %v", u.Name, x, got, want)
			}
		}
	}
}

// BenchmarkMultiply measures the product of a tile of entities with queries, and the products
// of its gradients.
func BenchmarkMultiply(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, set := range assemblySets(b) {
		for _, s := range [][3]int{{192, 96, 32}, {192, 32, 96}, {96, 32, 192}, {32, 32, 256},
			{32, 32, 512}, {192, 96, 64}, {192, 96, 512}, {192, 96, 2048}, {96, 64, 192}, {96, 512, 192},
			{96, 2048, 192}, {192, 512, 960}, {192, 2048, 960}} {
			rows, columns, inner := s[0], s[1], s[2]
			b.Run(fmt.Sprintf("%s/%dx%dx%d", set.Name, rows, columns, inner), func(b *testing.B) {
				left, right := randomTiles(rng, rows/band, inner/step, false),
					randomTiles(rng, columns/band, inner/step, false)
				c := newTable(rng, rows, columns, columns, 0, false)
				for b.Loop() {
					set.Multiply(c.Table, left, right, rows, columns, inner, true)
				}
				b.ReportMetric(2*float64(rows*columns*inner*b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
