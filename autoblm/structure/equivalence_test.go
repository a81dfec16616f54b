package structure

import (
	"math/rand/v2"
	"slices"
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

// TestCanonicalInBlocks compares canonical forms with an enumeration of the symmetries that keep
// blocks, and where there are too many of them with the forms of images.
func TestCanonicalInBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, g := range bothGroups {
		elements := slices.DeleteFunc(everyElement(4, g), func(e element) bool { return !e.keepsBlocks(2) })
		for n := range 60 {
			s := randomStructure(random, 4, n/4+1)
			smallest := s
			for _, e := range elements {
				if image := e.apply(s); compare(image, smallest) < 0 {
					smallest = image
				}
			}
			if got := s.CanonicalInBlocks(g, 2); got != smallest {
				t.Errorf("%s in blocks under %v: %s, the smallest image is %s", s, g, got, smallest)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(2, MaxK).Draw(t, "structure")
		size := rapid.IntRange(1, s.K()).Filter(func(b int) bool { return s.K()%b == 0 }).Draw(t, "size")
		g := rapid.SampledFrom(bothGroups).Draw(t, "group")
		image := elementInBlocks(s.K(), size, g).Draw(t, "element").apply(s)
		canonical := s.CanonicalInBlocks(g, size)
		if other := image.CanonicalInBlocks(g, size); other != canonical {
			t.Fatalf("%s has the form %s, but its image %s has %s", s, canonical, image, other)
		}
		if canonical.Canonical(g) != s.Canonical(g) || compare(canonical, s) > 0 {
			t.Fatalf("the form %s of %s is of another class, or larger", canonical, s)
		}
		if whole := s.CanonicalInBlocks(g, 1); whole != s.Canonical(g) {
			t.Fatalf("%s in blocks of one chunk is %s, and alone %s", s, whole, s.Canonical(g))
		}
	})
}

// TestBlocksTellStructuresApart checks two structures of one class of which one pairs chunks as
// blocks of two do.
func TestBlocksTellStructuresApart(t *testing.T) {
	a, b := MustParse("1,0,2,0;0,3,0,4;-2,0,1,0;0,-4,0,3"), MustParse("1,2,0,0;-2,1,0,0;0,0,3,4;0,0,-4,3")
	if a.Canonical(Full) != b.Canonical(Full) {
		t.Fatal("the structures are of different classes")
	}
	if a.CanonicalInBlocks(Full, 2) == b.CanonicalInBlocks(Full, 2) {
		t.Error("blocks of two do not tell the structures apart")
	}
}

// TestLayouts: the layouts of a structure are equivalent to it and have other blocks, and those of four
// chunks are all that an enumeration finds.
func TestLayouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	elements := everyElement(4, Full)
	for _, s := range []Structure{
		MustParse("1,0,2,0;0,3,0,4;-2,0,1,0;0,-4,0,3"), MustParse("1,2,3,4;0,1,0,0;0,0,2,0;0,0,0,3"),
		MustParse("1,0,0,0;0,2,0,0;0,0,3,0;0,0,0,4"),
	} {
		want := map[Structure]bool{}
		for _, e := range elements {
			if !slices.Contains(e.flip, -1) && slices.Min(e.rename) >= 0 {
				want[e.apply(s).CanonicalInBlocks(Full, 2)] = true
			}
		}
		layouts := s.Layouts(2, 100, rng)
		if len(layouts) != len(want) || layouts[0] != s {
			t.Errorf("%s has %d layouts, want %d", s, len(layouts), len(want))
		}
		for _, layout := range layouts {
			if !want[layout.CanonicalInBlocks(Full, 2)] {
				t.Errorf("%s is not a layout of %s", layout, s)
			}
			delete(want, layout.CanonicalInBlocks(Full, 2))
		}
	}
	s := MustParse("1,0,2,0;0,3,0,4;-2,0,1,0;0,-4,0,3")
	if n := len(s.Layouts(2, 2, rng)); n != 2 {
		t.Errorf("%d layouts, want 2 at most", n)
	}
	if n := len(s.Layouts(4, 9, rng)); n != 1 {
		t.Errorf("one block of all chunks has %d layouts", n)
	}
}
