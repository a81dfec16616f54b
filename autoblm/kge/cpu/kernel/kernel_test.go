package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// table holds random numbers with a margin that no kernel may touch. Its data is offset
// floats from alignment.
type table struct {
	kernel.Table
	all    []float32
	offset int
}

const marginMark = 12345

func newTable(rng *rand.Rand, rows, columns, stride, offset int, special bool) table {
	all := make([]float32, offset+rows*stride+32)
	for i := range all {
		all[i] = marginMark
	}
	t := table{all: all, offset: offset, Table: kernel.Table{Data: all[offset : offset+rows*stride],
		Stride: stride}}
	for i := range rows {
		for j := range columns {
			t.Data[i*stride+j] = float32(rng.NormFloat64())
			if special && rng.IntN(40) == 0 {
				t.Data[i*stride+j] = []float32{nan, inf, -inf, 0, float32(math.Copysign(0, -1))}[rng.IntN(5)]
			}
		}
	}
	return t
}

func (t table) clone() table {
	c := t
	c.all = append([]float32(nil), t.all...)
	c.Data = c.all[t.offset : t.offset+len(t.Data)]
	return c
}

// same compares all floats, including margins.
func same(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		a, b := float64(got[i]), float64(want[i])
		if a == b || math.IsNaN(a) && math.IsNaN(b) ||
			math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b)) {
			continue
		}
		t.Fatalf("%s: number %d is %v, the Go version has %v", what, i, a, b)
	}
}

// sum is a sum of float64 terms, with which a sum of float32 is compared.
type sum struct{ exact, size float64 }

func (s *sum) add(term float64) {
	s.exact += term
	s.size += math.Abs(term)
}

// near reports whether a float32 differs from the sum by no more than rounding explains: the error
// grows with the terms' size, which may be far above that of their sum.
func (s *sum) near(x float32) bool {
	return math.Abs(float64(x)-s.exact) <= 1e-5+2e-6*s.size
}

// eachSet runs a test on every set, with the portable set to compare with.
func eachSet(t *testing.T, test func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand)) {
	portable := kernel.Portable()
	for _, set := range kernel.Sets() {
		t.Run(set.Name, func(t *testing.T) { test(t, set, portable, rand.New(rand.NewPCG(1, 2))) })
	}
}

func multipliesTables(t *testing.T, set *kernel.Set, rng *rand.Rand, rows, columns, inner,
	margin int, special bool) {
	t.Helper()
	portable := kernel.Portable()
	a := newTable(rng, rows, inner, inner+margin, rng.IntN(16), special)
	b := newTable(rng, inner, columns, columns+rng.IntN(5), rng.IntN(16), special)
	c := newTable(rng, rows, columns, columns+rng.IntN(5), rng.IntN(16), false)
	d := c.clone()
	add := rng.IntN(2) == 0
	set.Product(c.Table, a.Data, a.Stride, 1, b.Table, rows, columns, inner, add)
	portable.Product(d.Table, a.Data, a.Stride, 1, b.Table, rows, columns, inner, add)
	same(t, fmt.Sprint("rows, columns, inner, add ", rows, columns, inner, add), c.all, d.all, 1e-4)

	// The transpose of a table as A.
	e := newTable(rng, inner, rows, rows+margin, rng.IntN(16), special)
	d = c.clone()
	set.Product(c.Table, e.Data, 1, e.Stride, b.Table, rows, columns, inner, add)
	portable.Product(d.Table, e.Data, 1, e.Stride, b.Table, rows, columns, inner, add)
	same(t, "transposed", c.all, d.all, 1e-4)
}

func TestColumns(t *testing.T) {
	eachSet(t, func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand) {
		for range 200 {
			rows, columns := 1+rng.IntN(50), kernel.Columns*(1+rng.IntN(7))
			x := newTable(rng, rows, columns, columns+rng.IntN(5), rng.IntN(16), rng.IntN(2) == 0)
			most := newTable(rng, 1, columns, columns, rng.IntN(16), rng.IntN(2) == 0)
			wantMost := most.clone()
			set.ColumnMax(x.Table, rows, columns, most.Data)
			portable.ColumnMax(x.Table, rows, columns, wantMost.Data)
			same(t, "ColumnMax", most.all, wantMost.all, 0)

			limit := newTable(rng, 1, columns, columns, rng.IntN(16), true)
			counts := [4][]int32{}
			for i := range counts {
				counts[i] = make([]int32, columns+1)
				counts[i][0], counts[i][columns] = 3, 7
			}
			set.Count(x.Table, rows, columns, limit.Data, counts[0], counts[1])
			portable.Count(x.Table, rows, columns, limit.Data, counts[2], counts[3])
			for j := range columns + 1 {
				if counts[0][j] != counts[2][j] || counts[1][j] != counts[3][j] {
					t.Fatalf("Count, column %d: %d and %d, the Go version has %d and %d", j, counts[0][j],
						counts[1][j], counts[2][j], counts[3][j])
				}
			}

			// never less than what is in the column
			shift := newTable(rng, 1, columns, columns, rng.IntN(16), false)
			portable.ColumnMax(x.Table, rows, columns, shift.Data)
			for j := range shift.Data {
				shift.Data[j] += float32(rng.IntN(3) * 50)
			}
			sum := newTable(rng, 1, columns, columns, rng.IntN(16), false)
			y, wantSum := x.clone(), sum.clone()
			set.ExpSum(x.Table, rows, columns, shift.Data, sum.Data)
			portable.ExpSum(y.Table, rows, columns, shift.Data, wantSum.Data)
			same(t, "ExpSum", x.all, y.all, 1e-6)
			same(t, "ExpSum, sums", sum.all, wantSum.all, 1e-5)
		}
	})
}

