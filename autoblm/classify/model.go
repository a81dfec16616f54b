package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Model holds a trained encoder with the labels of its training data. It does not contain the
// graph: callers open it with [Model.Graph] and pass it.
type Model struct {
	// Dataset is the name of the graph, Source its location for [rdf.Open], and Fingerprint
	// identifies its contents. Lenient is set if invalid lines were skipped, and
	// Normalize if labels were normalized.
	Dataset     string `json:"dataset"`
	Source      string `json:"source,omitempty"`
	Fingerprint string `json:"fingerprint"`
	Lenient     bool   `json:"lenient,omitempty"`
	Normalize   bool   `json:"normalize,omitempty"`

	Settings Settings `json:"settings"`
	Member   Member   `json:"member"`
	// Epochs is the number of epochs chosen by cross-validation, with accuracy CVAccuracy.
	Epochs     int     `json:"epochs"`
	CVAccuracy float64 `json:"cv_accuracy"`
	// Position says where a deadline stopped the training or the cross-validation; nil if both are
	// complete.
	Position *kge.Position `json:"position,omitempty"`
	// Test is the result on the test nodes; nil if it was not tested.
	Test *Evaluation `json:"test,omitempty"`

	// Entities are the nodes with an embedding, in the order of the rows; the embeddings of other
	// nodes are zero. Relations and Classes are those of the graph.
	Entities  []string `json:"-"`
	Relations []string `json:"-"`
	Classes   []string `json:"-"`
	// Tables are the values of [Model.Parameters].
	Tables [][]float32 `json:"-"`
}

// ErrOtherGraph reports a graph that differs from the graph that a model was trained on.
var ErrOtherGraph = errors.New("not the graph that the model was trained on")

// newModel returns a model with the tables of a training network.
func newModel(g *rdf.Graph, n *Network, m Member, tables [][]float32) *Model {
	model := &Model{
		Dataset: g.Name, Source: g.Source(), Fingerprint: g.Fingerprint(),
		Lenient: g.Skipped > 0, Normalize: g.Normalized,
		Settings: n.Settings, Member: m, Relations: g.Relations, Classes: g.Classes,
		Tables: slices.Clone(tables),
	}
	d := n.Settings.Dim
	model.Tables[0] = nil
	for row, node := range n.Inputs {
		if node != Blank {
			model.Entities = append(model.Entities, g.Nodes[node])
			model.Tables[0] = append(model.Tables[0], tables[0][row*d:][:d]...)
		}
	}
	return model
}

// Parameters describes the tables.
func (m *Model) Parameters() []Parameter {
	kinds := edgeKinds(len(m.Relations), m.Settings)
	return parametersOf(m.Settings, len(m.Entities), kinds, len(m.Classes))
}

// Graph opens the graph that the model was trained on, from a location or, for "", from the
// original one.
func (m *Model) Graph(from string) (*rdf.Graph, error) {
	location := cmp.Or(from, datasets.SourceFolder(cmp.Or(m.Source, m.Dataset)))
	return rdf.Open(location, rdf.Options{Lenient: m.Lenient, Normalize: m.Normalize})
}

// network returns the network that classifies some nodes of the model's graph, with its tables.
func (m *Model) network(g *rdf.Graph, outputs []rdf.Label) (*Network, [][]float32) {
	ids := labels.Index(m.Entities)
	n := newNetwork(g, m.Settings, outputs, func(n *Network) []bool {
		isBlank := make([]bool, len(n.Inputs))
		for row, node := range n.Inputs {
			_, known := ids[g.Nodes[node]]
			isBlank[row] = !known
		}
		return isBlank
	})
	d := m.Settings.Dim
	tables := slices.Clone(m.Tables)
	tables[0] = make([]float32, len(n.Inputs)*d)
	for row, node := range n.Inputs {
		if node != Blank {
			copy(tables[0][row*d:][:d], m.Tables[0][int(ids[g.Nodes[node]])*d:])
		}
	}
	return n, tables
}

// classify returns the logits of some nodes, and their network.
func (m *Model) classify(
	ctx context.Context, engine Engine, g *rdf.Graph, nodes []rdf.Label,
) (*Network, []float32, error) {
	if g.Fingerprint() != m.Fingerprint {
		return nil, nil, fmt.Errorf("%s is %w, %s", g.Name, ErrOtherGraph, m.Dataset)
	}
	network, tables := m.network(g, nodes)
	program, err := engine.Prepare(network)
	if err != nil {
		return nil, nil, err
	}
	defer program.Close()
	run := Run{Member: m.Member, State: State{Tables: tables}}
	population, err := program.NewPopulation([]Run{run})
	if err != nil {
		return nil, nil, err
	}
	defer population.Close()
	logits, err := population.Logits(ctx, []bool{true})
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(logits[0], func(x float32) bool { return !isFinite(float64(x)) }) {
		return nil, nil, errors.New(
			"the model's values overflow: retrain it with a smaller learning rate")
	}
	return network, logits[0], nil
}
