package classify

import (
	"cmp"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Model is a trained encoder with the names of what it was trained on. The graph is no
// part of it: whoever evaluates or asks it brings the graph, which [Model.Graph] opens.
type Model struct {
	// Dataset is the name of the graph, Source what [rdf.Open] finds it by, and
	// Fingerprint identifies its contents. Lenient says that lines of it were passed over.
	Dataset     string `json:"dataset"`
	Source      string `json:"source,omitempty"`
	Fingerprint string `json:"fingerprint"`
	Lenient     bool   `json:"lenient,omitempty"`

	Settings Settings `json:"settings"`
	Member   Member   `json:"member"`
	// Epochs is how many it was trained for, by cross-validation, which came to CVAccuracy.
	Epochs     int     `json:"epochs"`
	CVAccuracy float64 `json:"cv_accuracy"`
	// Reached says how far its training came where the time has ended it, or the
	// cross-validation; nil where neither was.
	Reached *kge.Reached `json:"reached,omitempty"`
	// Test is how it did on the nodes to test with; nil where it was not tested.
	Test *Evaluation `json:"test,omitempty"`

	// Entities are the nodes that have an embedding, in the order of the rows; the
	// embeddings of all others are zeros. Relations and Classes are those of the graph.
	Entities  []string `json:"-"`
	Relations []string `json:"-"`
	Classes   []string `json:"-"`
	// Tables are the numbers of the parameters; see [Model.Parameters].
	Tables [][]float32 `json:"-"`
}

// ErrOtherGraph marks a graph that is not the one that a model was trained on.
var ErrOtherGraph = errors.New("not the graph that the model was trained on")

// newModel returns a member's model with the tables of a training network.
func newModel(
	g *rdf.Graph, s Settings, n *Network, r Result, tested score, tables [][]float32,
) *Model {
	m := &Model{
		Dataset: g.Name, Source: g.Source(), Fingerprint: g.Fingerprint(), Lenient: g.Skipped > 0,
		Settings: s, Member: r.Member, Epochs: r.Epochs, CVAccuracy: r.CVAccuracy,
		Relations: g.Relations, Classes: g.Classes, Tables: slices.Clone(tables),
	}
	if s.Runs > 0 {
		test := tested.evaluation()
		m.Test = &test
	}
	m.Tables[0] = nil
	for row, node := range n.Inputs {
		if node != Blank {
			m.Entities = append(m.Entities, g.Nodes[node])
			m.Tables[0] = append(m.Tables[0], tables[0][row*m.Settings.Dim:][:m.Settings.Dim]...)
		}
	}
	return m
}

// Parameters are what the tables are of.
func (m *Model) Parameters() []Parameter {
	return parametersOf(m.Settings, len(m.Entities), relationsOf(len(m.Relations), m.Settings), len(m.Classes))
}

// Graph opens the graph that the model was trained on, from where the caller says, or
// where it was then for "".
func (m *Model) Graph(from string) (*rdf.Graph, error) {
	return rdf.Open(cmp.Or(from, datasets.SourceFolder(cmp.Or(m.Source, m.Dataset))), rdf.Options{Lenient: m.Lenient})
}

// network is what classifies some nodes of the model's graph, with the numbers of its
// parameters.
func (m *Model) network(g *rdf.Graph, outputs []rdf.Label) (*Network, [][]float32) {
	ids := make(map[string]int, len(m.Entities))
	for row, name := range m.Entities {
		ids[name] = row
	}
	n := newNetwork(g, m.Settings, outputs, func(n *Network) []bool {
		unknown := make([]bool, len(n.Inputs))
		for row, node := range n.Inputs {
			_, known := ids[g.Nodes[node]]
			unknown[row] = !known
		}
		return unknown
	})
	d := m.Settings.Dim
	tables := slices.Clone(m.Tables)
	tables[0] = make([]float32, len(n.Inputs)*d)
	for row, node := range n.Inputs {
		if node != Blank {
			copy(tables[0][row*d:][:d], m.Tables[0][ids[g.Nodes[node]]*d:])
		}
	}
	return n, tables
}
