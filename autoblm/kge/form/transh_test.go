package form

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestTransHByHand checks a score where the normal is the second axis, so that only r has a part
// along it, and that both directions have the same score.
func TestTransHByHand(t *testing.T) {
	spec, none := TransH.Spec(), structure.Structure{}
	head, tail, relation := []float64{1, 2}, []float64{2, 7}, [][]float64{{0.5, 1, 0, 3}}
	const want = -(0.25 + 1) // 1 + 0.5 - 2, and 1 along the normal
	for _, c := range []struct {
		from, to   []float64
		transposed bool
	}{{head, tail, false}, {tail, head, true}} {
		state := spec.DefineHop(none, append(c.from[:2:2], 0, 0), relation, c.transposed)
		if got := spec.DefineScore(state, c.to); math.Abs(got-want) > 1e-12 {
			t.Errorf("transposed %v: the score is %v, want %v", c.transposed, got, want)
		}
	}
	still := spec.DefineHop(none, []float64{1, 2, 0, 0}, [][]float64{{0.5, 1, 0, 0}}, false)
	if got := spec.DefineScore(still, tail); math.Abs(got+0.25+16) > 1e-12 {
		t.Errorf("without a normal the score is %v, want -16.25", got)
	}
}
