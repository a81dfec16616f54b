package datasets

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

// ReadTriples reads one file of head<TAB>relation<TAB>tail lines, plain or .gz, into the
// training split of a graph. The graph has the name of the file without its endings.
func ReadTriples(path string) (*Graph, error) {
	text, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	labels := newLabels()
	triples, err := readTab(text, labels)
	if err != nil {
		return nil, err
	}
	if len(triples) == 0 {
		return nil, fmt.Errorf(
			"%s: the file has no triples; expected lines of head<TAB>relation<TAB>tail", path)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return &Graph{
		Name:      strings.TrimSuffix(name, filepath.Ext(name)),
		Entities:  labels.entities.labels,
		Relations: labels.relations.labels,
		Train:     triples,
		warnings:  labels.warnings,
	}, nil
}

// readTabGraph reads the three splits from the files that open returns.
func readTabGraph(open func(split string) (*textfile.File, error)) (*Graph, error) {
	var g Graph
	labels := newLabels()
	err := readSplits(&g, func(split string) ([]Triple, error) {
		text, err := open(split)
		if err != nil {
			return nil, err
		}
		return readTab(text, labels)
	})
	if err != nil {
		return nil, err
	}
	g.Entities, g.Relations = labels.entities.labels, labels.relations.labels
	g.warnings = labels.warnings
	return &g, nil
}

// readTab reads head<TAB>relation<TAB>tail lines. New labels get the next free ids, the head
// before the tail.
func readTab(text *textfile.File, labels *graphLabels) ([]Triple, error) {
	var triples []Triple
	entities, relations := len(labels.entities.labels), len(labels.relations.labels)
	for line := range linesOf(text) {
		if fields := 1 + bytes.Count(line, []byte("\t")); fields != 3 {
			return nil, text.Errorf("found %d tab-separated fields; expected head<TAB>relation<TAB>tail%s",
				fields, fieldsHint(line))
		}
		head, rest, _ := bytes.Cut(line, []byte("\t"))
		relation, tail, _ := bytes.Cut(rest, []byte("\t"))
		if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
			return nil, text.Errorf("empty label; expected head<TAB>relation<TAB>tail")
		}
		triples = append(triples, Triple{
			Head:     labels.entities.id(head),
			Relation: labels.relations.id(relation),
			Tail:     labels.entities.id(tail),
		})
	}
	if text.Err == nil && hasTitles(triples, labels, entities, relations) {
		labels.warnings = append(labels.warnings, fmt.Sprintf(
			"the first line of %s looks like column titles but is read as a fact: remove it if it is a "+
				"header",
			text.Path))
	}
	return triples, text.Err
}

// graphLabels numbers the labels of a graph while it is read.
type graphLabels struct {
	entities, relations labelIDs
	titles              [3]string // of a file
	warnings            []string
}

func newLabels() *graphLabels {
	return &graphLabels{
		entities:  labelIDs{ids: make(map[string]int32)},
		relations: labelIDs{ids: make(map[string]int32)},
	}
}

// labelIDs numbers labels in the order of their first appearance.
type labelIDs struct {
	ids    map[string]int32
	labels []string
}

func (l *labelIDs) id(label []byte) int32 {
	if id, found := l.ids[string(label)]; found {
		return id
	}
	id := int32(len(l.labels))
	l.labels = append(l.labels, string(label))
	l.ids[l.labels[id]] = id
	return id
}
