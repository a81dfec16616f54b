package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// readTabGraph reads the three splits from the files that open returns.
func readTabGraph(open func(split string) (*textfile.File, error)) (*Graph, error) {
	var g Graph
	labels := newLabels()
	var addFalse []func() // after all splits, because only labels of true triples get ids
	err := readSplits(&g, func(split string) ([]Triple, error) {
		text, err := open(split)
		if err != nil {
			return nil, err
		}
		triples, falses, err := readTab(text, labels)
		if split == splitNames[0] && len(falses) > 0 {
			return nil, fmt.Errorf("%s: %s with -1 in the fourth field: train needs true ones; "+
				"remove them", text.Path, format.Count(len(falses), "false triple"))
		}
		addFalse = append(addFalse, func() { g.addFalse(split, text.Path, falses) })
		return triples, err
	})
	if err != nil {
		return nil, err
	}
	g.Entities, g.Relations = labels.entities.labels, labels.relations.labels
	g.warnings = labels.warnings
	for _, add := range addFalse {
		add()
	}
	return &g, nil
}

// readTab reads head<TAB>relation<TAB>tail lines. New labels get the next free ids, the head
// before the tail. Blocks of lines are parsed in parallel. A block with a line that is not a triple
// is read again line by line, with all that follows, for the error or for false triples.
func readTab(
	text *textfile.File, labels *graphLabels,
) (triples []Triple, falses [][]string, err error) {
	entities, relations := len(labels.entities.labels), len(labels.relations.labels)
	stop := make(chan struct{})
	ordered := parseBlocks(text.Source, stop)
	defer func() {
		close(stop)
		for range ordered { // until nothing reads the file
		}
		text.Source.Close()
	}()
	var parts [][]Triple
	lines := 0
	for b := range ordered {
		<-b.parsed
		if !b.isPlain {
			rest := io.NopCloser(&restOf{b.text, b.err, ordered})
			all := &textfile.File{Path: text.Path, Source: rest, Line: lines}
			var part []Triple
			if part, falses, err = readLines(all, labels); err != nil {
				return nil, nil, err
			}
			parts = append(parts, part)
			break
		}
		parts = append(parts, labels.merge(b))
		lines += len(b.triples)
		b.free()
	}
	triples = slices.Concat(parts...)
	if hasTitles(triples, labels, entities, relations) {
		labels.warnings = append(labels.warnings, fmt.Sprintf(
			"the first line of %s looks like column titles but is read as a fact: remove it if it is a "+
				"header",
			text.Path))
	}
	return triples, falses, nil
}

// readLines reads triples line by line. Its error has all kinds of lines that are not triples.
func readLines(
	text *textfile.File, labels *graphLabels,
) (triples []Triple, falses [][]string, err error) {
	var wrong defects
	for line := range linesOf(text) {
		line, isFalse := cutTruth(line)
		if fields := 1 + bytes.Count(line, []byte("\t")); fields != 3 {
			what := fmt.Sprintf("found %d tab-separated fields; expected head<TAB>relation<TAB>tail%s",
				fields, fieldsHint(line))
			if isComment(line) {
				what = "comment line; remove it"
			}
			wrong.add(text.Line, what)
			continue
		}
		head, rest, _ := strings.Cut(string(line), "\t")
		relation, tail, _ := strings.Cut(rest, "\t")
		if strings.Contains(rest, `"`) || strings.HasPrefix(head, `"`) {
			head, relation, tail = unquote(head, relation, tail)
		}
		if head == "" || relation == "" || tail == "" {
			wrong.add(text.Line, "empty label; expected head<TAB>relation<TAB>tail")
			continue
		}
		if isFalse {
			falses = append(falses, []string{head, relation, tail})
			continue
		}
		triples = append(triples, Triple{
			Head:     labels.entities.id(head),
			Relation: labels.relations.id(relation),
			Tail:     labels.entities.id(tail),
		})
	}
	return triples, falses, errors.Join(wrong.err(text), text.Err)
}
