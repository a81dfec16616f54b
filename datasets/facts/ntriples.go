package facts

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/textfile"
	"gonum.org/v1/gonum/graph/formats/rdf"
)

// maxRDFLine limits the length of a line. Literals may be long.
const maxRDFLine = 1 << 24

// readNTriples reads lines of N-Triples or N-Quads. The graphs of quads are left out.
func readNTriples(r *reader) error {
	text := textfile.File{Path: r.path, Source: unclosed{r}}
	for content := range text.Lines(maxRDFLine) {
		line := strings.TrimSpace(string(content))
		if line == "" || line[0] == '#' {
			r.report.Dropped.Add(Comments, 1, r.at(text.Line)+": "+line)
			continue
		}
		f, err := ntriple(line)
		if err == nil {
			f.Line = text.Line
			err = r.add(f)
		} else {
			err = r.fail(text.Line, malformed("malformed N-Triples: %w", err))
		}
		if err != nil {
			return err
		}
	}
	return text.Err
}

// ntriple returns the fact of a line.
func ntriple(line string) (Fact, error) {
	statement, err := ParseStatement(line)
	if err != nil {
		return Fact{}, err
	}
	f := Fact{Weight: 1, IsRDF: true}
	for _, part := range []struct {
		label *string
		term  rdf.Term
	}{{&f.Head, statement.Subject}, {&f.Relation, statement.Predicate}, {&f.Tail, statement.Object}} {
		if *part.label, f.IsLiteral, err = labelOf(part.term); err != nil {
			return Fact{}, err
		}
	}
	return f, nil
}

// labelOf returns the label of a term: an IRI without its brackets, a blank node as it is, or the
// text of a literal.
func labelOf(t rdf.Term) (label string, isLiteral bool, err error) {
	value := t.Value
	switch {
	case strings.HasPrefix(value, "_:"):
		return value, false, nil
	case value[0] == '<' && !strings.Contains(value, `\`):
		return value[1 : len(value)-1], false, nil
	}
	text, _, kind, err := t.Parts()
	return text, kind == rdf.Literal, err
}

// lineFormat describes a line of N-Triples.
const lineFormat = "a subject, a predicate, an object and a full stop"

// ParseStatement parses a line of N-Triples or N-Quads.
func ParseStatement(line string) (*rdf.Statement, error) {
	if !utf8.ValidString(line) {
		return nil, errors.New("the line is not valid UTF-8")
	}
	statement, err := rdf.ParseNQuad(line)
	switch {
	case errors.Is(err, rdf.ErrIncomplete):
		return nil, fmt.Errorf("the line ends too early; expected %s", lineFormat)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "invalid N-Quad: "))
	}
	return statement, nil
}
