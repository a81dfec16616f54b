package rdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FuzzLine checks that any line is refused, or adds a triple that is the same after writing and
// reading it again.
func FuzzLine(f *testing.F) {
	for line := range strings.SplitSeq(triples, "\n") {
		f.Add(line)
	}
	for _, line := range []string{"", "# only a comment", "<x:a> <x:b> .", `<x:a> <x:b> "\u00e9\n" .`,
		`<x:a> <x:b> "a"^^<x:\u0063> .`, "\xff", "<x:a><x:b><x:c>."} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		b := newBuilder(Options{})
		if err := b.add(line); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error %q has more than one line", err)
			}
			return
		}
		if len(b.graph.Triples) == 0 {
			if trimmed := strings.TrimSpace(line); trimmed != "" && trimmed[0] != '#' {
				t.Errorf("%q is no error and no triple", line)
			}
			return
		}
		again := newBuilder(Options{})
		if err := again.add(written(b.graph)); err != nil {
			t.Fatalf("%q was read, and as %q it is %v", line, written(b.graph), err)
		}
		if !slices.Equal(b.graph.Nodes, again.graph.Nodes) ||
			!slices.Equal(b.graph.Relations, again.graph.Relations) {
			t.Errorf("%q is %q and then %q", line, b.graph.Nodes, again.graph.Nodes)
		}
	})
}

// written returns the first triple of a graph as a line.
func written(g *Graph) string {
	first := g.Triples[0]
	return fmt.Sprintf("%s %s %s .", g.Nodes[first.Head], g.Relations[first.Relation],
		g.Nodes[first.Tail])
}

// TestAnyWayToWriteALiteral checks that a literal is one node, however its characters are escaped,
// and so is an IRI.
func TestAnyWayToWriteALiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.Rune(), 0, 12, -1).Draw(t, "text")
		b := newBuilder(Options{})
		for range 3 {
			var line strings.Builder
			line.WriteString(rapid.SampledFrom([]string{`<x:a>`, `<x:\u0061>`}).Draw(t, "subject"))
			line.WriteString(` <x:b> "`)
			for _, r := range text {
				if ways := writings(r); len(ways) > 0 {
					line.WriteString(rapid.SampledFrom(ways).Draw(t, "way"))
				}
			}
			line.WriteString(`"@en .`)
			if err := b.add(line.String()); err != nil {
				t.Fatalf("%q: %v", line.String(), err)
			}
		}
		if len(b.graph.Triples) != 1 {
			t.Fatalf("%q has become %q", text, b.graph.Nodes)
		}
	})
}

// writings returns the ways to write a character in a literal.
func writings(r rune) []string {
	ways := []string{fmt.Sprintf(`\U%08X`, r)}
	if r <= 0xffff {
		ways = append(ways, fmt.Sprintf(`\u%04x`, r))
	}
	switch r {
	case '"':
		return append(ways, `\"`)
	case '\\':
		return append(ways, `\\`)
	case '\n':
		return append(ways, `\n`)
	case '\r':
		return append(ways, `\r`)
	}
	return append(ways, string(r))
}

// FuzzReadFolder reads a graph with tables of labels. An error is one line that names the folder,
// and a graph refers only to nodes, relations and classes that exist.
func FuzzReadFolder(f *testing.F) {
	f.Add(triples, trainTable, testTable)
	f.Add(triples, "id\tperson\tlabel_group\n", "person\n\t\n")
	f.Add("<x:a> <x:b> <x:c> .", "\uFEFFperson\tlabel_group\nx:a\tred\n", testTable)
	f.Fuzz(func(t *testing.T, graph, train, test string) {
		dir := folder(t, map[string]string{
			"graph.nt": graph, "trainingSet.tsv": train, "testSet.tsv": test,
		})
		for _, lenient := range []bool{false, true} {
			g, err := ReadFolder(dir, Options{Lenient: lenient})
			if err != nil {
				if !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %q: want one line that names the folder", err)
				}
				continue
			}
			isNode := func(node int32) bool { return node >= 0 && int(node) < len(g.Nodes) }
			for _, e := range g.Triples {
				if !isNode(e.Head) || !isNode(e.Tail) || int(e.Relation) >= len(g.Relations) {
					t.Errorf("edge %v among %d nodes", e, len(g.Nodes))
				}
			}
			for _, l := range slices.Concat(g.Train, g.Test) {
				if !isNode(l.Node) || int(l.Class) >= len(g.Classes) {
					t.Errorf("label %v among %d nodes", l, len(g.Nodes))
				}
			}
		}
	})
}
