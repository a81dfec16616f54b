package datasets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Warnings are what whoever uses the graph should know, each with its mend: what reading it
// noticed, that one of the given splits is empty, and how many of its triples have an entity
// or a relation that train lacks, of which nothing can be learnt.
func (g *Graph) Warnings(splits ...string) []string {
	all := slices.Clone(g.noticed)
	entities, relations := g.inTrain()
	for _, split := range splits {
		triples, err := g.Split(split)
		if err != nil || split == splitNames[0] {
			continue
		}
		if len(triples) == 0 {
			all = append(all, fmt.Sprintf("%s has no %s triples, so nothing %s: hold some of train out", g.Name, split, map[string]string{
				"valid": "tells which epoch, settings or structure is best", "test": "tells how good a model is that was chosen by valid",
			}[split]))
		}
		unseen := 0
		for _, t := range triples {
			if !entities[t.Head] || !entities[t.Tail] || !relations[t.Relation] {
				unseen++
			}
		}
		if unseen > 0 {
			all = append(all, fmt.Sprintf("%s of the %s %s triples of %s have an entity or a relation that train lacks, of which nothing is learnt: leave them out, or add to train what is known of it",
				format.Whole(unseen), format.Whole(len(triples)), split, g.Name))
		}
	}
	return all
}

// inTrain says which entities and relations train has.
func (g *Graph) inTrain() (entities, relations []bool) {
	entities, relations = make([]bool, len(g.Entities)), make([]bool, len(g.Relations))
	for _, t := range g.Train {
		entities[t.Head], entities[t.Tail], relations[t.Relation] = true, true, true
	}
	return entities, relations
}

// titles are what the columns of triples are called, in lower case.
var titles = [3][]string{
	{"head", "h", "subject", "subj", "sub", "s", "source", "src", "from", "head_entity", "entity1", "entity_1", "e1", "head_id", "subject_id", "start", ":start_id"},
	{"relation", "r", "rel", "relationship", "relation_type", "predicate", "pred", "p", "property", "edge", "edge_type", "label", "type", "link", "relation_id", ":type"},
	{"tail", "t", "object", "obj", "o", "target", "dst", "to", "tail_entity", "entity2", "entity_2", "e2", "tail_id", "object_id", "end", ":end_id"},
}

// isTitles says whether a triple on the first line of a file is the titles of its columns,
// which then became a fact: it reads so, and its relation is in no other line.
func isTitles(triples []Triple, labels *graphLabels) bool {
	if len(triples) == 0 {
		return false
	}
	first := triples[0]
	for i, label := range []string{labels.entities.labels[first.Head], labels.relations.labels[first.Relation], labels.entities.labels[first.Tail]} {
		if !slices.Contains(titles[i], strings.ToLower(strings.Trim(label, ` "'#<>`))) {
			return false
		}
	}
	return !slices.ContainsFunc(triples[1:], func(t Triple) bool { return t.Relation == first.Relation })
}

// separators are those that lines are separated by in place of tabs.
var separators = []struct{ by, name string }{{",", "commas"}, {";", "semicolons"}, {"|", "bars"}, {" ", "spaces"}}

// otherwise says what a line is separated by, where that is no tab.
func otherwise(line []byte) string {
	if bytes.IndexByte(line, '\t') >= 0 {
		return ""
	}
	for _, s := range separators {
		if bytes.Count(line, []byte(s.by)) >= 2 {
			return fmt.Sprintf(" (its fields seem to be separated by %s: write tabs in place of these)", s.name)
		}
	}
	return ""
}
