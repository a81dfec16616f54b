package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// boxTable draws boxes in pairs of rows: centres, and halves, some of which are 0.
func boxTable(rng *rand.Rand, rows, columns, stride, offset int) table {
	t := newTable(rng, 2*rows, columns, stride, offset, false)
	for i := range rows {
		half := t.Row(2*i + 1)[:columns]
		for k, x := range half {
			half[k] = max(x, 0)
		}
	}
	return t
}

// equalize copies some coordinates, so that both tables have equal ones.
func equalize(rng *rand.Rand, to, from kernel.Table, rows, columns int) {
	for range rows {
		i, k := rng.IntN(rows), rng.IntN(columns)
		to.Row(i)[k] = from.Row(i)[k]
	}
}

// exactDistance returns minus the distance to a box, or to a point if half is nil.
func exactDistance(point, centre, half []float32) (sum float64) {
	for k := range point {
		far := math.Abs(float64(point[k]) - float64(centre[k]))
		switch {
		case half == nil || far > float64(half[k]):
			sum -= far
			if half != nil {
				sum += (1 - kernel.InsideWeight) * float64(half[k])
			}
		default:
			sum -= kernel.InsideWeight * far
		}
	}
	return sum
}

func TestDistances(t *testing.T) {
	eachSet(t, func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand) {
		for range 100 {
			rows, columns, inner := kernel.Rows*(1+rng.IntN(4)), kernel.Columns*(1+rng.IntN(6)),
				1+rng.IntN(70)
			points := newTable(rng, rows, inner, inner+rng.IntN(5), rng.IntN(16), false)
			down := boxTable(rng, inner, columns, columns+rng.IntN(5), rng.IntN(16))
			c := newTable(rng, rows, columns, columns+rng.IntN(5), rng.IntN(16), false)
			boxes := kernel.PairedBoxes(down.Table)
			for _, box := range []bool{false, true} {
				d := c.clone()
				for s, to := range map[*kernel.Set]kernel.Table{set: c.Table, portable: d.Table} {
					if box {
						s.BoxDistances(to, points.Table, boxes, rows, columns, inner)
					} else {
						s.Distances(to, points.Table, boxes.Centres, rows, columns, inner)
					}
				}
				same(t, fmt.Sprint("rows, columns, inner, box ", rows, columns, inner, box), c.all, d.all, 1e-5)
				for range 20 {
					i, j := rng.IntN(rows), rng.IntN(columns)
					centre, half := make([]float32, inner), make([]float32, inner)
					for k := range inner {
						centre[k], half[k] = boxes.Centres.Row(k)[j], boxes.Halves.Row(k)[j]
					}
					if !box {
						half = nil
					}
					want := exactDistance(points.Row(i)[:inner], centre, half)
					if got := float64(c.Row(i)[j]); math.Abs(got-want) > 1e-5*math.Max(1, -want) {
						t.Fatalf("distance %v, want %v", got, want)
					}
				}
			}
		}
	})
}

