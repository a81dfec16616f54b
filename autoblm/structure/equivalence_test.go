package structure

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var bothGroups = []Group{Full, Paper}

// checkOrbit compares the canonical form and the size of the orbit with an
// enumeration of the group.
func checkOrbit(t *testing.T, s Structure, g Group, elements []element) {
	t.Helper()
	smallest := s
	orbit := make(map[Structure]bool)
	for _, e := range elements {
		image := e.apply(s)
		orbit[image] = true
		if compare(image, smallest) < 0 {
			smallest = image
		}
	}
	if got := s.Canonical(g); got != smallest {
		t.Errorf("canonical form of %s under %v: %s, the smallest of its orbit is %s", s, g, got,
			smallest)
	}
	if got := s.Orbit(g); got != uint64(len(orbit)) {
		t.Errorf("orbit of %s under %v: %d, enumerated %d", s, g, got, len(orbit))
	}
}

func TestCanonicalAgainstWholeGroup(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, g := range bothGroups {
		elements := everyElement(2, g)
		for s := range everyStructure(2) {
			checkOrbit(t, s, g, elements)
		}
		for k, structures := range map[int]int{1: 3, 3: 150, 4: 12} {
			elements := everyElement(k, g)
			for n := range structures {
				checkOrbit(t, randomStructure(random, k, n*k*k/structures+1), g, elements)
			}
			for _, model := range BaselinesWith(k) { // with many automorphisms
				checkOrbit(t, model.Structure, g, elements)
			}
		}
	}
}

// randomStructure draws a structure with at most the given number of nonzeros.
func randomStructure(random *rand.Rand, k, nonzeros int) Structure {
	s := Zero(k)
	for range nonzeros {
		s = s.With(random.IntN(k), random.IntN(k), random.IntN(2*k+1)-k)
	}
	return s
}

func TestCanonicalIsAnInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		g := rapid.SampledFrom(bothGroups).Draw(t, "group")
		image := anyElement(s.K(), g).Draw(t, "element").apply(s)
		canonical := s.Canonical(g)
		if other := image.Canonical(g); other != canonical {
			t.Fatalf("%s has the canonical form %s, but its image %s has %s", s, canonical, image, other)
		}
		if again := canonical.Canonical(g); again != canonical {
			t.Fatalf("canonical form %s of %s is not its own: %s", canonical, s, again)
		}
		if compare(canonical, s) > 0 {
			t.Fatalf("canonical form %s is larger than %s", canonical, s)
		}
		if s.Orbit(g) != image.Orbit(g) {
			t.Fatalf("%s and %s are equivalent, but their orbits have %d and %d matrices", s, image,
				s.Orbit(g), image.Orbit(g))
		}
	})
}
