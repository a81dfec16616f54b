package rdf

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/textfile"
	"gonum.org/v1/gonum/graph/formats/rdf"
)

// Options configures the reader. The zero value is strict.
type Options struct {
	// Lenient skips and counts malformed lines; otherwise the first one is an error.
	Lenient bool
	// Normalize merges terms and classes that differ only in spaces at their ends, no-break spaces,
	// characters without width and the Unicode normal form.
	Normalize bool
}

// builder holds a graph while it is read.
type builder struct {
	options   Options
	graph     *Graph
	nodes     map[string]int32
	relations map[string]int32
	triples   map[datasets.Triple]struct{}
}

func newBuilder(o Options) *builder {
	return &builder{
		options:   o,
		graph:     &Graph{},
		nodes:     map[string]int32{},
		relations: map[string]int32{},
		triples:   map[datasets.Triple]struct{}{},
	}
}

// readTriples reads a file of N-Triples.
func (b *builder) readTriples(path string) error {
	text, err := textfile.Open(path)
	if err != nil {
		return err
	}
	for line := range text.Lines(maxLine) {
		err := b.add(string(line))
		if err == nil {
			continue
		}
		err = malformed{text.Errorf("malformed N-Triples: %w", err)}
		if !b.options.Lenient {
			return err
		}
		if b.graph.Skipped++; b.graph.Skipped == 1 {
			b.graph.FirstSkipped = err
		}
	}
	if text.Err == nil && len(b.graph.Triples) == 0 {
		return fmt.Errorf("%s: the file has no triples; expected lines of %s", path, lineFormat)
	}
	return text.Err
}

// malformed marks the error of a line that [Options].Lenient skips.
type malformed struct{ error }

func (m malformed) Unwrap() []error { return []error{m.error, facts.ErrMalformed} }

// maxLine limits the length of a line. Literals may be long.
const maxLine = 1 << 24

// lineFormat describes a line of N-Triples.
const lineFormat = "a subject, a predicate, an object and a full stop"

// add reads one line. It ignores empty lines and comments.
func (b *builder) add(line string) error {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	statement, err := facts.ParseStatement(line)
	switch {
	case err != nil:
		return err
	case statement.Label.Value != "":
		return fmt.Errorf("a fourth term, %s, where a full stop was expected", statement.Label.Value)
	}
	var terms [3]string
	for i, t := range []rdf.Term{statement.Subject, statement.Predicate, statement.Object} {
		if terms[i], err = canonical(t); err != nil {
			return err
		}
	}
	b.addTriple(terms)
	return nil
}

// addTriple adds a triple of a head, a relation and a tail, unless it is there.
func (b *builder) addTriple(terms [3]string) {
	if b.options.Normalize {
		for i := range terms {
			terms[i] = normalTerm(terms[i])
		}
	}
	t := datasets.Triple{
		Head:     number(terms[0], b.nodes, &b.graph.Nodes),
		Relation: number(terms[1], b.relations, &b.graph.Relations),
		Tail:     number(terms[2], b.nodes, &b.graph.Nodes),
	}
	if _, there := b.triples[t]; there {
		return
	}
	b.triples[t] = struct{}{}
	b.graph.Triples = append(b.graph.Triples, t)
}

// canonical returns a term with as few escapes as possible, so that each term is one node
// however it is escaped.
func canonical(t rdf.Term) (string, error) {
	if !strings.Contains(t.Value, `\`) {
		return t.Value, nil
	}
	text, qualifier, kind, err := t.Parts()
	switch {
	case err != nil:
		return "", err
	case kind == rdf.IRI:
		return iri(text)
	case qualifier == "" || qualifier[0] == '@':
		return literal(text) + qualifier, nil
	}
	datatype, err := iri(qualifier)
	return literal(text) + "^^" + datatype, err
}

func iri(text string) (string, error) {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\", r)
	})
	if i >= 0 {
		return "", fmt.Errorf("an IRI has the character %q; write it in percent encoding", text[i])
	}
	return "<" + text + ">", nil
}

var literalEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

func literal(text string) string { return `"` + literalEscapes.Replace(text) + `"` }

// number returns the id of a term; a new term gets the next id.
func number(term string, ids map[string]int32, terms *[]string) int32 {
	id, there := ids[term]
	if !there {
		id = int32(len(*terms))
		term = strings.Clone(term) // not the whole line
		ids[term], *terms = id, append(*terms, term)
	}
	return id
}
