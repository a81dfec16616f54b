package structure

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
)

// operator returns g(A,r) for embeddings whose chunks have one coordinate.
func operator(s Structure, r []int) [][]int {
	g := make([][]int, s.K())
	for i, row := range s.Rows() {
		for _, value := range row {
			cell := 0
			if value != 0 {
				cell = sign(value) * r[abs(value)-1]
			}
			g[i] = append(g[i], cell)
		}
	}
	return g
}

// hasParity reports whether g is nonzero and equal to p times its transpose.
func hasParity(g [][]int, p int) bool {
	nonzero := false
	for i := range g {
		for j := range g {
			if g[i][j] != p*g[j][i] {
				return false
			}
			nonzero = nonzero || g[i][j] != 0
		}
	}
	return nonzero
}

// everyR yields {0,±1,…,±K}^K.
func everyR(k int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		r := make([]int, k)
		var fill func(n int) bool
		fill = func(n int) bool {
			if n == k {
				return yield(r)
			}
			for r[n] = -k; r[n] <= k; r[n]++ {
				if !fill(n + 1) {
					return false
				}
			}
			return true
		}
		fill(0)
	}
}

// enumeratedSRF implements the paper's Algorithm 2 with the condition g ≠ 0.
func enumeratedSRF(s Structure) []uint8 {
	k := s.K()
	kind := make(map[[2]int]int) // place of (zeros, distinct absolute values) in α
	for x := range k {
		for y := 1; y <= k-x; y++ {
			kind[[2]int{x, y}] = len(kind)
		}
	}
	features := make([]uint8, 2*len(kind))
	for r := range everyR(k) {
		zeros, distinct := 0, make(map[int]bool)
		for _, number := range r {
			if number == 0 {
				zeros++
			} else {
				distinct[abs(number)] = true
			}
		}
		g := operator(s, r)
		if hasParity(g, 1) {
			features[kind[[2]int{zeros, len(distinct)}]] = 1
		}
		if hasParity(g, -1) {
			features[len(kind)+kind[[2]int{zeros, len(distinct)}]] = 1
		}
	}
	return features
}

func checkSRF(t *testing.T, s Structure) {
	t.Helper()
	got, want := s.SRF(), enumeratedSRF(s)
	if !slices.Equal(got, want) {
		t.Errorf("%s: SRF %v, enumerated %v", s, got, want)
	}
	half := len(want) / 2
	if exists := slices.Contains(want[:half], 1); exists != (s.SymmetricWitness() != nil) {
		t.Errorf("%s: symmetric witness %v, but one exists: %v", s, s.SymmetricWitness(), exists)
	}
	if exists := slices.Contains(want[half:], 1); exists != (s.SkewSymmetricWitness() != nil) {
		t.Errorf("%s: skew-symmetric witness %v, but one exists: %v", s, s.SkewSymmetricWitness(), exists)
	}
}

func TestSRFAgainstEnumeration(t *testing.T) {
	for k := 1; k <= 2; k++ {
		for s := range everyStructure(k) {
			checkSRF(t, s)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for k, structures := range map[int]int{3: 600, 4: 40, 5: 2} {
		for n := range structures {
			checkSRF(t, randomStructure(random, k, n*k*k/structures+1))
		}
	}
	for _, model := range Baselines() {
		checkSRF(t, model.Structure)
	}
}

// TestSRFOfSymmetricStructures tests structures that are symmetric or skew-symmetric except for one
// cell; random structures rarely have a symmetric or skew-symmetric g.
func TestSRFOfSymmetricStructures(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 300 {
		const k = 3
		s := Zero(k)
		for i := range k {
			for j := range i + 1 {
				value := random.IntN(2*k+1) - k
				s = s.With(i, j, value).With(j, i, value*(1-n%2*2))
			}
		}
		checkSRF(t, s)
		checkSRF(t, s.With(random.IntN(k), random.IntN(k), random.IntN(2*k+1)-k))
	}
}

// TestWitnessesOfThePaper compares with the paper's Table of conditions.
func TestWitnessesOfThePaper(t *testing.T) {
	for _, row := range []struct {
		name            string
		symmetric, skew []int
	}{
		{"complex", []int{1, 2, 0, 0}, []int{0, 0, 3, 4}},
		{"analogy", []int{1, 2, 3, 0}, []int{0, 0, 0, 4}},
		{"simple", []int{1, 2, 1, 2}, []int{1, 2, -1, -2}},
		{"quate", []int{1, 0, 0, 0}, []int{0, 2, 3, 4}},
	} {
		s := MustParse(row.name)
		if got := s.SymmetricWitness(); !slices.Equal(got, row.symmetric) {
			t.Errorf("%s: symmetric witness %v, the paper has %v", row.name, got, row.symmetric)
		}
		if got := s.SkewSymmetricWitness(); !slices.Equal(got, row.skew) {
			t.Errorf("%s: skew-symmetric witness %v, the paper has %v", row.name, got, row.skew)
		}
	}
}

// reachableDimension returns the dimension of the span of score matrices of random embeddings of
// three entities. Adding coordinates adds score matrices, so a structure is fully expressive
// exactly if the dimension is 9.
func reachableDimension(s Structure, random *rand.Rand) int {
	const entities, samples = 3, 30
	vector := func() []float64 {
		numbers := make([]float64, s.K())
		for n := range numbers {
			numbers[n] = float64(random.IntN(21) - 10)
		}
		return numbers
	}
	var matrices [][]int64
	for range samples {
		relation := vector()
		var embeddings [entities][]float64
		for e := range embeddings {
			embeddings[e] = vector()
		}
		var scores []int64
		for _, head := range embeddings {
			for _, tail := range embeddings {
				scores = append(scores, int64(s.Score(head, relation, tail)))
			}
		}
		matrices = append(matrices, scores)
	}
	return rank(matrices)
}

func TestFullyExpressiveSpansAllScoreMatrices(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var structures []Structure
	for k := 1; k <= 2; k++ {
		structures = slices.AppendSeq(structures, everyStructure(k))
	}
	for n := range 100 {
		structures = append(structures, randomStructure(random, 3, n%9), randomStructure(random, 4, n%16))
	}
	for _, s := range structures {
		if got, want := s.FullyExpressive(), reachableDimension(s, random) == 9; got != want {
			t.Errorf("%s: fully expressive %v, but score matrices span everything: %v", s, got, want)
		}
	}
}
