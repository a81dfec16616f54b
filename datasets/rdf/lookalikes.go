package rdf

import (
	"fmt"
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

// lookAlikes warns if nodes, relations or classes look like others.
func (g *Graph) lookAlikes() (warnings []string) {
	for _, labels := range []struct {
		kind  string
		names []string
	}{{"node", g.Nodes}, {"relation", g.Relations}, {"class", g.Classes}} {
		if found := datasets.LookAlikes(labels.kind, labels.names, normalTerm); found != "" {
			warnings = append(warnings,
				fmt.Sprintf("%s has %s: merge them with --normalize", g.Name, found))
		}
	}
	return warnings
}