// TestExponential limits the relative error of exp to two units in the last place.
func TestExponential(t *testing.T) {
	eachSet(t, func(t *testing.T, set, _ *kernel.Set, rng *rand.Rand) {
		const n = 1 << 14
		x, sum := make([]float32, n), make([]float32, n)
		shift := make([]float32, n)
		for i := range x {
			x[i] = -90 * float32(i) / n
		}
		before := append([]float32(nil), x...)
		set.ExpSum(kernel.Table{Data: x, Stride: n}, 1, n, shift, sum)
		for i, got := range x {
			want := math.Exp(float64(before[i]))
			if before[i] < -87 {
				want = 0
			}
			if math.Abs(float64(got)-want) > 2.5e-7*want {
				t.Fatalf("exp(%v) = %v, want %v", before[i], got, want)
			}
		}
	})
}

func TestRows(t *testing.T) {
	eachSet(t, func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand) {
		for range 300 {
			rows, width := 1+rng.IntN(9), 1+rng.IntN(70)
			stride, special := width+rng.IntN(20), rng.IntN(3) == 0
			y, a, b := newTable(rng, rows, width, stride, rng.IntN(16), special),
				newTable(rng, rows, width, stride, rng.IntN(16), special),
				newTable(rng, rows, width, stride, rng.IntN(16), special)
			z := y.clone()
			sign := float32(1 - 2*rng.IntN(2))
			set.MulAdd(y.Table, a.Table, b.Table, rows, width, sign)
			portable.MulAdd(z.Table, a.Table, b.Table, rows, width, sign)
			same(t, fmt.Sprint("MulAdd of width ", width), y.all, z.all, 1e-6)

			n := kernel.Columns * (1 + rng.IntN(9))
			p, g, s := newTable(rng, 1, n, n, rng.IntN(16), special),
				newTable(rng, 1, n, n, rng.IntN(16), special), newTable(rng, 1, n, n, rng.IntN(16), false)
			for i, x := range s.Data {
				s.Data[i] = x * x
			}
			factor := float32(rng.NormFloat64())
			for name, both := range map[string][2]func(
				y, x []float32, factor float32){"Scale": {set.Scale, portable.Scale},
				"ScaleAdd": {set.ScaleAdd, portable.ScaleAdd}} {
				q := p.clone()
				both[0](p.Data, g.Data, factor)
				both[1](q.Data, g.Data, factor)
				same(t, name, p.all, q.all, 1e-6)
			}
			dot, wantDot := set.Dot(p.Data, g.Data, new(kernel.Lanes)), 0.0
			if !special {
				for i := range p.Data {
					wantDot += float64(p.Data[i]) * float64(g.Data[i])
				}
				same(t, "Dot", []float32{float32(dot)}, []float32{float32(wantDot)}, 1e-4)
			}
			wantDot = portable.Dot(p.Data, g.Data, new(kernel.Lanes))
			same(t, "Dot", []float32{float32(dot)}, []float32{float32(wantDot)}, 1e-4)

			q, u := p.clone(), s.clone()
			set.Adagrad(p.Data, g.Data, s.Data, 0.3)
			portable.Adagrad(q.Data, g.Data, u.Data, 0.3)
			same(t, "Adagrad", p.all, q.all, 1e-6)
			same(t, "Adagrad, sums", s.all, u.all, 1e-6)

			q, u = p.clone(), s.clone()
			means, otherMeans := g.clone(), g.clone()
			set.Adam(p.Data, g.Data, means.Data, s.Data, 0.3, 4)
			portable.Adam(q.Data, g.Data, otherMeans.Data, u.Data, 0.3, 4)
			same(t, "Adam", p.all, q.all, 1e-6)
			same(t, "Adam, means", means.all, otherMeans.all, 1e-6)
			same(t, "Adam, squares", s.all, u.all, 1e-6)

			q = p.clone()
			before := g.clone()
			squares, cubes := set.Penalize(p.Data, g.Data, 0.2, factor, new(kernel.Lanes))
			wantSquares, wantCubes := portable.Penalize(q.Data, g.Data, 0.2, factor, new(kernel.Lanes))
			same(t, "Penalize", p.all, q.all, 1e-5)
			same(t, "Penalize, sums", []float32{float32(squares), float32(cubes)},
				[]float32{float32(wantSquares), float32(wantCubes)}, 1e-5)
			same(t, "Penalize, what is penalized", g.all, before.all, 0)

			for eighths := range 16 {
				q, base := p.clone(), g.clone()
				for i, v := range base.Data {
					base.Data[i] = v * v
				}
				set.Power(p.Data, base.Data, eighths)
				portable.Power(q.Data, base.Data, eighths)
				same(t, fmt.Sprint("Power of eighths: ", eighths), p.all, q.all, 1e-6)
				for i, v := range base.Data {
					if want := math.Pow(float64(v), float64(eighths)/8); !special &&
						math.Abs(float64(q.Data[i])-want) > 1e-5*want {
						t.Fatalf("%v^(%d/8) is %v, want %v", v, eighths, q.Data[i], want)
					}
				}
			}

			parts := 1 + rng.IntN(8)
			stride = width*parts + rng.IntN(20)
			g, x := newTable(rng, rows, width*parts, stride, rng.IntN(16), special),
				newTable(rng, rows, width*parts, stride, rng.IntN(16), special)
			h, before := g.clone(), x.clone()
			cubes = set.PenalizeGroups(g.Table, x.Table, rows, width, parts, factor, new(kernel.Lanes))
			wantCubes = portable.PenalizeGroups(
				h.Table, x.Table, rows, width, parts, factor, new(kernel.Lanes))
			what := fmt.Sprintf("PenalizeGroups of %d parts of width %d", parts, width)
			same(t, what, g.all, h.all, 1e-5)
			same(t, what+": sum", []float32{float32(cubes)}, []float32{float32(wantCubes)}, 1e-5)
			same(t, what+": what is penalized", x.all, before.all, 0)
		}
	})
}

