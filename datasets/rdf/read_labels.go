package rdf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// labelReader reads the tables of labelled nodes of one graph.
type labelReader struct {
	nodes     map[string]int32
	classes   map[string]int32
	names     []string
	origin    map[int32]string // of each labelled node, its file
	normalize bool
}

// read reads a table with a header. The column whose name begins with "label" has
// the class; of the others, the first that is not "id" has the node, which needs no
// angle brackets.
func (r *labelReader) read(path string) ([]Label, error) {
	text, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	var labels []Label
	node, class, columns := -1, -1, 0
	for line := range text.Lines(maxLine) {
		fields := r.cells(string(line))
		if strings.TrimSpace(string(line)) == "" {
			continue
		}
		if columns == 0 {
			columns = len(fields)
			class = slices.IndexFunc(fields, isClassColumn)
			node = slices.IndexFunc(fields, func(name string) bool {
				return name != "id" && !isClassColumn(name)
			})
			if node < 0 || class < 0 {
				return nil, text.Errorf("the header needs a column for the node and one whose name " +
					"begins with label, for example person<TAB>id<TAB>label_affiliation")
			}
			continue
		}
		if len(fields) != columns {
			return nil, text.Errorf("found %d tab-separated fields; the header has %d", len(fields), columns)
		}
		label, err := r.label(fields[node], fields[class], path)
		if err != nil {
			return nil, text.Errorf("%w", err)
		}
		labels = append(labels, label)
	}
	if text.Err == nil && len(labels) == 0 {
		return nil, text.Errorf("the file has no labelled nodes; expected a header and a line for each")
	}
	return labels, text.Err
}

func isClassColumn(name string) bool { return strings.HasPrefix(name, "label") }

func (r *labelReader) label(node, class, path string) (Label, error) {
	if class == "" {
		return Label{}, fmt.Errorf("node %s has no class; fill it in or remove the line", node)
	}
	if r.normalize {
		node, class = normalTerm(node), normalTerm(class)
	}
	id, there := r.node(node)
	if !there {
		return Label{}, fmt.Errorf("the graph has no node %s; remove the line, or add triples of the node", node)
	}
	if first, labelled := r.origin[id]; labelled {
		return Label{}, fmt.Errorf("node %s already has a label in %s; remove one of the lines", node, first)
	}
	r.origin[id] = path
	return Label{Node: id, Class: number(class, r.classes, &r.names)}, nil
}

// node returns the number of a node by a name that may have other angle brackets.
func (r *labelReader) node(name string) (id int32, there bool) {
	for _, term := range spellings(name) {
		if id, there = r.nodes[term]; there {
			break
		}
	}
	return id, there
}

// cells splits a line at tabs. Quotes around cells are removed, as facts are read, unless the line
// begins with a node: a literal of N-Triples has quotes of its own.
func (r *labelReader) cells(line string) []string {
	cells := strings.Split(line, "\t")
	if _, isNode := r.node(cells[0]); !isNode {
		facts.Unquote(cells)
	}
	return cells
}
