package structure

import "math/rand/v2"

// maxLayoutMisses is the number of known layouts in a row after which Layouts draws no more.
const maxLayoutMisses = 100

// Layouts returns the structure and others of its class that differ in which chunks are together in
// a block of the given size (see [Structure.CanonicalInBlocks]), at most limit of all. It draws them,
// so that one of many layouts may be missing. It panics unless the size divides K.
func (s Structure) Layouts(size, limit int, rng *rand.Rand) []Structure {
	all := []Structure{s}
	known := map[Structure]bool{s.CanonicalInBlocks(Full, size): true}
	for misses := 0; len(all) < limit && misses < maxLayoutMisses; misses++ {
		next := s.permuted(rng.Perm(s.K()), rng.Perm(s.K()))
		if class := next.CanonicalInBlocks(Full, size); !known[class] {
			known[class] = true
			all = append(all, next)
			misses = 0
		}
	}
	return all
}

// permuted returns the structure with entity chunk entities[p] in place p, and with relation chunk
// relations[r] instead of r.
func (s Structure) permuted(entities, relations []int) Structure {
	image := Zero(s.K())
	for p, i := range entities {
		for q, j := range entities {
			if value := s.At(i, j); value != 0 {
				image = image.With(p, q, sign(value)*(relations[abs(value)-1]+1))
			}
		}
	}
	return image
}
