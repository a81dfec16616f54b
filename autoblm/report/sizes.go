package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Sizes count what a graph has and what structures were judged by on it.
type Sizes struct {
	// Entities are the nodes of an RDF graph; Triples and Classes are those of one,
	// and 0 for queries.
	Entities, Relations, Triples, Classes int
	// Train, Valid and Test are the queries of the splits with paths of the lengths
	// that decide. Of an RDF graph Train and Test are the labelled nodes, and Valid is
	// Train, whose nodes are held out in turn.
	Train, Valid, Test int
}

// classSettings are what a study keeps as the settings of a search for classes.
type classSettings struct {
	Convolution classify.Settings `json:"convolution"`
	Member      classify.Member   `json:"member"`
}

// own reads the settings that a task has for itself.
func own[T any](d Data) (settings T, err error) {
	if len(d.About.Own) == 0 {
		return settings, nil
	}
	if err := json.Unmarshal(d.About.Own, &settings); err != nil {
		return settings, fmt.Errorf("cannot read the settings of the task %s: %w", d.About.Task, err)
	}
	return settings, nil
}

// MeasureQueries adds the sizes of the data of a study for queries. It is an error
// if the data are others.
func (d *Data) MeasureQueries(data *query.Data) error {
	s, err := own[query.Own](*d)
	if err != nil {
		return err
	}
	if d.About.Fingerprint != "" && d.About.Fingerprint != data.Fingerprint(s.Trained()...) {
		return fmt.Errorf("%s does not have the queries that the study was made with", data.Name)
	}
	d.Sizes = &Sizes{Entities: len(data.Entities), Relations: len(data.Relations)}
	for _, hops := range s.Hops {
		d.Sizes.Train += len(data.Queries(query.InTrain, hops))
		d.Sizes.Valid += len(data.Queries(query.InValid, hops))
		d.Sizes.Test += len(data.Queries(query.InTest, hops))
	}
	return nil
}

// MeasureClasses adds the sizes of the graph of a study for classes. It is an error
// if the graph is another one.
func (d *Data) MeasureClasses(g *rdf.Graph) error {
	if d.About.Fingerprint != "" && d.About.Fingerprint != g.Fingerprint() {
		return fmt.Errorf("%s is not the graph that the study was made with", g.Name)
	}
	d.Sizes = &Sizes{
		Entities: len(g.Nodes), Relations: len(g.Relations), Triples: len(g.Triples), Classes: len(g.Classes),
		Train: len(g.Train), Valid: len(g.Train), Test: len(g.Test),
	}
	return nil
}

// sizes tells of the data of another task than completion.
func (o *outcome) sizes() []part {
	n := o.Sizes
	text := fmt.Sprintf("The graph %s has %s and %s.", o.About.Dataset, counted(n.Entities, "entity", "entities"), count(n.Relations, "relation"))
	t := &table{Caption: strings.TrimSpace("The queries " + o.lengths()), Columns: append(texts("split"), numbers("queries")...)}
	if o.task == classes {
		text = fmt.Sprintf("The graph %s has %s, %s, %s and, of the nodes that have one, %s.", o.About.Dataset,
			count(n.Entities, "node"), count(n.Relations, "relation"), count(n.Triples, "triple"), counted(n.Classes, "class", "classes"))
		t = &table{Caption: "The nodes that have a class", Columns: append(texts("split"), numbers("nodes")...)}
	}
	t.add("train", thousands(n.Train))
	if o.task != classes { // whose nodes to train with are held out in turn
		t.add("valid", thousands(n.Valid))
	}
	t.add("test", thousands(n.Test))
	return []part{{Text: text}, {Table: t}}
}
