package form

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestPairREByHand checks scores in both directions, and on a path of two hops, with entities of norm
// 5 whose units are easy to compute.
func TestPairREByHand(t *testing.T) {
	spec, none := PairRE.Spec(), structure.Structure{}
	head, tail := []float64{3, 4}, []float64{-4, 3} // units .6, .8 and -.8, .6
	first, second := [][]float64{{1, 2, 0.5, -1}}, [][]float64{{2, -1, 3, 1}}
	start := func(x []float64) []float64 { return append(x[:2:2], 0, 0) }
	check := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: the score is %v, want %v", what, got, want)
		}
	}
	forward := spec.DefineHop(none, start(head), first, false)
	check("forward", spec.DefineScore(forward, tail), -(1.0 + 2.2)) // .6+.4, 1.6+.6
	back := spec.DefineHop(none, start(tail), first, true)
	check("backward", spec.DefineScore(back, head), -3.2)
	path := spec.DefineHop(none, forward, second, false)
	check("path", spec.DefineScore(path, tail), -(2.4 + 1)) // 1.2+1.2, -1.6+.6
	scaled := []float64{-400, 300}
	check("scaled tail", spec.DefineScore(forward, scaled), -3.2)
	check("an entity of zeros", spec.DefineScore(forward, []float64{0, 0}), -(.6 + 1.6))
}

// TestPatternsOfPairRE checks the patterns that its authors name: r_H = r_T is symmetric, swapped
// vectors are the inverse, and products of two relations are their composition.
func TestPatternsOfPairRE(t *testing.T) {
	spec, none := PairRE.Spec(), structure.Structure{}
	score := func(head, relation, tail []float64) float64 {
		state := spec.DefineHop(none, append(head[:2:2], 0, 0), [][]float64{relation}, false)
		return spec.DefineScore(state, tail)
	}
	a, b := []float64{3, 4}, []float64{-4, 3}
	if x, y := score(a, []float64{2, 1, 2, 1}, b), score(b, []float64{2, 1, 2, 1}, a); x != y || x == 0 {
		t.Errorf("a symmetric relation has scores %v and %v", x, y)
	}
	if x, y := score(a, []float64{2, 1, 3, 5}, b), score(b, []float64{3, 5, 2, 1}, a); x != y || x == 0 {
		t.Errorf("a relation and its inverse have scores %v and %v", x, y)
	}
	// b' = a∘first and c = b'∘second, up to norms: all three triples are exact.
	first, second := []float64{1, 2}, []float64{3, 1}
	unit := func(x []float64) []float64 { u, _ := normalized(x); return u }
	relation := func(by []float64) (r []float64) { // scales the tail back
		to := []float64{a[0] * by[0], a[1] * by[1]}
		_, norm := normalized(to)
		return append(by[:2:2], norm/5, norm/5)
	}
	composed := []float64{first[0] * second[0], first[1] * second[1]}
	c := unit([]float64{a[0] * composed[0], a[1] * composed[1]})
	if x := score(a, relation(composed), c); math.Abs(x) > 1e-12 {
		t.Errorf("the composition has score %v, want 0", x)
	}
}
