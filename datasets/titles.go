package datasets

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/autoblm/autoblm-go/datasets/facts"
)

// hasTitles reports whether the first triple of a file is likely a line of titles. No other line
// has its relation. It has common titles, or it is the only line whose labels all occur nowhere
// else, in this file and in the files before it. Labels of files before have ids below
// entitiesBefore and relationsBefore.
func hasTitles(triples []Triple, labels *graphLabels, entitiesBefore, relationsBefore int) bool {
	if len(triples) == 0 || triples[0].Head == triples[0].Tail {
		return false
	}
	first := triples[0]
	entities := make([]uint8, len(labels.entities.labels)) // occurrences, 2 for more
	relations := make([]uint8, len(labels.relations.labels))
	for _, t := range triples {
		entities[t.Head] = min(2, entities[t.Head]+1)
		entities[t.Tail] = min(2, entities[t.Tail]+1)
		relations[t.Relation] = min(2, relations[t.Relation]+1)
	}
	if relations[first.Relation] > 1 {
		return false
	}
	title := [3]string{labels.entities.labels[first.Head], labels.relations.labels[first.Relation],
		labels.entities.labels[first.Tail]}
	if facts.AreTitles(title) || title == labels.titles {
		labels.titles = title
		return true
	}
	isAlone := func(t Triple) bool {
		return relations[t.Relation] == 1 && entities[t.Head] == 1 && entities[t.Tail] == 1
	}
	const fewLines = 5 // of which one is often alone
	isNew := int(min(first.Head, first.Tail)) >= entitiesBefore &&
		int(first.Relation) >= relationsBefore
	if len(triples) < fewLines || !isNew || !isAlone(first) ||
		slices.ContainsFunc(triples[1:], isAlone) {
		return false
	}
	labels.titles = title
	return true
}

// hasIndex reports whether a line of four fields begins with the number of a row, or with the
// empty title of such numbers.
func hasIndex(line []byte) bool {
	index, rest, _ := bytes.Cut(line, []byte("\t"))
	_, err := strconv.Atoi(string(index))
	return bytes.Count(rest, []byte("\t")) == 2 && (len(index) == 0 || err == nil)
}
