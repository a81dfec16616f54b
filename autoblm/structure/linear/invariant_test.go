package linear

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

func TestInvariantUnderSignedPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(t, 2, 6)
		k := s.K()
		chunks := make([]int, k)
		for i := range chunks {
			chunks[i] = i
		}
		entities := rapid.Permutation(chunks).Draw(t, "entity chunks")
		values := rapid.Permutation(chunks).Draw(t, "values")
		flips := rapid.SliceOfN(rapid.SampledFrom([]int{1, -1}), 2*k, 2*k).Draw(t, "signs")
		image := structure.Zero(k)
		for i := range k {
			for j := range k {
				if value := s.At(entities[i], entities[j]); value != 0 {
					chunk := max(value, -value)
					image = image.With(i, j, value/chunk*flips[i]*flips[j]*flips[k+chunk-1]*(values[chunk-1]+1))
				}
			}
		}
		if Of(s) != Of(image) {
			t.Fatalf("%s and %s\n%v\n%v", s, image, Of(s), Of(image))
		}
	})
}

// TestNumbersOfTheInvariant compares some of the invariant's numbers with their definitions. For
// ComplEx with two chunks, f(h,r,t) is the real part of h·r·conj(t).
func TestNumbersOfTheInvariant(t *testing.T) {
	distMult, complEx := structure.MustParse("1,0;0,2"), structure.MustParse("1,2;-2,1")
	centroid := families[3].describe
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
	if same := MayEqual(structure.MustParse("1,0;0,2")); same != nil {
		t.Errorf("there are no models of two chunks, but %v", same)
	}
}

func BenchmarkOf(b *testing.B) {
	for k := 2; k <= structure.MaxK; k++ {
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		structures := slices.Repeat([]structure.Structure{structure.Zero(k)}, 64)
		for n := range structures {
			columns, values := rng.Perm(k), rng.Perm(k)
			for row := range k {
				structures[n] = structures[n].With(row, columns[row], (1-2*rng.IntN(2))*(values[row]+1))
			}
			for range rng.IntN(k + 1) {
				structures[n] = structures[n].With(rng.IntN(k), rng.IntN(k), rng.IntN(2*k+1)-k)
			}
		}
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				Of(structures[n%len(structures)])
			}
		})
	}
}
