package structure

import "iter"

// Classes yields the canonical form of every class of k×k structures with the
// given number of nonzeros, in the order of [Structure.Canonical], and keeps none of them.
// [Count] returns their number. It yields nothing when no matrix has that many
// nonzeros, and panics unless 1 ≤ k ≤ MaxK.
//
// Idea (orderly generation, Read and Faradžev 1978): fill the matrix cell by cell, smallest
// symbol first, and backtrack as soon as some symmetry makes the filled cells smaller,
// whichever symbols follow. A completed matrix is then the smallest of its orbit.
func Classes(k, nonzeros int, g Group) iter.Seq[Structure] {
	if err := checkSize(k); err != nil {
		panic(err)
	}
	return func(yield func(Structure) bool) {
		if 0 <= nonzeros && nonzeros <= k*k {
			b := newClassBuilder(k, g, yield)
			b.fill(0, nonzeros, 0)
		}
	}
}

// classBuilder fills a matrix in row-major order. The matrix is both the operand of the
// symmetries and the best candidate, which no symmetry may beat. Open cells count as largest in
// the operand and as smallest in the candidate.
type classBuilder struct {
	matrix orbitSearch
	group  Group
	yield  func(Structure) bool
}

func newClassBuilder(k int, g Group, yield func(Structure) bool) classBuilder {
	b := classBuilder{matrix: orbitSearch{k: k, valid: k * k, frozen: true}, group: g, yield: yield}
	for i := range k {
		for j := range k {
			b.matrix.cells[i][j].value = unknown
		}
	}
	return b
}

// fill completes the cells from n on in all ways with the given number of nonzeros, when
// the values up to named occur already. It returns false when the caller wants no more.
func (b *classBuilder) fill(n, nonzeros, named int) bool {
	k := b.matrix.k
	if n == k*k {
		return b.yield(b.matrix.structure())
	}
	if nonzeros > 0 {
		// The next unused value is allowed too, with the sign +.
		for rank := range min(2*named+1, 2*k) {
			if !b.fillWith(uint8(rank), n, nonzeros-1, max(named, rank/2+1)) {
				return false
			}
		}
	}
	if cellsBehind := k*k - n - 1; nonzeros <= cellsBehind {
		return b.fillWith(zeroRank, n, nonzeros, named)
	}
	return true
}

// fillWith puts a symbol into cell n and completes the cells behind.
func (b *classBuilder) fillWith(rank uint8, n, nonzeros, named int) bool {
	more := !b.put(rank, n) || b.fill(n+1, nonzeros, named)
	b.matrix.cells[n/b.matrix.k][n%b.matrix.k].value = unknown
	b.matrix.best[n] = 0
	return more
}

// put sets a cell and returns false when no matrix with these cells is the smallest of its orbit.
func (b *classBuilder) put(rank uint8, n int) bool {
	i, j := n/b.matrix.k, n%b.matrix.k
	b.matrix.cells[i][j] = newCell(i, j, symbolOfRank(rank), b.group)
	b.matrix.best[n] = rank
	b.matrix.beaten = false
	b.matrix.ties, b.matrix.automorphisms = 0, b.matrix.automorphisms[:0] // of other cells
	b.matrix.place(0, 0, naming{})
	return !b.matrix.beaten
}
