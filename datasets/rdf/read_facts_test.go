package rdf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets/facts"
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
		if diff := cmp.Diff(first, g, cmp.AllowUnexported(Graph{})); diff != "" {
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

// TestDrawnClassesAreBalanced: the test has about as large a share of each class as the labels.
func TestDrawnClassesAreBalanced(t *testing.T) {
	var labels []Label
	for node := range int32(60) {
		labels = append(labels, Label{node, node / 20})
	}
	drawn := map[int32]int{}
	for i, isTest := range drawTest(labels) {
		if isTest {
			drawn[labels[i].Class]++
		}
	}
	for class := range int32(3) {
		if drawn[class] != 4 {
			t.Errorf("%d of 20 nodes of class %d are drawn", drawn[class], class)
		}
	}
}

// TestFolderWarnings: what a reader of facts warns of, and facts that are not read, are warnings of the
// graph.
func TestFolderWarnings(t *testing.T) {
	const classes = "anna\tred\nben\tblue\ncarl\tred\n"
	const facts = "anna\tknows\tben\nben\tknows\tcarl\ncarl\tknows\tanna\nben\tknows\tanna\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"titles":   {map[string]string{"f.tsv": "who\tdoes\twhat\n" + facts}, "looks like column titles"},
		"splits":   {map[string]string{"train.txt": "who\tdoes\twhat\n" + facts}, "looks like column titles"},
		"comments": {map[string]string{"f.tsv": "#1 Dads\tknows\tben\n" + facts}, "1 comment with the columns"},
		"no tail":  {map[string]string{"f.tsv": "anna\tknows\t\n" + facts}, "facts without a head, relation or tail"},
		"others": {map[string]string{
			"g.nt": "<anna:> <x:r> <ben:> .\n<ben:> <x:r> <carl:> .\n", "f.ttl": "<x:a> <x:b> <x:c> .",
		}, "only the N-Triples"},
		"splits next to triples": {map[string]string{
			"g.nt": "<anna:> <x:r> <ben:> .\n<ben:> <x:r> <carl:> .\n", "train.txt": facts,
		}, "only the N-Triples"},
		"nothing": {map[string]string{"f.tsv": facts}, ""},
	} {
		if c.files["classes.tsv"] = classes; strings.Contains(c.want, "N-Triples") {
			c.files["classes.tsv"] = strings.ReplaceAll(classes, "\t", ":\t")
		}
		g, err := Open(folder(t, c.files), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := strings.Join(g.Warnings(), "\n")
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", name, got, c.want)
		}
	}
}

// TestSpelledNodes: labels name nodes with and without angle brackets, whatever the form of the graph
// is, and in quotes if a table has them.
func TestSpelledNodes(t *testing.T) {
	for name, graph := range map[string]string{
		"g.nt": "<x:anna> <x:r> <x:ben> .\n", "g.ttl": "<x:anna> <x:r> <x:ben> .\n",
		"g.csv": "x:anna,x:r,x:ben\n",
	} {
		for _, classes := range []string{
			"x:anna\tred\nx:ben\tblue\n", "<x:anna>\tred\n<x:ben>\tblue\n",
			"\"x:anna\"\t\"red\"\n\"x:ben\"\t\"blue\"\n",
		} {
			g, err := Open(folder(t, map[string]string{name: graph, "classes.tsv": classes}), Options{})
			if err != nil {
				t.Errorf("%s, %q: %v", name, classes, err)
				continue
			}
			if !slices.Equal(g.Classes, []string{"blue", "red"}) {
				t.Errorf("%s: classes %q", name, g.Classes)
			}
			for _, node := range []string{"x:anna", "<x:anna>"} {
				if _, found := g.Find(node); !found {
					t.Errorf("%s has no %s", name, node)
				}
			}
		}
	}
	quoted := map[string]string{"g.ttl": "<x:anna> <x:r> <x:ben> .\n",
		"trainingSet.tsv": "\"person\"\t\"label\"\n\"x:anna\"\t\"red\"\n",
		"testSet.tsv":     "\"person\"\t\"label\"\n\"x:ben\"\t\"red\"\n"}
	if g, err := Open(folder(t, quoted), Options{}); err != nil || len(g.Train)+len(g.Test) != 2 {
		t.Errorf("quoted tables: %+v, %v", g, err)
	}
	literal := map[string]string{"g.nt": "<x:anna> <x:r> \"ben\" .\n",
		"classes.tsv": "\"ben\"\tred\n<x:anna>\tblue\n"}
	if g, err := Open(folder(t, literal), Options{}); err != nil || len(g.Train)+len(g.Test) != 2 {
		t.Errorf("a literal as a node: %+v, %v", g, err)
	}
}

// TestFolderErrors: each error of a folder names the fix.
func TestFolderErrors(t *testing.T) {
	const classes = "x:anna\tred\nx:ben\tblue\n"
	const triples = "<x:anna> <x:r> <x:ben> .\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"two labels": {map[string]string{"g.nt": triples, "classes.tsv": classes, "testSet.tsv": testTable},
			"keep one of both"},
		"no labels": {map[string]string{"g.nt": triples, "labels.txt": classes},
			"a file is missing: classes.tsv with lines of node<TAB>class, or the tables"},
		"XML": {map[string]string{"g.rdf": "<rdf/>", "classes.tsv": classes}, "g.rdf: it is XML: convert it"},
	} {
		_, err := Open(folder(t, c.files), Options{})
		if wantError(t, err, c.want); err != nil && strings.Contains(err.Error(), "autoblm") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Open(folder(t, map[string]string{"g.nt": triples + "x\n", "classes.tsv": classes}), Options{})
	if !errors.Is(err, facts.ErrMalformed) {
		t.Errorf("a malformed line: %v", err)
	}
}

// TestClassesGivenAway: a relation that has one tail for each class is a warning, and one that has a tail
// for each node, for all of them, or for half of a class's nodes is none.
func TestClassesGivenAway(t *testing.T) {
	for name, c := range map[string]struct {
		tail func(node, class int) string
		want bool
	}{
		"the class":      {func(_, class int) string { return fmt.Sprint("c", class) }, true},
		"an own tail":    {func(node, _ int) string { return fmt.Sprint("x", node) }, false},
		"one for all":    {func(_, _ int) string { return "x" }, false},
		"two of a class": {func(node, class int) string { return fmt.Sprint("c", class, node%4/2) }, true},
		"half mixed":     {func(node, class int) string { return fmt.Sprint("c", class*(node/2%2)) }, false},
		"some lack it": {func(node, class int) string {
			if node < 8 {
				return fmt.Sprint("x", node)
			}
			return fmt.Sprint("c", class)
		}, false},
	} {
		var graph, classes strings.Builder
		for node := range 40 {
			class := node % 2
			fmt.Fprintf(&graph, "n%d\ttype\t%s\nn%d\tnext\tn%d\n", node, c.tail(node, class), node, (node+3)%40)
			fmt.Fprintf(&classes, "n%d\tclass%d\n", node, class)
		}
		g, err := Open(folder(t, map[string]string{"train.txt": graph.String(), "classes.tsv": classes.String()}),
			Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(g.GivenAway(), ""); strings.Contains(got, "type gives away the classes") != c.want {
			t.Errorf("%s: warnings %q", name, got)
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
