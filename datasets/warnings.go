package datasets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Warnings returns likely mistakes in the data, each with a fix: warnings of the reader and, for
// the given splits, empty ones, triples with an entity or a relation that train lacks, and
// [Graph.Leakage]. The other splits hold known answers, so they must not be empty either.
func (g *Graph) Warnings(splits ...string) []string {
	all := slices.Clone(g.warnings)
	entities, relations := g.inTrain()
	for _, split := range splits {
		triples, err := g.Split(split)
		if err != nil || split == splitNames[0] {
			continue
		}
		if len(triples) == 0 {
			all = append(all, fmt.Sprintf("%s has no %s triples, so %s: hold out some of train",
				g.Name, split, emptySplit[split]))
		}
		unseen := 0
		for _, t := range triples {
			if !entities[t.Head] || !entities[t.Tail] || !relations[t.Relation] {
				unseen++
			}
		}
		if unseen > 0 {
			all = append(all, fmt.Sprintf("%s of the %s %s triples of %s have an entity or a relation "+
				"that train lacks, so the model cannot learn it: remove them, or add facts to train",
				format.Int(unseen), format.Int(len(triples)), split, g.Name))
		}
	}
	for _, other := range splitNames[:2] {
		if triples, _ := g.Split(other); len(splits) > 0 && len(triples) == 0 &&
			!slices.Contains(splits, other) {
			all = append(all, fmt.Sprintf("%s has no %s triples: if the model knows some, they count as "+
				"wrong answers here, so the metrics are too low: add them", g.Name, other))
		}
	}
	return append(all, g.Leakage(splits...)...)
}

// emptySplit says what an empty split makes impossible.
var emptySplit = map[string]string{
	"valid": "the best epoch, settings or structure cannot be selected",
	"test":  "the selected model cannot be evaluated",
}

// inTrain marks the entities and relations that train has.
func (g *Graph) inTrain() (entities, relations []bool) {
	entities, relations = make([]bool, len(g.Entities)), make([]bool, len(g.Relations))
	for _, t := range g.Train {
		entities[t.Head], entities[t.Tail], relations[t.Relation] = true, true, true
	}
	return entities, relations
}

// columnTitles lists common titles of the three columns, in lower case.
var columnTitles = [3][]string{
	{
		"head", "h", "subject", "subj", "sub", "s", "source", "src", "from", "head_entity",
		"entity1", "entity_1", "e1", "head_id", "subject_id", "start", ":start_id",
	},
	{
		"relation", "r", "rel", "relationship", "relation_type", "predicate", "pred", "p",
		"property", "edge", "edge_type", "label", "type", "link", "relation_id", ":type",
	},
	{
		"tail", "t", "object", "obj", "o", "target", "dst", "to", "tail_entity",
		"entity2", "entity_2", "e2", "tail_id", "object_id", "end", ":end_id",
	},
}

// isHeader reports whether the first triple of a file is likely a header: its labels are
// common column titles, and no other line has its relation.
func isHeader(triples []Triple, labels *graphLabels) bool {
	if len(triples) == 0 {
		return false
	}
	first := triples[0]
	entities, relations := labels.entities.labels, labels.relations.labels
	fields := [3]string{entities[first.Head], relations[first.Relation], entities[first.Tail]}
	for i, label := range fields {
		if !slices.Contains(columnTitles[i], strings.ToLower(strings.Trim(label, ` "'#<>`))) {
			return false
		}
	}
	return !slices.ContainsFunc(triples[1:], func(t Triple) bool {
		return t.Relation == first.Relation
	})
}

// separators lists common separators other than tabs.
var separators = []struct{ text, name string }{
	{",", "commas"}, {";", "semicolons"}, {"|", "bars"}, {" ", "spaces"},
}

// separatorHint returns a hint about the separator of a line that has no tabs.
func separatorHint(line []byte) string {
	if bytes.IndexByte(line, '\t') >= 0 {
		return ""
	}
	for _, s := range separators {
		if bytes.Count(line, []byte(s.text)) >= 2 {
			return fmt.Sprintf(" (the fields seem to be separated by %s: replace these by tabs)", s.name)
		}
	}
	return ""
}
