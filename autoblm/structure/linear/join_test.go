package linear

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func floats(m [][]Root) [][]float64 {
	out := make([][]float64, len(m))
	for i, row := range m {
		for _, root := range row {
			out[i] = append(out[i], root.Float())
		}
	}
	return out
}

func apply(m [][]float64, x []float64) []float64 {
	out := make([]float64, len(m))
	for i, row := range m {
		for j, number := range row {
			out[i] += number * x[j]
		}
	}
	return out
}

func determinant(m [][]float64) float64 {
	dense := mat.NewDense(len(m), len(m), nil)
	for i, row := range m {
		dense.SetRow(i, row)
	}
	return mat.Det(dense)
}

// checkMap checks the definition of a map: f_a(Ph, r, Pt) = f_b(h, Qᵀr, t).
func checkMap(t rapid.TB, a, b structure.Structure, m *Map) {
	t.Helper()
	p, q := floats(m.P), floats(m.Q)
	if math.Abs(determinant(p)) < 1e-9 || math.Abs(determinant(q)) < 1e-9 {
		t.Fatalf("%s and %s: P or Q has no inverse: %v, %v", a, b, p, q)
	}
	k := a.K()
	turned := make([][]float64, k)
	for i := range turned {
		for j := range k {
			turned[i] = append(turned[i], q[j][i])
		}
	}
	for n := range k * k * k {
		h, r, tail := make([]float64, k), make([]float64, k), make([]float64, k)
		h[n/k/k], r[n/k%k], tail[n%k] = 1, 1, 1
		there, here := a.Score(apply(p, h), r, apply(p, tail)), b.Score(h, apply(turned, r), tail)
		if math.Abs(there-here) > 1e-9 {
			t.Fatalf("%s and %s, P = %v, Q = %v: scores %v and %v", a, b, p, q, there, here)
		}
	}
}

func TestDistMultInAnotherBasis(t *testing.T) {
	for other, wantJoined := range map[string]bool{
		"1,2;2,1":  true,  // after h1±h2
		"1,2;-2,1": false, // ComplEx
	} {
		a, b := structure.MustParse("1,0;0,2"), structure.MustParse(other)
		m, found := Join(a, b)
		if found != wantJoined || found != (Of(a) == Of(b)) {
			t.Errorf("%s and %s: joined %v, same invariant %v, want %v", a, b, found, Of(a) == Of(b),
				wantJoined)
		}
		if found {
			checkMap(t, a, b, m)
		}
	}
}

// TestJoinsNeedRoots tests a join with a root: x² + 2xy - y² = (x+y)² - (√2·y)².
func TestJoinsNeedRoots(t *testing.T) {
	a, b := structure.MustParse("1,2,3;0,1,0;0,0,-1"), structure.MustParse("1,2,3;0,0,1;0,1,0")
	m, found := Join(a, b)
	if !found || Of(a) != Of(b) {
		t.Fatalf("%s and %s: joined %v, same invariant %v", a, b, found, Of(a) == Of(b))
	}
	checkMap(t, a, b, m)
}

// TestJoinsAllOfTwoChunks checks that the invariant and the maps agree on all pairs of classes with
// two chunks.
func TestJoinsAllOfTwoChunks(t *testing.T) {
	var classes []structure.Structure
	for nonzeros := range 5 {
		for s := range structure.Classes(2, nonzeros, structure.Full) {
			classes = append(classes, s)
		}
	}
	joins := 0
	for _, a := range classes {
		for _, b := range classes {
			m, found := Join(a, b)
			if !found {
				continue
			}
			joins++
			checkMap(t, a, b, m)
			if Of(a) != Of(b) {
				t.Errorf("a map joins %s and %s, but their invariants differ", a, b)
			}
		}
	}
	if joins <= len(classes) {
		t.Errorf("%d joins of %d classes: none but with themselves", joins, len(classes))
	}
}

// TestJoinFindsChangesOfBasis draws a structure, changes the basis, and joins it with the result.
func TestJoinFindsChangesOfBasis(t *testing.T) {
	bases := smallBases(3)
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t, 3, 3)
		basis := rapid.SampledFrom(bases).Draw(t, "basis")
		for b := range imagesUnder(a, basis) {
			m, found := Join(a, b)
			if !found {
				t.Fatalf("no map from %s to %s", a, b)
			}
			checkMap(t, a, b, m)
			if Of(a) != Of(b) {
				t.Fatalf("a map joins %s and %s, but their invariants differ:\n%v\n%v", a, b, Of(a), Of(b))
			}
		}
	})
}
