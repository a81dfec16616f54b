package linear

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"pgregory.net/rapid"
)

// anyStructure draws sparse and dense structures, with few values and with many.
func anyStructure(t *rapid.T, minK, maxK int) structure.Structure {
	k := rapid.IntRange(minK, maxK).Draw(t, "K")
	s := structure.Zero(k)
	zeroPercent := rapid.SampledFrom([]int{0, 40, 70, 85}).Draw(t, "zero percent")
	largest := rapid.IntRange(1, k).Draw(t, "largest value")
	for cell := range k * k {
		if rapid.IntRange(0, 99).Draw(t, "zero") >= zeroPercent {
			s = s.With(cell/k, cell%k, rapid.IntRange(-largest, largest).Draw(t, "value"))
		}
	}
	return s
}

// changed returns f(Ph, Qr, Pt) by the definition.
func (f tensor) changed(p, q matrix) tensor {
	k := f.k
	table := make(vector, k*k*k)
	for n := range table {
		i, r, j := n/k/k, n/k%k, n%k
		for _, term := range f.terms {
			value := term.value.times(p[term.at[head]][i]).times(q[term.at[relation]][r]).times(
				p[term.at[tail]][j])
			table[n] = table[n].plus(value)
		}
	}
	return fromTable(k, table)
}

// TestInvariantUnderChangesOfBasis checks the statement of [Of] on tensors.
func TestInvariantUnderChangesOfBasis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(t, 1, 5)
		p, q := anyInvertible(t, s.K(), 2), anyInvertible(t, s.K(), 2)
		f := signTensor(s)
		if before, after := invariant(f), invariant(f.changed(p, q)); before != after {
			t.Fatalf("%s\n%v\nand after P = %v, Q = %v\n%v", s, before, p, q, after)
		}
	})
}

// TestNumbersOfTheInvariant compares some of the invariant's numbers with their definitions. For
// ComplEx with two chunks, f(h,r,t) is the real part of h·r·conj(t).
func TestNumbersOfTheInvariant(t *testing.T) {
	distMult, complEx := structure.MustParse("1,0;0,2"), structure.MustParse("1,2;-2,1")
	centroid := families[2].describe
	// Multiplying by reals in either coordinate, and by complex numbers. The
	// trace form of R×R has two squares, that of C one and its negative.
	if got := centroid(signTensor(distMult)); !strings.HasPrefix(got, "2(2,0)(2,0)(2,0)") {
		t.Errorf("the centroid of DistMult is R×R, not %s", got)
	}
	if got := centroid(signTensor(complEx)); !strings.HasPrefix(got, "2(1,1)(1,1)(1,1)") {
		t.Errorf("the centroid of ComplEx is C, not %s", got)
	}
}

func TestBaselinesDiffer(t *testing.T) {
	for _, model := range structure.Baselines() {
		same := MayEqual(model.Structure)
		if len(same) != 1 || same[0].Name != model.Name {
			t.Errorf("%s may be %v", model.Title, same)
		}
	}
	turned := structure.MustParse("1,2,0,0;2,1,0,0;0,0,3,4;0,0,4,3")
	if same := MayEqual(turned); len(same) != 1 || same[0].Name != "distmult" {
		t.Errorf("%s is DistMult after h1±h2 and h3±h4, but may be %v", turned, same)
	}
	if same := MayEqual(structure.MustParse("1,0,0;0,2,0;0,3,0")); same != nil {
		t.Errorf("DistMult has other values of three chunks, but may be %v", same)
	}
}
