package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// sparseCase holds queries and rows for tests of sparse gradients.
type sparseCase struct {
	kernels    *kernel.Set
	rows       Embeddings
	queries    kernel.Table
	weights    []float32
	count, dim int
	maxSlopes  int // slopes
	all        *Softmaxes
	scratch    *Scratch
}

func newSparseCase(k *kernel.Set, unit *kernel.BF16Set, rows, maxSlopes int) *sparseCase {
	const count, dim = 7, 20
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float32, rows*dim)
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64())
	}
	f := &sparseCase{kernels: k, rows: NewEmbeddings(numbers, dim), queries: NewTable(count, dim),
		count: count, dim: dim, maxSlopes: maxSlopes}
	for i := range count {
		f.weights = append(f.weights, 0.1*float32(i+1))
		for j := range dim {
			f.queries.Row(i)[j] = float32(rng.NormFloat64()) / 2
		}
	}
	if unit != nil {
		f.rows.EnableBF16(unit)
	}
	f.all, f.scratch = NewSoftmaxes(Products{}, f.rows, dim, 1, 1, maxSlopes),
		NewScratch(k, f.rows, dim, true)
	return f
}

// draw returns the gradients of the queries and of the rows for one sample.
func (f *sparseCase) draw(key uint32) (byQuery, byRow [][]float32) {
	s := f.all.Unit(0)
	s.Reset(f.count)
	for i := range f.count {
		copy(s.Rows.Row(i), PaddedRow(f.queries, i))
	}
	s.Sampling = Sampling{Key: key, First: 3, Directions: 1}
	s.Forward(f.kernels, f.rows, f.scratch)
	for i, weight := range f.weights {
		s.SetWeight(f.kernels, i, weight)
	}
	s.Finish(f.rows, f.scratch)
	for i := range f.count {
		byQuery = append(byQuery, s.QueryRows(s.ByQuery, i)[:f.dim])
	}
	for tile := range f.rows.Tiles() {
		_, count, rows := f.rows.Tile(tile)
		gradient := NewTable(rows, f.dim)
		f.all.Collect(f.kernels, f.rows, 1, tile, gradient, kernel.Table{}, false)
		for row := range count {
			byRow = append(byRow, gradient.Row(row)[:f.dim])
		}
	}
	return byQuery, byRow
}

// probabilities returns the softmax, [queries][rows].
func (f *sparseCase) probabilities() (all [][]float64) {
	for i := range f.count {
		p, sum := make([]float64, f.rows.Count), 0.0
		for row := range p {
			p[row] = math.Exp(Dot(PaddedRow(f.queries, i), PaddedRow(f.rows.Table, row)))
			sum += p[row]
		}
		for row := range p {
			p[row] /= sum
		}
		all = append(all, p)
	}
	return all
}

// eachKernel runs a test for float32 and bfloat16 kernels, with the tolerance of probabilities
// relative to their size.
func eachKernel(t *testing.T,
	test func(t *testing.T, k *kernel.Set, u *kernel.BF16Set, tolerance float64)) {
	for _, set := range kernel.Sets() {
		t.Run(set.Name, func(t *testing.T) { test(t, set, nil, 1e-4) })
		for _, unit := range kernel.BF16Sets() {
			t.Run(set.Name+" "+unit.Name, func(t *testing.T) { test(t, set, unit, 0.15) })
		}
	}
}

// TestSparseGradientsOfAllRows checks that the gradient is that of the full loss if no
// probability is small enough to be sampled.
func TestSparseGradientsOfAllRows(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Set, u *kernel.BF16Set, tolerance float64) {
		f := newSparseCase(k, u, 450, 1<<30)
		byQuery, byRow := f.draw(1)
		probabilities := f.probabilities()
		for i := range f.count {
			for j := range f.dim {
				want, size := 0.0, 0.0
				for row, p := range probabilities[i] {
					term := float64(f.weights[i]) * p * float64(f.rows.Row(row)[j])
					want, size = want+term, size+math.Abs(term)
				}
				if got := float64(byQuery[i][j]); math.Abs(got-want) > tolerance*size {
					t.Fatalf("gradient by query %d: number %d is %v, want %v", i, j, got, want)
				}
			}
		}
		for row := range byRow {
			for j := range f.dim {
				want, size := 0.0, 0.0
				for i := range f.count {
					term := float64(f.weights[i]) * probabilities[i][row] * float64(f.queries.Row(i)[j])
					want, size = want+term, size+math.Abs(term)
				}
				if got := float64(byRow[row][j]); math.Abs(got-want) > tolerance*size {
					t.Fatalf("gradient by row %d: number %d is %v, want %v", row, j, got, want)
				}
			}
		}
	})
}

// TestSparseGradients checks that rows with a large probability have their own slope in each
// sample, that the others are sampled in proportion to their probability, and that the number
// of slopes is limited.
func TestSparseGradients(t *testing.T) {
	const maxSlopes, draws = 16, 6000
	for _, set := range kernel.Sets() {
		t.Run(set.Name, func(t *testing.T) {
			f := newSparseCase(set, nil, 210, maxSlopes)
			probabilities := f.probabilities()
			counts := make([][]int, f.count)
			for i := range counts {
				counts[i] = make([]int, f.rows.Count)
			}
			for key := range uint32(draws) {
				f.draw(SamplingKey(5, int(key)))
				perQuery := make([]int, f.count)
				for _, ofTile := range f.all.store.(*sparse).units[0] {
					for _, of := range ofTile {
						perQuery[of.query]++
						counts[of.query][of.row]++
						p := probabilities[of.query][of.row]
						if want := float64(f.weights[of.query]) * math.Max(p, 1.0/maxSlopes); math.Abs(
							float64(of.value)-want) > 1e-4*want {
							t.Fatalf("query %d has a slope of %v by row %d, whose probability is %v, want %v", of.query,
								of.value, of.row, p, want)
						}
					}
				}
				for i, n := range perQuery {
					if n > maxSlopes+1 {
						t.Fatalf("query %d has %d slopes", i, n)
					}
				}
			}
			for i := range counts {
				for row, n := range counts[i] {
					share := math.Min(1, maxSlopes*probabilities[i][row]) // of the draws
					if deviation := math.Sqrt(draws * share * (1 - share)); math.Abs(
						float64(n)-draws*share) > 5*deviation+1 {
						t.Errorf("query %d has row %d in %d of %d draws, which should be %s", i, row, n, draws,
							fmt.Sprintf("%.1f ± %.1f", draws*share, deviation))
					}
				}
			}
		})
	}
}

// TestSamplingIndependentOfUnits checks that samples depend on the number of a query in its
// batch, not on its unit.
func TestSamplingIndependentOfUnits(t *testing.T) {
	one, next := Sampling{Key: 9, First: 0, Directions: 2}, Sampling{Key: 9, First: 3, Directions: 2}
	seen := map[float32]bool{}
	for i := range 3 {
		for way := range 2 {
			// Questions 3, 4 and 5 of six, and of the next three alone.
			got, want := one.uniform(way*6+3+i, 12), next.uniform(way*3+i, 6)
			if got != want || got < 0 || got >= 1 || seen[got] {
				t.Errorf("question %d, way %d: %v, and %v in a unit of its own", 3+i, way, got, want)
			}
			seen[got] = true
		}
	}
}
