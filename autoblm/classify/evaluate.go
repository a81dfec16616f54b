package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Evaluation is how many nodes were classified right.
type Evaluation struct {
	Nodes    int     `json:"nodes"`
	Accuracy float64 `json:"accuracy"` // a share
}

func (s score) evaluation() Evaluation { return Evaluation{s.nodes, s.accuracy()} }

// ClassEvaluation is that of the nodes of one class.
type ClassEvaluation struct {
	Class string `json:"class"`
	Evaluation
}

// Evaluate classifies the labelled nodes of a split, "train" or "test", of the graph
// that the model was trained on, all of them and by their classes.
func (m *Model) Evaluate(ctx context.Context, engine Engine, g *rdf.Graph, split string) (Evaluation, []ClassEvaluation, error) {
	return Ensemble{m}.Evaluate(ctx, engine, g, split)
}

// Evaluate is as [Model.Evaluate].
func (t Ensemble) Evaluate(ctx context.Context, engine Engine, g *rdf.Graph, split string) (Evaluation, []ClassEvaluation, error) {
	var nodes []int
	switch train := len(g.Train); split {
	case "train":
		nodes = integers(0, train)
	case "test":
		nodes = integers(train, train+len(g.Test))
	default:
		return Evaluation{}, nil, fmt.Errorf("unknown split %q: use train or test", split)
	}
	if len(nodes) == 0 {
		return Evaluation{}, nil, fmt.Errorf("%s has no %s nodes to classify", g.Name, split)
	}
	network, logits, err := t.classify(ctx, engine, g, labelled(g))
	if err != nil {
		return Evaluation{}, nil, err
	}
	var by []ClassEvaluation
	for class, name := range g.Classes {
		own := slices.DeleteFunc(slices.Clone(nodes), func(i int) bool { return int(network.Targets[i]) != class })
		if len(own) > 0 {
			by = append(by, ClassEvaluation{name, scoreOf(network, logits, own).evaluation()})
		}
	}
	return scoreOf(network, logits, nodes).evaluation(), by, nil
}

// Prediction is what a model says of a node.
type Prediction struct {
	Node string `json:"node"`
	// Label is the node's class as the graph has it and Split where, "train" or "test";
	// nil and "" for a node without one.
	Label   *string  `json:"label"`
	Split   string   `json:"split,omitempty"`
	Answers []Answer `json:"answers"`
}

// Answer is a class that a node may have.
type Answer struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	Rank        int     `json:"rank"`
}

// Predict classifies any node of the graph that the model was trained on, by name; angle
// brackets may be left out. The probabilities of all classes add up to 1, and the top
// ones are returned, best first; all for 0.
func (m *Model) Predict(ctx context.Context, engine Engine, g *rdf.Graph, node string, top int) (Prediction, error) {
	return Ensemble{m}.Predict(ctx, engine, g, node, top)
}

// Predict is as [Model.Predict].
func (t Ensemble) Predict(ctx context.Context, engine Engine, g *rdf.Graph, node string, top int) (Prediction, error) {
	if top < 0 {
		return Prediction{}, fmt.Errorf("top is %d: it must be 0, for all classes, or more", top)
	}
	id, err := findNode(g, node)
	if err != nil {
		return Prediction{}, err
	}
	p := Prediction{Node: g.Nodes[id]}
	for i, l := range labelled(g) {
		if l.Node == id {
			p.Label, p.Split = &g.Classes[l.Class], "train"
			if i >= len(g.Train) {
				p.Split = "test"
			}
		}
	}
	_, logits, err := t.classify(ctx, engine, g, []rdf.Label{{Node: id, Class: -1}})
	if err != nil {
		return Prediction{}, err
	}
	for class, probability := range softmax(logits) {
		p.Answers = append(p.Answers, Answer{Class: g.Classes[class], Probability: probability})
	}
	slices.SortStableFunc(p.Answers, func(a, b Answer) int { return cmp.Compare(b.Probability, a.Probability) })
	for i := range p.Answers {
		p.Answers[i].Rank = i + 1
	}
	if top > 0 {
		p.Answers = p.Answers[:min(top, len(p.Answers))]
	}
	return p, nil
}

// findNode is the number of a node of the graph; the error suggests others.
func findNode(g *rdf.Graph, name string) (int32, error) {
	for _, written := range []string{name, "<" + name + ">"} {
		if id := slices.Index(g.Nodes, written); id >= 0 {
			return int32(id), nil
		}
	}
	near := enum.Near(g.Nodes, strings.Trim(name, "<>"))
	return 0, fmt.Errorf("%s has no node %q%s", g.Name, name, enum.DidYouMean(near))
}

// classify computes the logits of some nodes.
func (m *Model) classify(ctx context.Context, engine Engine, g *rdf.Graph, nodes []rdf.Label) (*Network, []float32, error) {
	if g.Fingerprint() != m.Fingerprint {
		return nil, nil, fmt.Errorf("%s is %w, %s", g.Name, ErrOtherGraph, m.Dataset)
	}
	network, tables := m.network(g, nodes)
	program, err := engine.Prepare(network)
	if err != nil {
		return nil, nil, err
	}
	defer program.Close()
	population, err := program.NewPopulation([]Run{{Member: m.Member, State: State{Tables: tables}}})
	if err != nil {
		return nil, nil, err
	}
	defer population.Close()
	logits, err := population.Logits(ctx, []bool{true})
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(logits[0], func(x float32) bool { return !isFinite(float64(x)) }) {
		return nil, nil, errors.New("the model's numbers overflow: train it again with a smaller learning rate")
	}
	return network, logits[0], nil
}

// softmax turns logits into probabilities.
func softmax(logits []float32) []float64 {
	largest, total := float64(slices.Max(logits)), 0.0
	all := make([]float64, len(logits))
	for i, x := range logits {
		all[i] = math.Exp(float64(x) - largest)
		total += all[i]
	}
	for i := range all {
		all[i] /= total
	}
	return all
}
