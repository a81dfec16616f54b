package structure

// Patterns are the kinds of relations that a structure can model (the paper's
// Table of relation properties), each with vectors that show it and nil where it
// cannot.
type Patterns struct {
	// Symmetric and AntiSymmetric are an r with a nonzero g(A,r) that equals its
	// transpose, or its negative: f(t,r,h) = ±f(h,r,t).
	Symmetric, AntiSymmetric []int
	// General is an r for which g(A,r) is neither: f(t,r,h) ≠ ±f(h,r,t).
	General []int
	// Inverse gives each relation r a relation r' with f(t,r,h) = f(h,r',t):
	// chunk k of r' is chunk |Inverse[k-1]| of r, with the sign of that number.
	Inverse []int
}

// Patterns says what A can model. New: the paper states it for baselines only:
//
//   - Symmetric and anti-symmetric relations, when the linear equations
//     g(A,r)ᵀ = ±g(A,r) leave some r with g(A,r) ≠ 0.
//   - General asymmetry, when A is fully expressive: the symmetric r and the skew ones
//     are two subspaces, which cover everything only when one of them is everything.
//     Then r = (1,…,K) shows it, whose g is A.
//   - Inverses, when A ≠ Aᵀ and every D_kᵀ is a combination of the D_l. As no two D_l
//     share a cell, it is then one D_l or its negative: A and Aᵀ differ by signed
//     names of the relation chunks.
func (s Structure) Patterns() Patterns {
	p := Patterns{Symmetric: s.SymmetricWitness(), AntiSymmetric: s.SkewSymmetricWitness(),
		Inverse: s.inverse()}
	if s.FullyExpressive() {
		for value := 1; value <= s.K(); value++ {
			p.General = append(p.General, value)
		}
	}
	return p
}

// All reports whether the structure models all four kinds (the column RP of the
// paper's Table of scoring functions).
func (p Patterns) All() bool {
	return p.Symmetric != nil && p.AntiSymmetric != nil && p.General != nil && p.Inverse != nil
}

// inverse returns the signed renaming of relation chunks that transposes A, or nil.
func (s Structure) inverse() []int {
	k := s.K()
	source := make([]int, k) // source[l-1] is the value that becomes l, with a sign
	transposes := false
	for i := range k {
		for j := range k {
			value, mirror := s.At(i, j), s.At(j, i)
			transposes = transposes || value != mirror
			if value == 0 && mirror == 0 {
				continue
			}
			from := value * sign(mirror)
			if from == 0 || source[abs(mirror)-1] != 0 && source[abs(mirror)-1] != from {
				return nil
			}
			source[abs(mirror)-1] = from
		}
	}
	if !transposes {
		return nil
	}
	for n, from := range source {
		if from == 0 {
			source[n] = n + 1 // occurs nowhere, so it may stay as it is
		}
	}
	return source
}
