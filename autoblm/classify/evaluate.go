package classify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// ClassEvaluation is the evaluation on the nodes of one class.
type ClassEvaluation struct {
	Class string `json:"class"`
	Evaluation
}

// Evaluate classifies the labelled nodes of a split, "train" or "test", of the graph that the
// models were trained on. It returns the evaluation on all nodes and on those of each class.
func (e Ensemble) Evaluate(
	ctx context.Context, engine Engine, g *rdf.Graph, split string,
) (Evaluation, []ClassEvaluation, error) {
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
	network, logits, err := e.classify(ctx, engine, g, labelledNodes(g))
	if err != nil {
		return Evaluation{}, nil, err
	}
	var byClass []ClassEvaluation
	for class, name := range g.Classes {
		ofClass := slices.DeleteFunc(slices.Clone(nodes), func(i int) bool {
			return int(network.Targets[i]) != class
		})
		if len(ofClass) > 0 {
			e := scoreOf(network, logits, ofClass).evaluation()
			byClass = append(byClass, ClassEvaluation{name, e})
		}
	}
	return scoreOf(network, logits, nodes).evaluation(), byClass, nil
}

// Prediction holds the classes that models predict for a node.
type Prediction struct {
	Node    string   `json:"node" doc:"Name of the node."`
	Label   *string  `json:"label" doc:"Its class in the data; null for none."`
	Split   string   `json:"split,omitempty" doc:"The split that has this class: train or test."`
	Answers []Answer `json:"answers" doc:"Classes, the most probable first."`
}

// Answer is a class with its probability.
type Answer struct {
	Class       string  `json:"class" doc:"Name of the class."`
	Probability float64 `json:"probability" doc:"Its probability. Those of all classes add up to 1."`
	Rank        int     `json:"rank" doc:"Rank from 1."`
}

// Predict classifies a node of the graph that the models were trained on, given its name with or
// without angle brackets. It returns the top classes, best first; all for 0. The probabilities of
// all classes add up to 1.
func (e Ensemble) Predict(
	ctx context.Context, engine Engine, g *rdf.Graph, node string, top int,
) (Prediction, error) {
	all, err := e.PredictAll(ctx, engine, g, []string{node}, top)
	if err != nil {
		return Prediction{}, err
	}
	return all[0], nil
}

// PredictAll classifies several nodes like Predict, in the time of one.
func (e Ensemble) PredictAll(
	ctx context.Context, engine Engine, g *rdf.Graph, nodes []string, top int,
) ([]Prediction, error) {
	if top < 0 {
		return nil, fmt.Errorf("top is %d: it must be 0, for all classes, or more", top)
	}
	all, asked := make([]Prediction, len(nodes)), make([]rdf.Label, len(nodes))
	places := map[int32][]int{}
	for i, node := range nodes {
		id, err := findNode(g, node)
		if err != nil {
			return nil, err
		}
		all[i], asked[i] = Prediction{Node: g.Nodes[id]}, rdf.Label{Node: id, Class: -1}
		places[id] = append(places[id], i)
	}
	for i, l := range labelledNodes(g) {
		split := "train"
		if i >= len(g.Train) {
			split = "test"
		}
		for _, at := range places[l.Node] {
			all[at].Label, all[at].Split = &g.Classes[l.Class], split
		}
	}
	if len(nodes) == 0 {
		return all, nil
	}
	_, logits, err := e.classify(ctx, engine, g, asked)
	if err != nil {
		return nil, err
	}
	classes := len(g.Classes)
	for i := range all {
		all[i].Answers = answers(g, softmax(logits[i*classes:][:classes]), top)
	}
	return all, nil
}

// answers returns the top classes by their probabilities; all for 0.
func answers(g *rdf.Graph, probabilities []float64, top int) (all []Answer) {
	for class, probability := range probabilities {
		all = append(all, Answer{Class: g.Classes[class], Probability: probability})
	}
	slices.SortStableFunc(all, func(a, b Answer) int { return cmp.Compare(b.Probability, a.Probability) })
	for i := range all {
		all[i].Rank = i + 1
	}
	if top > 0 {
		all = all[:min(top, len(all))]
	}
	return all
}

// CheckNode returns an error if the graph has no node of a name; it suggests similar names.
func CheckNode(g *rdf.Graph, name string) error {
	_, err := findNode(g, name)
	return err
}

// findNode returns the number of a node of the graph; the error suggests similar names.
func findNode(g *rdf.Graph, name string) (int32, error) {
	if id, found := g.Find(name); found {
		return id, nil
	}
	near := enum.Near(g.Nodes, strings.Trim(name, "<>"))
	return 0, fmt.Errorf("%s has no node %q%s", g.Name, name, enum.DidYouMean(near))
}
