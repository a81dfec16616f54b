package structure

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// asElement converts a symmetry to an element of the tests' own definition.
func asElement(s Symmetry) element {
	k := len(s.Entities())
	e := element{order: make([]int, k), flip: make([]int, k), rename: make([]int, k+1)}
	for place, from := range s.Entities() {
		e.order[place], e.flip[place] = abs(from)-1, sign(from)
	}
	for chunk, from := range s.Relations() {
		e.rename[abs(from)] = sign(from) * (chunk + 1)
	}
	return e
}

// isSignedPermutation reports whether each of ±1…±k occurs once.
func isSignedPermutation(numbers []int) bool {
	occurs := make([]bool, len(numbers)+1)
	for _, n := range numbers {
		if n == 0 || abs(n) > len(numbers) || occurs[abs(n)] {
			return false
		}
		occurs[abs(n)] = true
	}
	return true
}

// checkSymmetry compares a symmetry from a to b with the definition.
func checkSymmetry(t interface{ Fatalf(string, ...any) }, a, b Structure, g Group, s Symmetry) {
	switch entities, relations := s.Entities(), s.Relations(); {
	case !isSignedPermutation(entities) || !isSignedPermutation(relations):
		t.Fatalf("from %s to %s: %v and %v are not both signed permutations", a, b, entities, relations)
	case g == Paper && slices.Min(entities) < 0:
		t.Fatalf("from %s to %s: %v has a sign, which the paper's group lacks", a, b, entities)
	case asElement(s).apply(a) != b:
		t.Fatalf("from %s to %s: %v and %v lead to %s", a, b, entities, relations, asElement(s).apply(a))
	}
}

// TestSymmetryWithinAnOrbit checks that any two matrices of an orbit have a symmetry, and that
// transformed embeddings have the same scores, to the bit. The embeddings are integers, so the
// order of a sum does not matter.
func TestSymmetryWithinAnOrbit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(1, 7).Draw(t, "structure")
		g := rapid.SampledFrom(bothGroups).Draw(t, "group")
		b := anyElement(a.K(), g).Draw(t, "element").apply(a)
		s, ok := a.SymmetryTo(b, g)
		if !ok {
			t.Fatalf("%v: no symmetry from %s to its image %s", g, a, b)
		}
		checkSymmetry(t, a, b, g, s)

		embedding := anyEmbedding(a.K() * rapid.IntRange(1, 3).Draw(t, "chunk width"))
		head, relation, tail := embedding.Draw(t, "head"), embedding.Draw(t, "relation"),
			embedding.Draw(t, "tail")
		want := a.Score(head, relation, tail)
		if got := b.Score(CarryEntity(s, head), CarryRelation(s, relation),
			CarryEntity(s, tail)); got != want {
			t.Fatalf("%s scores %v, and %s scores %v after %v, %v", a, want, b, got, s.Entities(),
				s.Relations())
		}
	})
}

// TestSymmetryOfAllPairs compares all pairs with K=2, and many with K=3, with a list of the group.
func TestSymmetryOfAllPairs(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, a, b Structure, g Group,
		orbit map[Structure]bool) {
		s, ok := a.SymmetryTo(b, g)
		if ok != orbit[b] {
			t.Fatalf("%v, from %s to %s: found %v, in one orbit %v", g, a, b, ok, orbit[b])
		}
		if ok {
			checkSymmetry(t, a, b, g, s)
		}
	}
	orbitOf := func(a Structure, elements []element) map[Structure]bool {
		orbit := make(map[Structure]bool)
		for _, e := range elements {
			orbit[e.apply(a)] = true
		}
		return orbit
	}
	for _, g := range bothGroups {
		elements := everyElement(2, g)
		for a := range everyStructure(2) {
			orbit := orbitOf(a, elements)
			for b := range everyStructure(2) {
				check(t, a, b, g, orbit)
			}
		}
		elements = everyElement(3, g)
		rapid.Check(t, func(t *rapid.T) {
			a := anyStructure(3, 3).Draw(t, "structure")
			orbit := orbitOf(a, elements)
			b := anyElement(3, Full).Draw(t, "element").apply(a)
			for cell := range 9 {
				check(t, a, b.With(cell/3, cell%3, rapid.IntRange(-3, 3).Draw(t, "value")), g, orbit)
			}
		})
	}
}

func TestNoSymmetryBetweenSizes(t *testing.T) {
	if s, ok := Zero(2).SymmetryTo(Zero(3), Full); ok {
		t.Errorf("from K=2 to K=3: %v", s)
	}
}

// TestCarryFloat32 checks that the numbers of a model are only moved and negated.
func TestCarryFloat32(t *testing.T) {
	// The entity chunks change places, and relation chunk 1 becomes minus chunk 2.
	s, ok := MustParse("1,2;0,1").SymmetryTo(MustParse("-2,0;1,-2"), Paper)
	if !ok {
		t.Fatal("no symmetry")
	}
	x := []float32{0.1, 1e-40, 0.3, 3e38}
	if e := CarryEntity(s, x); !slices.Equal(e, []float32{0.3, 3e38, 0.1, 1e-40}) {
		t.Errorf("entity %v from %v", e, x)
	}
	if r := CarryRelation(s, x); !slices.Equal(r, []float32{0.3, 3e38, -0.1, -1e-40}) {
		t.Errorf("relation %v from %v", r, x)
	}
}
