package datasets

import "testing"

func TestWorldPatterns(t *testing.T) {
	g := World()
	want := map[string]RelationPattern{
		"borders":       {Pattern: Symmetric},
		"located_in":    {Pattern: AntiSymmetric},
		"capital_of":    {Pattern: General, Inverse: true},
		"has_capital":   {Pattern: General, Inverse: true},
		"speaks":        {Pattern: General},
		"uses_currency": {Pattern: General},
	}
	if len(g.Relations) != len(want) {
		t.Errorf("relations %v, want %d", g.Relations, len(want))
	}
	for r, got := range Patterns(g) {
		if name := g.Relations[r]; got != want[name] {
			t.Errorf("%s is %v (inverse %v), want %v (inverse %v)", name, got.Pattern, got.Inverse,
				want[name].Pattern, want[name].Inverse)
		}
	}
}

// TestWorldFiles checks that the files stay as they are: everything is in train, a fact and its
// reverse are in one split, and a label stands for one thing. Each call gives a graph of its own.
func TestWorldFiles(t *testing.T) {
	const want = "2a4277fec7a7d9520c10313de1c7a5d47e834142db41f2e680f283a8bb6ab540"
	changed := World()
	changed.Entities[0], changed.Train[0] = "changed", Triple{1, 1, 1}
	opened, err := Open("world")
	if err != nil || opened.Fingerprint() != want || opened.Name != "world" {
		t.Errorf("%s, %v", opened.Fingerprint(), err)
	}
}
