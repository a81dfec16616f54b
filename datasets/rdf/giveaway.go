package rdf

import (
	"fmt"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
)

// A warning needs this share of the labelled nodes, and this number of them: the classes of a few nodes
// may agree with a relation by chance.
const mostGivenAway, leastLabelled = 0.95, 30

// GivenAway warns of relations that give the classes away, as rdf:type does if the classes are taken
// from it: most labelled nodes have a fact of the relation with a node that only one class has, and that
// many of it have.
func (g *Graph) GivenAway() (warnings []string) {
	classOf := map[int32]int32{}
	sizes := make([]int, len(g.Classes))
	for _, labels := range [][]Label{g.Train, g.Test} {
		for _, l := range labels {
			classOf[l.Node] = l.Class
			sizes[l.Class]++
		}
	}
	if len(classOf) < leastLabelled {
		return nil
	}
	facts := make([][]datasets.Triple, len(g.Relations)) // (labelled node, relation, other)
	for _, t := range g.Triples {
		if _, labelled := classOf[t.Head]; labelled {
			facts[t.Relation] = append(facts[t.Relation], t)
		}
	}
	for relation, of := range facts {
		if float64(len(of)) < mostGivenAway*float64(len(classOf)) {
			continue
		}
		type use struct {
			class, nodes int32
			isMixed      bool
		}
		uses := map[int32]use{} // by tail
		for _, t := range of {
			u, seen := uses[t.Tail]
			class := classOf[t.Head]
			uses[t.Tail] = use{class, u.nodes + 1, u.isMixed || seen && u.class != class}
		}
		given := map[int32]bool{}
		var example datasets.Triple
		for _, t := range of {
			u := uses[t.Tail]
			if !u.isMixed && u.nodes > 1 && 4*int(u.nodes) >= sizes[u.class] {
				given[t.Head], example = true, t
			}
		}
		if float64(len(given)) >= mostGivenAway*float64(len(classOf)) {
			warnings = append(warnings, fmt.Sprintf("%s gives away the classes of %s of %s labelled nodes, as in "+
				"(%s, %s, %s) of class %s: remove its facts, unless nodes to classify have them too",
				g.Relations[relation], format.Int(len(given)), format.Int(len(classOf)), g.Nodes[example.Head],
				g.Relations[relation], g.Nodes[example.Tail], g.Classes[classOf[example.Head]]))
		}
	}
	return warnings
}
