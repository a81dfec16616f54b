package datasets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Warnings returns likely mistakes in the data, each with a fix: warnings of the reader and labels
// that look alike. For each given split it warns if the split is empty, if train lacks an entity or
// a relation of its triples, and about [Graph.Leakage]. The other splits hold known answers, so
// they must not be empty either.
func (g *Graph) Warnings(splits ...string) []string {
	all := slices.Clone(g.warnings)
	if g.cache != nil {
		g.implied() // so that the cache gets them
	}
	all = append(all, g.lookAlike()...)
	entities, relations := g.inTrain()
	for _, split := range splits {
		triples, err := g.Split(split)
		if err != nil || split == splitNames[0] {
			continue
		}
		if len(triples) == 0 {
			all = append(all, fmt.Sprintf("%s has no %s triples, so %s: add facts, or hold out some of train",
				g.Name, split, emptySplit[split]))
		}
		unseen := 0
		for _, t := range triples {
			if !entities[t.Head] || !entities[t.Tail] || !relations[t.Relation] {
				unseen++
			}
		}
		if unseen > 0 {
			all = append(all, fmt.Sprintf("%s of %s %s triples have labels that train lacks, so a model "+
				"cannot learn these entities or relations: remove the triples, or add facts to train",
				format.Int(unseen), format.Int(len(triples)), split))
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

// ReadWarnings returns the warnings of the reader alone, such as a first line that may be titles.
func (g *Graph) ReadWarnings() []string { return slices.Clone(g.warnings) }

// Brief returns the beginning of a warning, without its example and consequence, and a short fix.
func Brief(warning string) string {
	end := len(warning)
	for _, separator := range []string{"; ", ", such as ", ", so ", ", because ", ", as train lacks",
		" but is read", ": remove", ": if ", ": add facts", ": train lacks", ": merge"} {
		if at := strings.Index(warning, separator); at >= 0 {
			end = min(end, at)
		}
	}
	brief := warning[:end]
	for _, fix := range []string{": remove", ": add facts", ": merge"} {
		if at := strings.LastIndex(warning, fix); at >= end {
			return brief + warning[at:]
		}
	}
	return brief
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

// separators lists common separators other than tabs.
var separators = []struct{ text, name string }{
	{",", "commas"}, {";", "semicolons"}, {"|", "bars"}, {" ", "spaces"},
}

// fieldsHint returns a hint about a line that does not have three fields.
func fieldsHint(line []byte) string {
	if hasIndex(line) {
		return " (the first column seems to number the rows: remove it)"
	}
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
