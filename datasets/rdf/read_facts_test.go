package rdf

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClassesWithoutRDF reads the same labelled graph as splits, as CSV and as JSON lines, with
// classes in one file.
func TestClassesWithoutRDF(t *testing.T) {
	const classes = "anna\tred\nben\tblue\ncarl\tred\n1984\tblue\neva\tred\n"
	var first *Graph
	for name, graph := range map[string]map[string]string{
		"splits": {"train.txt": "anna\tknows\tben\nben\tknows\tcarl\n", "test.txt": "carl\tborn\t1984\n" +
			"eva\tknows\tben\n"},
		"csv": {"facts.csv": "head,relation,tail\nanna,knows,ben\nben,knows,carl\ncarl,born,1984\n" +
			"eva,knows,ben\neva,knows,ben\n"},
		"json": {"facts.jsonl": `["anna","knows","ben"]` + "\n" + `["ben","knows","carl"]` + "\n" +
			`["carl","born",1984]` + "\n" + `["eva","knows","ben"]` + "\n"},
	} {
		graph["classes.tsv"] = classes
		g, err := Open(folder(t, graph), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		g.Folder = ""
		if first == nil {
			first = g
		}
		if diff := cmp.Diff(first, g); diff != "" {
			t.Errorf("%s (-first +this)\n%s", name, diff)
		}
		if len(g.Train) != 4 || len(g.Test) != 1 || len(g.Triples) != 4 || len(g.Nodes) != 5 ||
			!slices.Equal(g.Classes, []string{"blue", "red"}) {
			t.Errorf("%s: %+v", name, g)
		}
		for _, label := range slices.Concat(g.Train, g.Test) {
			if !strings.Contains(classes, g.Nodes[label.Node]+"\t"+g.Classes[label.Class]+"\n") {
				t.Errorf("%s: node %s has class %s", name, g.Nodes[label.Node], g.Classes[label.Class])
			}
		}
	}
	for content, want := range map[string]string{
		"anna red\n":              "classes.tsv:1: expected node<TAB>class",
		"x\tred\n":                "classes.tsv:1: the graph has no node",
		"anna\tred\n":             "1 labelled nodes are too few",
		"anna\tred\nanna\tblue\n": "classes.tsv:2: node anna already",
	} {
		files := map[string]string{"facts.csv": "anna,knows,ben\n", "classes.tsv": content}
		_, err := Open(folder(t, files), Options{})
		wantError(t, err, want)
	}
}

// TestTitledClasses: a first line of titles is no node.
func TestTitledClasses(t *testing.T) {
	classes := "anna\tred\nben\tblue\n"
	for _, titles := range []string{"node\tclass\n", "Entity\tType\n", ""} {
		g, err := Open(folder(t, map[string]string{
			"facts.csv": "anna,knows,ben\n", "classes.tsv": titles + classes,
		}), Options{})
		if err != nil || len(g.Train)+len(g.Test) != 2 {
			t.Errorf("%q: %+v, %v", titles, g, err)
		}
	}
	_, err := Open(folder(t, map[string]string{
		"facts.csv": "anna,knows,ben\n", "classes.tsv": classes + "node\tclass\n",
	}), Options{})
	wantError(t, err, "classes.tsv:3: the graph has no node")
}

// TestLenientFacts checks that skipped lines of facts are counted.
func TestLenientFacts(t *testing.T) {
	dir := folder(t, map[string]string{
		"facts.csv":   "anna,knows,ben\nben,knows\nben,knows,carl\n",
		"classes.tsv": "anna\tred\nben\tblue\n",
	})
	_, err := Open(dir, Options{})
	wantError(t, err, "facts.csv:2: found 2 fields")
	g, err := Open(dir, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if g.Skipped != 1 || len(g.Triples) != 2 {
		t.Errorf("skipped %d lines, read %d triples", g.Skipped, len(g.Triples))
	}
	wantError(t, g.FirstSkipped, "facts.csv:2: ")
}

// TestDrawnClassesLeaveTwo checks that a fifth of the nodes is drawn for the test, and that two of each
// class stay for training.
func TestDrawnClassesLeaveTwo(t *testing.T) {
	var labels []Label
	for node := range int32(100) {
		labels = append(labels, Label{node, min(node/3, 30)}) // thirty classes have three nodes
	}
	left, drawn := map[int32]int{}, 0
	for i, isTest := range drawTest(labels) {
		if isTest {
			drawn++
		} else {
			left[labels[i].Class]++
		}
	}
	for class := range int32(31) {
		if left[class] < 2 {
			t.Errorf("class %d has %d nodes for training", class, left[class])
		}
	}
	if drawn != 20 {
		t.Errorf("%d of 100 nodes are drawn", drawn)
	}
	for node := range int32(4) { // the only one of its class
		for _, other := range []int32{1, 2} { // classes of the others
			few := []Label{{0, 1}, {1, 1}, {2, other}, {3, other}}
			few[node].Class = 0
			isTest := drawTest(few)
			if isTest[node] && other == 1 || len(slices.DeleteFunc(isTest, func(is bool) bool { return !is })) != 1 {
				t.Errorf("%v: node %d is drawn, or not one", few, node)
			}
		}
	}
}

// TestNormalizedClasses: a node of a graph without RDF is found by a label that looks like its own.
func TestNormalizedClasses(t *testing.T) {
	const space = "\u00a0"
	files := map[string]string{
		"facts.csv":   "anna" + space + ",knows,ben\nben,knows,carl\nanna,knows,carl\ncarl,knows,eva\n",
		"classes.tsv": "anna" + space + "\tred\nben\tblue\ncarl\tred\neva\tblue\n",
	}
	g, err := Open(folder(t, files), Options{Normalize: true})
	if err != nil || len(g.Nodes) != 4 || len(g.Train)+len(g.Test) != 4 {
		t.Errorf("%+v, %v", g, err)
	}
}
