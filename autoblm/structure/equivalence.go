package structure

import (
	"fmt"
	"math/bits"
)

// Group is a group of symmetries: matrices in one orbit are the same scoring
// function up to a signed renaming of chunks, so only one of them is worth
// training.
type Group int

const (
	// Full permutes the entity chunks, permutes the relation chunks, and
	// flips signs of both. Flipping entity chunk i maps A_ij to s_i s_j A_ij.
	Full Group = iota
	// Paper is the group of the paper's Proposition 3, which leaves out the
	// signs of entity chunks.
	Paper
)

// String is "full" or "paper".
func (g Group) String() string {
	switch g {
	case Full:
		return "full"
	case Paper:
		return "paper"
	default:
		return fmt.Sprintf("Group(%d)", int(g))
	}
}

// Canonical is the smallest structure, in the sense of [Compare], of the orbit
// of s. Two structures are equivalent under g exactly when their canonical
// forms are equal.
func (s Structure) Canonical(g Group) Structure {
	search := searchOrbit(s, g)
	canonical := Structure{k: s.k}
	for n := range canonical.flat() {
		canonical.cells[n] = symbolOfRank(search.best[n])
	}
	return canonical
}

// Orbit is the number of distinct matrices in the orbit of s.
func (s Structure) Orbit(g Group) uint64 {
	k := s.K()
	search := searchOrbit(s, g)
	signedPermutations := factorial(k) << k
	candidates := factorial(k)
	if g == Full && k > 0 {
		candidates <<= k - 1 // flipping all entity chunks at once changes nothing
	}
	// Every renaming of the values that never occur leaves the matrix as it is.
	absent := k - s.distinctValues()
	stabilizer := search.ties * factorial(absent) << absent
	return candidates * signedPermutations / stabilizer
}

// distinctValues is the number of relation chunks that occur.
func (s Structure) distinctValues() int {
	return bits.OnesCount16(s.occurring() &^ 1)
}

// occurring has bit v set when the value v or -v occurs.
func (s *Structure) occurring() uint16 {
	var set uint16
	for _, value := range s.flat() {
		set |= 1 << max(value, -value)
	}
	return set
}

// orbitSearch finds the smallest matrix of an orbit. It runs over the (signed)
// permutations of entity chunks only: for each of them, naming the values
// 1, 2, … by first occurrence with sign + is the best choice of values.
//
// A permutation is chosen one place at a time. Each place fixes one more cell
// of the first row, so that a start larger than the best one is dropped early.
type orbitSearch struct {
	k         int
	cells     [MaxK][MaxK]int8
	flipSigns bool

	chunk [MaxK]int8 // chunk[p] is the entity chunk at place p of the candidate
	flip  [MaxK]int8 // and its sign

	best  [MaxK * MaxK]uint8 // symbol ranks, row-major
	valid int                // how many of best are settled; the cells behind are larger than any
	ties  uint64             // candidates that reach best
}

func searchOrbit(s Structure, g Group) orbitSearch {
	search := orbitSearch{k: s.K(), flipSigns: g == Full}
	for i := range search.k {
		for j := range search.k {
			search.cells[i][j] = s.cells[i*search.k+j]
		}
	}
	search.place(0, 0, newNaming())
	return search
}

// place tries every entity chunk that is still free at the given place.
func (o *orbitSearch) place(place int, taken uint, names naming) {
	if place == o.k {
		o.finish(names)
		return
	}
	for chunk := range o.k {
		if taken&(1<<chunk) != 0 {
			continue
		}
		o.chunk[place] = int8(chunk)
		for flip := int8(1); ; flip = -1 {
			o.flip[place] = flip
			extended := names
			value := o.cells[o.chunk[0]][chunk] * o.flip[0] * flip
			if o.accept(place, extended.rank(value)) {
				o.place(place+1, taken|1<<chunk, extended)
			}
			// The first sign is free: only products of two signs count.
			if flip < 0 || place == 0 || !o.flipSigns {
				break
			}
		}
	}
}

// finish compares the rows after the first.
func (o *orbitSearch) finish(names naming) {
	cell := o.k
	for row := 1; row < o.k; row++ {
		source := &o.cells[o.chunk[row]]
		for column := range o.k {
			value := source[o.chunk[column]] * o.flip[row] * o.flip[column]
			if !o.accept(cell, names.rank(value)) {
				return
			}
			cell++
		}
	}
	o.ties++
}

// accept says whether a candidate that equals best so far is still not larger
// with this cell; when it is smaller, it becomes the best.
func (o *orbitSearch) accept(cell int, rank uint8) bool {
	if cell < o.valid {
		if rank > o.best[cell] {
			return false
		}
		if rank == o.best[cell] {
			return true
		}
	}
	o.best[cell] = rank
	o.valid = cell + 1
	o.ties = 0
	return true
}

// naming gives values new names by first occurrence; it holds the symbol rank
// of the new name of value v at v+MaxK.
type naming struct {
	ranks [2*MaxK + 1]uint8
	next  uint8
}

const unnamed = 0xff

func newNaming() naming {
	var n naming
	for i := range n.ranks {
		n.ranks[i] = unnamed
	}
	n.ranks[MaxK] = zeroRank
	return n
}

func (n *naming) rank(value int8) uint8 {
	rank := n.ranks[MaxK+value]
	if rank != unnamed {
		return rank
	}
	rank = n.next
	n.ranks[MaxK+value] = rank
	n.ranks[MaxK-value] = rank + 1
	n.next += 2
	return rank
}

func factorial(n int) uint64 {
	product := uint64(1)
	for factor := uint64(2); factor <= uint64(n); factor++ {
		product *= factor
	}
	return product
}
