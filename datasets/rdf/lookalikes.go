package rdf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
)

// normalTerm returns a term in the form of [datasets.NormalLabel]; of a literal, the text between
// the quotes.
func normalTerm(term string) string {
	end := strings.LastIndexByte(term, '"')
	if end <= 0 || term[0] != '"' {
		return datasets.NormalLabel(term)
	}
	return `"` + datasets.NormalLabel(term[1:end]) + term[end:]
}

// Find returns the number of a node, given its name with or without angle brackets, which only nodes of
// N-Triples have. In a graph with normal labels, the name is normalized too.
func (g *Graph) Find(name string) (id int32, found bool) {
	if g.Normalized {
		name = normalTerm(name)
	}
	for _, term := range spellings(name) {
		if at := slices.Index(g.Nodes, term); at >= 0 {
			return int32(at), true
		}
	}
	return 0, false
}

// spellings returns the terms that a name may mean, with and without angle brackets.
func spellings(name string) []string {
	if iri, is := strings.CutPrefix(name, "<"); is && strings.HasSuffix(iri, ">") {
		return []string{name, strings.TrimSuffix(iri, ">")}
	}
	return []string{name, "<" + name + ">"}
}

// lookAlikes warns if nodes, relations or classes look like others.
func (g *Graph) lookAlikes() (warnings []string) {
	for _, labels := range []struct {
		kind  string
		names []string
	}{{"node", g.Nodes}, {"relation", g.Relations}, {"class", g.Classes}} {
		if found := datasets.LookAlikes(labels.kind, labels.names, normalTerm); found != "" {
			warnings = append(warnings,
				fmt.Sprintf("%s has %s: merge them with --normalize of dataset import or classify train", g.Name, found))
		}
	}
	return warnings
}
