package datasets

import (
	"fmt"
	"strings"
)

// Validate returns an error if the graph has no labels, if a label is empty, occurs twice or
// holds a line end, if a triple has an id without a label, or if there are weights that are not one
// for each training triple, from 0 to 1e9 and not all 0. Graphs from files are valid.
func (g *Graph) Validate() error {
	graph := strings.TrimSpace("graph " + g.Name)
	if err := checkLabels("entity", g.Entities); err != nil {
		return fmt.Errorf("%s: %w", graph, err)
	}
	if err := checkLabels("relation", g.Relations); err != nil {
		return fmt.Errorf("%s: %w", graph, err)
	}
	if err := g.ValidateIDs(); err != nil {
		return err
	}
	if err := checkWeights(g.Weights, len(g.Train)); err != nil {
		return fmt.Errorf("%s: %w", graph, err)
	}
	return nil
}

// ValidateIDs returns an error if a triple has an id without a label. It is a fast part of
// [Graph.Validate].
func (g *Graph) ValidateIDs() error {
	entities, relations := int32(len(g.Entities)), int32(len(g.Relations))
	for i, triples := range g.splits() {
		for j, t := range triples {
			outside := func(what string, id, count int32) error {
				fix := fmt.Sprintf("use ids from 0 to %d", count-1)
				if count == 0 {
					fix = "add the labels by id"
				}
				return fmt.Errorf("%s: %s triple %d: %s %d has no label: %s",
					strings.TrimSpace("graph "+g.Name), splitNames[i], j, what, id, fix)
			}
			switch {
			case t.Head < 0 || t.Head >= entities:
				return outside("head", t.Head, entities)
			case t.Relation < 0 || t.Relation >= relations:
				return outside("relation", t.Relation, relations)
			case t.Tail < 0 || t.Tail >= entities:
				return outside("tail", t.Tail, entities)
			}
		}
	}
	return nil
}

func checkLabels(kind string, labels []string) error {
	if len(labels) == 0 {
		return fmt.Errorf("no %s labels: add the labels by id", kind)
	}
	seen := make(map[string]int, len(labels))
	for id, label := range labels {
		first, again := seen[label]
		switch {
		case label == "":
			return fmt.Errorf("%s %d has an empty label: name it", kind, id)
		case strings.ContainsAny(label, "\r\n"):
			return fmt.Errorf("the label %q of %s %d holds a line end: remove it", label, kind, id)
		case strings.HasPrefix(label, "\uFEFF"):
			return fmt.Errorf("the label %q of %s %d begins with a byte-order mark: remove it", label, kind, id)
		case again:
			return fmt.Errorf("the label %q names %s %d and %d: use different labels",
				label, kind, first, id)
		}
		seen[label] = id
	}
	return nil
}
