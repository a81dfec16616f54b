package show

import (
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// RandomStructure returns a structure of k chunks with nonzeros at random places, of random values.
func RandomStructure(rng *rand.Rand, k, nonzeros int) structure.Structure {
	s := structure.Zero(k)
	for _, cell := range rng.Perm(k * k)[:nonzeros] {
		s = s.With(cell/k, cell%k, (1+rng.IntN(k))*(1-2*rng.IntN(2)))
	}
	return s
}
