package classify

import (
	"cmp"
	"fmt"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// folds divides the training nodes into n parts with nearly the same share of every class. A part
// holds indices into the graph's Train.
func folds(g *rdf.Graph, n int, seed uint64) [][]int {
	byClass := make([][]int, len(g.Classes))
	for i, l := range g.Train {
		byClass[l.Class] = append(byClass[l.Class], i)
	}
	parts := make([][]int, n)
	next := 0
	for class, nodes := range byClass {
		rng := newRand(seed, uint64(class))
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		for _, node := range nodes {
			parts[next%n] = append(parts[next%n], node)
			next++
		}
	}
	return parts
}

// allFolds returns the folds of all repeats, one after the other.
func allFolds(g *rdf.Graph, s Settings) [][]int {
	var all [][]int
	for i := range s.Repeats {
		all = append(all, folds(g, s.Folds, s.DataSeed+uint64(i))...)
	}
	return all
}

// CheckGraph returns an error if a graph is not valid, or if its labelled nodes cannot be
// cross-validated and tested with the settings.
func CheckGraph(g *rdf.Graph, s Settings) error {
	if err := cmp.Or(s.Validate(), g.Validate()); err != nil {
		return err
	}
	if len(g.Train) < s.Folds {
		return fmt.Errorf("%s has %d training nodes: they cannot be divided into %d folds; label more nodes",
			g.Name, len(g.Train), s.Folds)
	}
	if n := len(labelledNodes(g)); s.SeenBy > n {
		return fmt.Errorf("seen-by is %d: %s has %d labelled nodes; set it to at most that number",
			s.SeenBy, g.Name, n)
	}
	if len(g.Classes) == 1 {
		return fmt.Errorf("all labelled nodes of %s have the class %q: label nodes of other classes",
			g.Name, g.Classes[0])
	}
	train, test := make([]int, len(g.Classes)), make([]int, len(g.Classes))
	for _, l := range g.Train {
		train[l.Class]++
	}
	for _, l := range g.Test {
		test[l.Class]++
	}
	for class, count := range train {
		if count >= 2 {
			continue
		}
		drawn := ""
		if test[class] > 0 {
			drawn = fmt.Sprintf(" and %d of the test nodes, which are drawn at random unless "+
				"trainingSet.tsv and testSet.tsv choose them", test[class])
		}
		return fmt.Errorf("class %q has %d of the training nodes%s: cross-validation needs two of "+
			"each class, one to learn from while the other is held out; label more nodes, or leave "+
			"the class out", g.Classes[class], count, drawn)
	}
	if s.Runs > 0 && len(g.Test) == 0 {
		return fmt.Errorf("%s has no test nodes: set runs to 0", g.Name)
	}
	return nil
}
