package rdf

import (
	"slices"
	"strings"
	"testing"
)

// TestLookAlikes checks the warnings about labels that only look different to a program, and that
// reading can merge them.
func TestLookAlikes(t *testing.T) {
	for name, c := range map[string]struct {
		triples, table string // added to the valid folder
		want           []string
		nodes, edges   int // of the normalized graph, which has 5 and 4 without the additions
	}{
		"nothing": {nodes: 5, edges: 4},
		"a literal with a space": {triples: `<x:anna> <x:name> "Ben "@en .` + "\n" +
			`<x:ben> <x:name> " Ben"@en .` + "\n",
			want: []string{`group has 2 node labels with a look-alike, such as ` +
				`"\"Ben \"@en" and "\"Ben\"@en", which differ only in invisible characters, ` +
				`outer spaces or the Unicode form: merge them with --normalize of dataset import or classify train`},
			nodes: 5, edges: 5},
		"another language": {triples: `<x:ben> <x:name> "Ben "@de .` + "\n", nodes: 6, edges: 5},
		"a node and a relation": {
			triples: "<x:ben\u200b> <x:knows\u200b> _:someone .\n",
			table:   "x:ben\u200b\t4\tblue\n",
			want:    []string{"1 node label with", "1 relation label with"},
			nodes:   5, edges: 4},
		"a class": {triples: "<x:carl> <x:knows> <x:ben> .\n", table: "x:carl\t4\tred \n",
			want:  []string{`1 class label with a look-alike, such as "red " and "red"`},
			nodes: 6, edges: 5},
	} {
		all := files(map[string]string{"graph.nt": triples + c.triples})
		if !strings.Contains(c.table, "\u200b") {
			all["testSet.tsv"] += c.table
		} else { // normalized, x:ben has one label only
			all["testSet.tsv"] = strings.SplitAfter(testTable, "\n")[0] + c.table
		}
		dir := folder(t, all)
		g, err := ReadFolder(dir, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := g.Warnings(); !slices.EqualFunc(got, c.want, strings.Contains) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		normal, err := ReadFolder(dir, Options{Normalize: true})
		if err != nil {
			t.Fatal(name, err)
		}
		if normal.Warnings() != nil || !normal.Normalized || g.Normalized ||
			len(normal.Nodes) != c.nodes || len(normal.Triples) != c.edges ||
			len(normal.Classes) != 2 {
			t.Errorf("%s, normalized: %+v, want %d nodes and %d triples", name, normal, c.nodes, c.edges)
		}
		for _, node := range g.Nodes { // as in the files
			if _, found := normal.Find(node); !found {
				t.Errorf("%s, normalized: no node %+q", name, node)
			}
		}
		for _, written := range []string{"x:ben", "<x:ben>", " x:ben", "x:ben\u200b", "<x:ben >"} {
			_, found := g.Find(written)
			_, inNormal := normal.Find(written)
			isThere := slices.Contains(g.Nodes, written) || slices.Contains(g.Nodes, "<"+written+">")
			if found != isThere || inNormal != (written != "<x:ben >") {
				t.Errorf("%s: found %+q %v, normalized %v", name, written, found, inNormal)
			}
		}
	}
}