// TestDistanceGradients compares gradients with the Go version, and that with slopes of
// distances.
func TestDistanceGradients(t *testing.T) {
	eachSet(t, func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand) {
		for range 100 {
			rows, width, inner := kernel.Rows*(1+rng.IntN(3)), 1+rng.IntN(70), 1+rng.IntN(70)
			columns := kernel.Pad(width, kernel.Columns)
			points := newTable(rng, max(rows, inner), columns, columns+rng.IntN(5), rng.IntN(16), false)
			others := boxTable(rng, max(rows, inner), columns, columns+rng.IntN(5), rng.IntN(16))
			equalize(rng, others.Table, points.Table, max(rows, inner), columns)
			boxes := kernel.PairedBoxes(others.Table)
			w := newTable(rng, rows, inner, inner+rng.IntN(5), rng.IntN(16), false)
			for i, x := range w.Data {
				w.Data[i] = max(x, 0)
			}
			y := newTable(rng, 2*rows, columns, columns+rng.IntN(5), rng.IntN(16), false)
			add := rng.IntN(2) == 0
			for name, pull := range map[string]func(s *kernel.Set, y table){
				"DistanceGradient": func(s *kernel.Set, y table) {
					s.DistanceGradient(y.Table, w.Data, w.Stride, 1, points.Table, boxes.Centres, rows, width,
						inner, add)
				},
				"BoxGradient": func(s *kernel.Set, y table) {
					s.BoxGradient(kernel.PairedBoxes(y.Table), w.Data, w.Stride, 1, boxes, points.Table, rows,
						width, inner, add)
				},
				"BoxPointGradient": func(s *kernel.Set, y table) {
					s.BoxPointGradient(y.Table, w.Data, w.Stride, 1, points.Table, boxes, rows, width, inner, add)
				},
			} {
				got, want := y.clone(), y.clone()
				pull(set, got)
				pull(portable, want)
				same(t, fmt.Sprint(name, ": rows, width, inner, add ", rows, width, inner, add), got.all,
					want.all, 1e-5)
				for i := range rows {
					for k := width; k < columns; k++ {
						if got.Row(i)[k] != 0 && name != "BoxGradient" || name == "BoxGradient" &&
							(got.Row(2 * i)[k] != 0 || got.Row(2*i + 1)[k] != 0) {
							t.Fatalf("%s: row %d is %v after its %d coordinates", name, i, got.Row(i)[:columns], width)
						}
					}
				}
				if add {
					continue
				}
				for range 20 {
					i, k := rng.IntN(rows), rng.IntN(width)
					byRow, byHalf := 0.0, 0.0
					for j := range inner {
						weight := float64(w.Row(i)[j])
						x, b, half := points.Row(i)[k], boxes.Centres.Row(j)[k], boxes.Halves.Row(j)[k]
						if name == "BoxGradient" {
							x, b, half = boxes.Centres.Row(i)[k], points.Row(j)[k], boxes.Halves.Row(i)[k]
						}
						slope := weight * kernel.InsideWeight
						if away := b - x; max(away, -away) > half || name == "DistanceGradient" {
							slope = weight
							byHalf += weight * (1 - kernel.InsideWeight)
						}
						if b < x {
							slope = -slope
						}
						byRow += slope
					}
					gotRow, gotHalf := float64(got.Row(i)[k]), byHalf
					if name == "BoxGradient" {
						gotRow, gotHalf = float64(got.Row(2 * i)[k]), float64(got.Row(2*i + 1)[k])
					}
					if math.Abs(gotRow-byRow) > 1e-4 || math.Abs(gotHalf-byHalf) > 1e-4 {
						t.Fatalf("%s: gradients %v and %v, want %v and %v", name, gotRow, gotHalf, byRow, byHalf)
					}
				}
				// The transpose of a table as weights.
				transposed := newTable(rng, inner, rows, rows+rng.IntN(5), 0, false)
				for i := range rows {
					for j := range inner {
						transposed.Row(j)[i] = w.Row(i)[j]
					}
				}
				if name == "DistanceGradient" {
					again := y.clone()
					set.DistanceGradient(again.Table, transposed.Data, 1, transposed.Stride, points.Table,
						boxes.Centres, rows, width, inner, add)
					same(t, "transposed weights", again.all, got.all, 0)
				}
			}
		}
	})
}

func TestScaleColumns(t *testing.T) {
	eachSet(t, func(t *testing.T, set, portable *kernel.Set, rng *rand.Rand) {
		for range 50 {
			rows, columns := 1+rng.IntN(30), kernel.Columns*(1+rng.IntN(6))
			x := newTable(rng, rows, columns, columns+rng.IntN(5), rng.IntN(16), false)
			factor := newTable(rng, 1, columns, columns, rng.IntN(16), false)
			y := x.clone()
			want := float64(x.Row(rows - 1)[columns-1]) * float64(factor.Data[columns-1])
			set.ScaleColumns(x.Table, rows, columns, factor.Data)
			portable.ScaleColumns(y.Table, rows, columns, factor.Data)
			same(t, "ScaleColumns", x.all, y.all, 0)
			if got := x.Row(rows - 1)[columns-1]; got != float32(want) {
				t.Fatalf("scaled to %v, want %v", got, want)
			}
		}
	})
}

func BenchmarkDistance(b *testing.B) {
	const rows, columns, d = 192, 96, 64
	for _, set := range kernel.Sets() {
		rng := rand.New(rand.NewPCG(1, 2))
		e, down, across := newTable(rng, rows, d, d, 0, false), boxTable(rng, d, columns, columns, 0),
			boxTable(rng, columns, d, d, 0)
		p, byQuery, byEntity := newTable(rng, rows, columns, columns, 0, false),
			newTable(rng, 2*columns, d, d, 0, false), newTable(rng, rows, d, d, 0, false)
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"point/scores", func() {
				set.Distances(p.Table, e.Table, kernel.PairedBoxes(down.Table).Centres, rows, columns, d)
			}},
			{"point/byQuery", func() {
				set.DistanceGradient(byQuery.Table, p.Data, 1, columns, across.Table, e.Table, columns, d, rows,
					true)
			}},
			{"point/byEntity", func() {
				set.DistanceGradient(byEntity.Table, p.Data, columns, 1, e.Table, across.Table, rows, d,
					columns, true)
			}},
			{"box/scores", func() {
				set.BoxDistances(p.Table, e.Table, kernel.PairedBoxes(down.Table), rows, columns, d)
			}},
			{"box/byQuery", func() {
				set.BoxGradient(kernel.PairedBoxes(byQuery.Table), p.Data, 1, columns,
					kernel.PairedBoxes(across.Table), e.Table, columns, d, rows, true)
			}},
			{"box/byEntity", func() {
				set.BoxPointGradient(byEntity.Table, p.Data, columns, 1, e.Table,
					kernel.PairedBoxes(across.Table), rows, d, columns, true)
			}},
		} {
			b.Run(set.Name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(float64(rows)*columns*d*float64(b.N)/b.Elapsed().Seconds()/1e9, "G/s")
			})
		}
	}
}
