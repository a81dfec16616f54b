package rdf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
)

func TestFingerprintTellsGraphsApart(t *testing.T) {
	base := func() *Graph {
		return &Graph{
			Name: "base", Folder: "/there", Nodes: []string{"ab", "c"}, Relations: []string{"r"},
			Classes: []string{"x", "y"},
			Triples: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 0}},
			Train:   []Label{{0, 0}}, Test: []Label{{1, 1}},
		}
	}
	renamed := base()
	renamed.Name, renamed.Folder, renamed.Skipped = "another name", "/elsewhere", 3
	if renamed.Fingerprint() != base().Fingerprint() {
		t.Error("the name, the folder or the lines passed over change the fingerprint")
	}
	seen := map[string]string{base().Fingerprint(): "no change"}
	for name, change := range map[string]func(*Graph){
		"letters moved between nodes": func(g *Graph) { g.Nodes = []string{"a", "bc"} },
		"node moved to the relations": func(g *Graph) {
			g.Nodes, g.Relations = []string{"ab"}, []string{"c", "r"}
		},
		"class moved to relations": func(g *Graph) {
			g.Relations, g.Classes = []string{"r", "x"}, []string{"y"}
		},
		"order of triples": func(g *Graph) {
			g.Triples[0], g.Triples[1] = g.Triples[1], g.Triples[0]
		},
		"head for tail": func(g *Graph) {
			g.Triples[0] = datasets.Triple{Head: 1, Relation: 0, Tail: 0}
		},
		"one triple less":         func(g *Graph) { g.Triples = g.Triples[:1] },
		"label moved to the test": func(g *Graph) { g.Train, g.Test = nil, []Label{{0, 0}, {1, 1}} },
		"train for test":          func(g *Graph) { g.Train, g.Test = g.Test, g.Train },
		"another class of a node": func(g *Graph) { g.Train[0].Class = 1 },
		"another node of a class": func(g *Graph) { g.Train[0].Node = 1 },
		"another name of a class": func(g *Graph) { g.Classes[1] = "z" },
	} {
		g := base()
		change(g)
		sum := g.Fingerprint()
		if other, there := seen[sum]; there {
			t.Errorf("%s: the fingerprint is that of %s", name, other)
		}
		seen[sum] = name
	}
}

// TestSource checks that the source of a benchmark is its name, and of other graphs their folder.
func TestSource(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	for _, c := range []struct {
		graph Graph
		want  string
	}{
		{Graph{Name: "aifb", Folder: filepath.Join(data, "aifb")}, "aifb"},
		{Graph{Name: "aifb", Folder: filepath.Join(os.TempDir(), "copy", "aifb")},
			filepath.Join(os.TempDir(), "copy", "aifb")},
		{Graph{Name: "mine", Folder: filepath.Join(data, "mine")}, filepath.Join(data, "mine")},
		{Graph{Name: "built"}, ""},
		{Graph{Name: "mutag"}, ""},
	} {
		if got := c.graph.Source(); got != c.want {
			t.Errorf("%s in %q comes from %q, not %q", c.graph.Name, c.graph.Folder, got, c.want)
		}
	}
}
