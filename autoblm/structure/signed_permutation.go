package structure

import (
	"fmt"
	"math/bits"
)

// Symmetry is a signed permutation of the K entity chunks and one of the K
// relation chunks. It acts on structures and on embeddings, such that scores
// do not change:
//
//	f_A(h,r,t) = f_sA(s·h, s·r, s·t)
//
// with [CarryEntity] for s·h and s·t and [CarryRelation] for s·r. [Structure.SymmetryTo]
// finds one. It is a value: == compares symmetries.
type Symmetry struct {
	k                   int8
	entities, relations signedPermutation
}

// signedPermutation says where chunks come from: chunk i of the image is chunk
// |p[i]|-1 of the original, with the sign of p[i]. Zeros fill the places behind.
type signedPermutation [MaxK]int8

// Entities returns the signed permutation of the entity chunks: with 2 in place 0 the
// first chunk of the image is the second one of the original, and with -2 its
// negative.
func (s Symmetry) Entities() []int { return s.entities.numbers(s.k) }

// Relations returns the signed permutation of the relation chunks, in the form of
// [Symmetry.Entities].
func (s Symmetry) Relations() []int { return s.relations.numbers(s.k) }

// SymmetryTo returns a symmetry that maps a to b, and whether one exists, which means that
// both are in one orbit of the group.
//
// Statement: equivalent structures score alike, each with the embeddings of the
// other after a signed permutation of chunks. Source: the proof of the paper's
// Proposition 3, which has no signs of entity chunks; with them, new.
//
// Idea: the search for the canonical form keeps how it got there: the order of
// the chunks, the names of the values, and the equations between signs, which
// are solved by substitution. One way forth and the other back join a to b.
func (a Structure) SymmetryTo(b Structure, g Group) (Symmetry, bool) {
	fromA, fromB := searchOrbit(a, g), searchOrbit(b, g)
	if fromA.structure() != fromB.structure() {
		return Symmetry{}, false
	}
	return fromA.symmetry().then(fromB.symmetry().inverse()), true
}

// CarryEntity returns s·e for an entity embedding: the chunks moved, some negated, so
// that no number is rounded. It panics unless the length is a multiple of K.
func CarryEntity[F ~float32 | ~float64](s Symmetry, e []F) []F {
	return carry(s.entities[:s.k], e)
}

// CarryRelation returns s·r for a relation embedding; see [CarryEntity].
func CarryRelation[F ~float32 | ~float64](s Symmetry, r []F) []F {
	return carry(s.relations[:s.k], r)
}

func carry[F ~float32 | ~float64](permutation []int8, embedding []F) []F {
	if len(permutation) == 0 || len(embedding)%len(permutation) != 0 {
		panic(fmt.Sprintf("structure: an embedding of length %d does not have %d equal chunks",
			len(embedding), len(permutation)))
	}
	width := len(embedding) / len(permutation)
	image := make([]F, 0, len(embedding))
	for _, from := range permutation {
		for _, x := range embedding[(abs(int(from))-1)*width:][:width] {
			image = append(image, F(signOf(from))*x)
		}
	}
	return image
}

// symmetry returns a symmetry that maps the structure of a finished search to the smallest
// one of its orbit.
func (o *orbitSearch) symmetry() Symmetry {
	negative := o.bestNames.negative()
	signed := func(chunk int, variable parityForm) int8 {
		if negative&variable != 0 {
			return int8(-chunk - 1)
		}
		return int8(chunk + 1)
	}
	s := Symmetry{k: int8(o.k)}
	for place, chunk := range o.bestChunk[:o.k] {
		s.entities[place] = signed(int(chunk), chunkSign(int(chunk)))
	}
	unused := o.bestNames.named
	for chunk := range o.k {
		value := int8(chunk + 1)
		name := o.bestNames.names[value]
		if name == 0 { // never occurs, so that any name will do
			unused++
			name = unused
		}
		s.relations[name-1] = signed(chunk, valueSign(value))
	}
	return s
}

// negative solves the equations: it has the variables that are -1, and the
// constant -1. An equation says what its highest variable is, by lower ones; a
// variable without one is +1.
func (n *naming) negative() parityForm {
	negative := minus
	for variable, equation := range n.equations {
		if bits.OnesCount32(uint32(equation&negative))%2 == 1 {
			negative |= 1 << variable
		}
	}
	return negative
}

// then returns s followed by next.
func (s Symmetry) then(next Symmetry) Symmetry {
	return Symmetry{s.k, s.entities.then(next.entities), s.relations.then(next.relations)}
}

func (s Symmetry) inverse() Symmetry {
	return Symmetry{s.k, s.entities.inverse(), s.relations.inverse()}
}

func (p signedPermutation) then(next signedPermutation) signedPermutation {
	var both signedPermutation
	for i, from := range next {
		if from != 0 {
			both[i] = p[max(from, -from)-1] * signOf(from)
		}
	}
	return both
}

func (p signedPermutation) inverse() signedPermutation {
	var inverse signedPermutation
	for i, from := range p {
		if from != 0 {
			inverse[max(from, -from)-1] = int8(i+1) * signOf(from)
		}
	}
	return inverse
}

func (p signedPermutation) numbers(k int8) []int {
	numbers := make([]int, k)
	for i := range numbers {
		numbers[i] = int(p[i])
	}
	return numbers
}

func signOf(n int8) int8 { return int8(sign(int(n))) }
