package structure

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestClasses checks that canonical forms are listed in strict order and that none is missing:
// their orbits together contain all matrices, and their number agrees with Burnside's lemma.
func TestClasses(t *testing.T) {
	for _, test := range []struct {
		k, mostNonzeros int
	}{{1, 1}, {2, 4}, {3, 9}, {4, 5}, {5, 4}, {6, 3}} {
		for _, g := range bothGroups {
			_, counts, err := Count(test.k, g)
			if err != nil {
				t.Fatal(err)
			}
			for nonzeros := range test.mostNonzeros + 1 {
				if test.k == 3 && g == Paper && nonzeros > 6 {
					continue // 140,000 classes more
				}
				checkClasses(t, test.k, nonzeros, g, counts[nonzeros])
			}
		}
	}
}

func checkClasses(t *testing.T, k, nonzeros int, g Group, count *big.Int) {
	t.Helper()
	classes, orbits, last := int64(0), new(big.Int), Structure{}
	for s := range Classes(k, nonzeros, g) {
		if s.K() != k || s.Nonzeros() != nonzeros || s.Canonical(g) != s {
			t.Fatalf("k=%d, %v, %d nonzeros: %s is not a canonical form of that kind", k, g, nonzeros, s)
		}
		if compare(last, s) >= 0 {
			t.Fatalf("k=%d, %v, %d nonzeros: %s comes after %s", k, g, nonzeros, s, last)
		}
		classes, last = classes+1, s
		orbits.Add(orbits, new(big.Int).SetUint64(s.Orbit(g)))
	}
	if count.Cmp(big.NewInt(classes)) != 0 {
		t.Errorf("k=%d, %v, %d nonzeros: %d classes listed, %v counted", k, g, nonzeros, classes, count)
	}
	// C(k², nonzeros)·(2k)^nonzeros matrices have that many nonzeros.
	matrices := new(big.Int).Binomial(int64(k*k), int64(nonzeros))
	for range nonzeros {
		matrices.Mul(matrices, big.NewInt(int64(2*k)))
	}
	if orbits.Cmp(matrices) != 0 {
		t.Errorf("k=%d, %v, %d nonzeros: the orbits hold %v matrices of %v", k, g, nonzeros, orbits,
			matrices)
	}
}

// TestPrefixesOfCanonicalForms tests random matrices, also dense ones, which are too many to list.
// The enumeration never rejects a prefix of a canonical form, and rejects other matrices at the
// last cell or before.
func TestPrefixesOfCanonicalForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(2, 6).Draw(t, "structure")
		g := rapid.SampledFrom(bothGroups).Draw(t, "group")
		canonical := s.Canonical(g)
		if n := firstGivenUp(canonical, g); n >= 0 {
			t.Fatalf("%v: the canonical form %s is rejected at cell %d", g, canonical, n)
		}
		if n := firstGivenUp(s, g); n < 0 && s != canonical {
			t.Fatalf("%v: %s is not rejected, but its canonical form is %s", g, s, canonical)
		}
	})
}

// firstGivenUp returns the cell at which the enumeration rejects s, or -1.
func firstGivenUp(s Structure, g Group) int {
	b := newClassBuilder(s.K(), g, nil)
	for n, value := range s.flat() {
		rank := uint8(0)
		for symbolOfRank(rank) != value {
			rank++
		}
		if !b.put(rank, n) {
			return n
		}
	}
	return -1
}

func TestClassesOfNoMatrix(t *testing.T) {
	for _, nonzeros := range []int{-1, 5} {
		for s := range Classes(2, nonzeros, Full) {
			t.Errorf("%d nonzeros: %s", nonzeros, s)
		}
	}
}

// TestClassesStop checks that the enumeration can be stopped and started again.
func TestClassesStop(t *testing.T) {
	classes := Classes(4, 2, Full)
	for range 2 {
		seen := 0
		for range classes {
			if seen++; seen == 7 {
				break
			}
		}
		if seen != 7 {
			t.Errorf("stopped after %d of 7", seen)
		}
	}
}
