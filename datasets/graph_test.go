package datasets

import "testing"

func TestSplitByName(t *testing.T) {
	g := &Graph{Train: make([]Triple, 3), Valid: make([]Triple, 2), Test: make([]Triple, 1)}
	for name, want := range map[string]int{"train": 3, "valid": 2, "test": 1} {
		triples, err := g.Split(name)
		if err != nil || len(triples) != want {
			t.Errorf("Split(%q) gives %d triples and the error %v, want %d triples", name, len(triples), err,
				want)
		}
	}
	_, err := g.Split("dev")
	checkError(t, err, "train, valid or test")
}

func TestFingerprintTellsGraphsApart(t *testing.T) {
	base := func() *Graph {
		return &Graph{
			Entities: []string{"ab", "c"}, Relations: []string{"r"},
			Train: []Triple{{0, 0, 1}, {1, 0, 0}}, Valid: []Triple{{0, 0, 0}},
		}
	}
	renamed := base()
	renamed.Name = "another name"
	if renamed.Fingerprint() != base().Fingerprint() {
		t.Error("the name changes the fingerprint")
	}
	changes := map[string]func(*Graph){
		"letters moved between labels": func(g *Graph) { g.Entities = []string{"a", "bc"} },
		"label moved between kinds": func(g *Graph) {
			g.Entities, g.Relations = []string{"ab"}, []string{"c", "r"}
		},
		"triple moved between splits": func(g *Graph) {
			g.Train, g.Valid = g.Train[:1], []Triple{{1, 0, 0}, {0, 0, 0}}
		},
		"order of triples": func(g *Graph) {
			g.Train[0], g.Train[1] = g.Train[1], g.Train[0]
		},
		"duplicate":                     func(g *Graph) { g.Test = append(g.Test, g.Train[0]) },
		"head for tail":                 func(g *Graph) { g.Train[0] = Triple{1, 0, 0} },
		"valid and test change places":  func(g *Graph) { g.Valid, g.Test = g.Test, g.Valid },
		"another label for an entity":   func(g *Graph) { g.Entities[1] = "d" },
		"another label for a relation":  func(g *Graph) { g.Relations[0] = "s" },
		"relation that has no triples":  func(g *Graph) { g.Relations = append(g.Relations, "s") },
		"an entity that has no triples": func(g *Graph) { g.Entities = append(g.Entities, "e") },
	}
	seen := map[string]string{base().Fingerprint(): "no change"}
	for name, change := range changes {
		g := base()
		change(g)
		if other, again := seen[g.Fingerprint()]; again {
			t.Errorf("the same fingerprint for %q and %q", name, other)
		}
		seen[g.Fingerprint()] = name
	}
}
