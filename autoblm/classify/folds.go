package classify

import (
	"fmt"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// folds divides the nodes to train with into n parts, each with the same share of
// every class as far as that goes. A part has indices into the graph's Train.
func folds(g *rdf.Graph, n int, seed uint64) [][]int {
	byClass := make([][]int, len(g.Classes))
	for i, l := range g.Train {
		byClass[l.Class] = append(byClass[l.Class], i)
	}
	parts := make([][]int, n)
	next := 0
	for class, nodes := range byClass {
		rng := source(seed, uint64(class))
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		for _, node := range nodes {
			parts[next%n] = append(parts[next%n], node)
			next++
		}
	}
	return parts
}

// divisions are the folds of all repeats, one after the other.
func divisions(g *rdf.Graph, s Settings) [][]int {
	var all [][]int
	for i := range s.Repeats {
		all = append(all, folds(g, s.Folds, s.DataSeed+uint64(i))...)
	}
	return all
}

// Check says why a graph's labelled nodes cannot be cross-validated and tested
// with the settings.
func Check(g *rdf.Graph, s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if n := len(labelled(g)); s.SeenBy > n {
		return fmt.Errorf("seen-by is %d: %s has %d labelled nodes, so no entity is seen by so many", s.SeenBy, g.Name, n)
	}
	return checkLabels(g, s)
}

// checkLabels says why the labelled nodes cannot be divided.
func checkLabels(g *rdf.Graph, s Settings) error {
	if len(g.Train) < s.Folds {
		return fmt.Errorf("%s has %d nodes to train with: they cannot be divided into %d folds", g.Name, len(g.Train), s.Folds)
	}
	counts := make([]int, len(g.Classes))
	for _, l := range g.Train {
		counts[l.Class]++
	}
	for class, count := range counts {
		if count < 2 {
			return fmt.Errorf("class %q has %d of the nodes to train with: cross-validation needs two of each class, one to learn from while the other is held out", g.Classes[class], count)
		}
	}
	if s.Runs > 0 && len(g.Test) == 0 {
		return fmt.Errorf("%s has no nodes to test with: set runs to 0", g.Name)
	}
	return nil
}
