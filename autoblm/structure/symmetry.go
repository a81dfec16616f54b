package structure

// SRF returns the symmetry-related features of the paper's Algorithm 2: K(K+1)
// zeros and ones, first α, then β. Within each, for x = 0…K-1 zeros in r and
// then for y = 1…K-x distinct nonzero absolute values in r:
// α_(x,y) = 1 when some r ∈ {0,±1,…,±K}^K of that kind makes g(A,r) nonzero
// and symmetric, β_(x,y) = 1 when one makes it nonzero and skew-symmetric.
func (s Structure) SRF() []uint8 {
	k := s.K()
	features := make([]uint8, k*(k+1))
	half := features
	for _, parity := range [2]parity{symmetric, skewSymmetric} {
		parts := s.constraints(parity)
		most := parts.mostParts()
		for zeros := range k {
			for distinct := 1; distinct <= k-zeros; distinct++ {
				if distinct <= int(most[k-zeros]) {
					half[distinct-1] = 1
				}
			}
			half = half[k-zeros:]
		}
	}
	return features
}

// SymmetricWitness returns some r ∈ {0,±1,…,±K}^K for which g(A,r) is nonzero and
// symmetric, or nil when there is none. It has as many distinct absolute values
// as possible among relation chunks that occur in A, like those in the paper's
// Table of conditions.
func (s Structure) SymmetricWitness() []int {
	parts := s.constraints(symmetric)
	return parts.witness()
}

// SkewSymmetricWitness does the same as [Structure.SymmetricWitness] for a g(A,r) that is
// skew-symmetric.
func (s Structure) SkewSymmetricWitness() []int {
	parts := s.constraints(skewSymmetric)
	return parts.witness()
}

// FullyExpressive reports whether every assignment of scores to triples can be
// reached with large enough embeddings. That is so exactly when A is neither
// symmetric nor skew-symmetric, which is sharper than the paper's Proposition 1:
// only then do the matrices UᵀD_kU, over all relation chunks k and all U, span
// every square matrix.
func (s Structure) FullyExpressive() bool {
	isSymmetric, isSkew := true, true
	for i := range s.K() {
		for j := range i + 1 {
			isSymmetric = isSymmetric && s.At(i, j) == s.At(j, i)
			isSkew = isSkew && s.At(i, j) == -s.At(j, i)
		}
	}
	return !isSymmetric && !isSkew
}

// parity is the sign p in g(A,r)ᵀ = p·g(A,r).
type parity int8

const (
	symmetric     parity = 1
	skewSymmetric parity = -1
)

// constraints collects what g(A,r)ᵀ = p·g(A,r) demands of r. Every pair of
// cells asks for r_a = ±r_b or r_a = 0, so the r that fulfil all of them form
// free parts: within a part all r are equal up to sign. That replaces the
// enumeration of (2K+1)^K vectors.
func (s Structure) constraints(p parity) signedParts {
	k := s.K()
	parts := signedParts{k: k, occurring: s.occurring()}
	for v := range k + 1 {
		parts.parent[v], parts.sign[v] = int8(v), 1
	}
	for i := range k {
		for j := range i + 1 {
			upper, lower := s.cells[j*k+i], s.cells[i*k+j]
			parts.equate(upper, lower*int8(p))
		}
	}
	return parts
}

// signedParts is a union-find over the values 0…K in which r_v = sign[v]·r_parent[v].
// The part of the value 0 holds what is forced to be zero. A root is the
// smallest value of its part.
type signedParts struct {
	k         int
	parent    [MaxK + 1]int8
	sign      [MaxK + 1]int8
	occurring uint16 // bit v is set when v occurs in A, so that r_v ≠ 0 makes g(A,r) ≠ 0
}

// equate demands r_|a|·sign(a) = r_|b|·sign(b).
func (u *signedParts) equate(a, b int8) {
	rootA, signA := u.find(a)
	rootB, signB := u.find(b)
	switch {
	case rootA == rootB && signA != signB:
		u.parent[rootA] = 0
	case rootA < rootB:
		u.parent[rootB], u.sign[rootB] = rootA, signA*signB
	case rootB < rootA:
		u.parent[rootA], u.sign[rootA] = rootB, signA*signB
	}
}

// find gives the root of |value| and the sign between them, times the sign of
// value. Paths are at most K long.
func (u *signedParts) find(value int8) (root, sign int8) {
	root, sign = value, 1
	if value < 0 {
		root, sign = -value, -1
	}
	for u.parent[root] != root {
		sign *= u.sign[root]
		root = u.parent[root]
	}
	return root, sign
}

// mostParts gives for each n = 0…K the largest number of parts with n values
// together that can be nonzero while all others are zero, at least one of
// them occurring in A; 0 when n cannot be reached so. Every smaller number of
// distinct absolute values can be had as well, by giving parts equal values.
func (u *signedParts) mostParts() [MaxK + 1]int8 {
	var size [MaxK + 1]int
	var occurs [MaxK + 1]bool
	for value := 1; value <= u.k; value++ {
		root, _ := u.find(int8(value))
		size[root]++
		occurs[root] = occurs[root] || u.occurring&(1<<value) != 0
	}
	const unreachable = -1
	var silent, most [MaxK + 1]int8 // without and with an occurring part
	for n := range most {
		silent[n], most[n] = unreachable, unreachable
	}
	silent[0] = 0
	for root := 1; root <= u.k; root++ {
		part := size[root]
		if part == 0 {
			continue
		}
		for n := u.k; n >= part; n-- {
			add := func(counts *[MaxK + 1]int8, without int8) {
				if without != unreachable {
					counts[n] = max(counts[n], without+1)
				}
			}
			add(&most, most[n-part])
			if occurs[root] {
				add(&most, silent[n-part])
			} else {
				add(&silent, silent[n-part])
			}
		}
	}
	for n := range most {
		most[n] = max(most[n], 0)
	}
	return most
}

// witness gives every free part that matters the smallest value in it, so
// that parts differ in absolute value.
func (u *signedParts) witness() []int {
	matters := uint16(0)
	for value := 1; value <= u.k; value++ {
		if root, _ := u.find(int8(value)); root != 0 && u.occurring&(1<<value) != 0 {
			matters |= 1 << root
		}
	}
	if matters == 0 {
		return nil
	}
	r := make([]int, u.k)
	for value := 1; value <= u.k; value++ {
		if root, sign := u.find(int8(value)); matters&(1<<root) != 0 {
			r[value-1] = int(root) * int(sign)
		}
	}
	return r
}
