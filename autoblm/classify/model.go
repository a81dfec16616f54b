package classify

import "github.com/autoblm/autoblm-go/datasets/rdf"

// model is all that is known of a population before its members: the receptive
// field, how messages travel in it, and what is learned.
type model struct {
	settings   Settings
	field      *field
	passages   []*passage
	classes    int
	parameters []parameter
	targets    []int32 // the class of each row of the last layer
}

func newModel(g *rdf.Graph, s Settings) *model {
	f := newField(g, s)
	m := &model{settings: s, field: f, classes: len(g.Classes), parameters: parametersOf(f, s, len(g.Classes))}
	for _, l := range f.layers {
		m.passages = append(m.passages, newPassage(l, f.relations, s.SelfLoops))
	}
	m.targets = make([]int32, len(f.labelled))
	for i, l := range labels(g) {
		m.targets[f.labelled[i]] = l.Class
	}
	return m
}
