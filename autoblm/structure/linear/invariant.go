package linear

import (
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Invariant is equal for all structures that linear maps join. Compare it with ==; it can be
// the key of a map.
type Invariant struct{ text string }

// String returns the numbers of the invariant for people to compare. Their order may change
// between versions.
func (i Invariant) String() string { return i.text }

// Of returns the invariant of s.
//
// Statement: T_B = T_A·(P,Q,P) with invertible P and Q implies Of(A) = Of(B), so
// structures with different invariants are not joined. Source: new; the parts are classical
// (flattenings, adjoint and derivation algebras, Fitting ideals, catalecticants).
//
// It takes 1 to 2 ms for K = 4 and below 0.1 s for K = 8, longer when s is degenerate.
//
// Idea: write down only what has a meaning without a basis. There are three
// parts. (1) Subspaces of entity and relation coordinates that f singles out, such as the
// relations with symmetric matrices, the zeros of all minors, and all t with f(a,c,t) = 0
// for a and c in two others; f on each pair of them has ranks, and an inertia where it is a
// single form. (2) Algebras and spaces of operators, such as {(X,Z) : f(Xh,r,t) = f(h,r,Zt)};
// traces of products are forms on them with dimensions and inertias. (3) The
// determinant of f's matrix, as a form in r. The inertias separate types that are equal over
// the complex numbers but not over the reals, such as ComplEx and DistMult.
func Of(s structure.Structure) Invariant { return invariant(signTensor(s)) }

func invariant(f tensor) Invariant {
	parts := []string{canonicalSubspaces(f).describe(), describeDeterminants(f)}
	for _, family := range families {
		parts = append(parts, family.describe(f))
	}
	return Invariant{strings.Join(parts, " | ")}
}