func BenchmarkProduct(b *testing.B) {
	for _, set := range kernel.Sets() {
		for _, d := range []int{32, 64, 512} {
			const rows, columns = 192, 96
			rng := rand.New(rand.NewPCG(1, 2))
			e, q := newTable(rng, rows, d, d, 0, false), newTable(rng, d, columns, columns, 0, false)
			p := newTable(rng, rows, columns, columns, 0, false)
			out := newTable(rng, columns, d, d, 0, false)
			gradient := newTable(rng, rows, d, d, 0, false)
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("%s/d%d/%s", set.Name, d, name), func(b *testing.B) {
					for b.Loop() {
						f()
					}
					b.ReportMetric(2*float64(rows)*columns*float64(d)*float64(b.N)/b.Elapsed().Seconds()/1e9,
						"GFLOP/s")
				})
			}
			run("scores", func() { set.Product(p.Table, e.Data, d, 1, q.Table, rows, columns, d, false) })
			run("byQuery", func() {
				set.Product(out.Table, p.Data, 1, columns, e.Table, columns, d, rows, true)
			})
			run("byEntity", func() {
				set.Product(gradient.Table, p.Data, columns, 1, out.Table, rows, d, columns, true)
			})
		}
	}
}

// TestAdagradAvoidsSubnormals checks that a step leaves a small number 0 or far from subnormal,
// and does not change other numbers.
func TestAdagradAvoidsSubnormals(t *testing.T) {
	for _, set := range kernel.Sets() {
		t.Run(set.Name, func(t *testing.T) {
			for exponent := -149; exponent <= 3; exponent++ {
				for _, sign := range []float64{1, -1} {
					want := float32(sign * 1.3 * math.Ldexp(1, exponent))
					x, g, sum := slices.Repeat([]float32{want}, kernel.Columns), make([]float32, kernel.Columns),
						slices.Repeat([]float32{1}, kernel.Columns)
					set.Adagrad(x, g, sum, 0.1)
					for _, got := range x {
						if got != 0 && math.Abs(float64(got)) < 1e-18 {
							t.Fatalf("%v became %v", want, got)
						}
						if off := math.Abs(float64(got) - float64(want)); off > 1e-17+1e-7*math.Abs(float64(want)) {
							t.Fatalf("%v became %v", want, got)
						}
					}
				}
			}
		})
	}
}

// TestAdamAvoidsSubnormals checks that the mean of a number without gradients becomes small, and is
// never subnormal.
func TestAdamAvoidsSubnormals(t *testing.T) {
	for _, set := range kernel.Sets() {
		x, g := make([]float32, kernel.Columns), make([]float32, kernel.Columns)
		mean, square := slices.Repeat([]float32{1}, kernel.Columns), slices.Repeat([]float32{1}, kernel.Columns)
		for range 900 {
			set.Adam(x, g, mean, square, 0.1, 1)
			if m := math.Abs(float64(mean[0])); m != 0 && m < 1e-30 {
				t.Fatalf("%s: the mean is %v", set.Name, m)
			}
		}
		if mean[0] > 1e-26 {
			t.Errorf("%s: the mean is still %v", set.Name, mean[0])
		}
	}
}
