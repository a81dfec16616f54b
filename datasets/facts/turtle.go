package facts

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/knakk/rdf"
)

// readTurtle reads Turtle. The library ends at the first error, so Lenient has no effect.
func readTurtle(r *reader) error {
	lines := &lineCounter{reader: r}
	decoder := rdf.NewTripleDecoder(lines, rdf.Turtle)
	for {
		triple, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			if failed := lines.err(); failed != nil {
				return r.cannotRead(int(lines.line.Load()), failed)
			}
			return nil
		}
		if err != nil {
			return r.turtleError(err, lines)
		}
		_, isLiteral := triple.Obj.(rdf.Literal)
		err = r.add(Fact{
			Head: termLabel(triple.Subj), Relation: termLabel(triple.Pred), Tail: termLabel(triple.Obj),
			Weight: 1, IsRDF: true, IsLiteral: isLiteral, Line: int(lines.line.Load()),
		})
		if err != nil {
			return err
		}
	}
}

// termLabel returns the label of a term like labelOf.
func termLabel(t rdf.Term) string {
	if blank, is := t.(rdf.Blank); is {
		return blank.Serialize(rdf.NTriples)
	}
	return t.String()
}

// position matches the line and the column at the beginning of an error.
var position = regexp.MustCompile(`^(\d+):\d+:? `)

func (r *reader) turtleError(err error, lines *lineCounter) error {
	line := int(lines.line.Load())
	if failed := lines.err(); failed != nil {
		return r.cannotRead(line, failed)
	}
	text := err.Error()
	if found := position.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = text[len(found[0]):]
	}
	return fmt.Errorf("%s: malformed Turtle: %s; correct it, or convert the file to N-Triples",
		r.at(line), text)
}

// lineCounter passes on one line at a time and counts them. The library reads in another goroutine.
type lineCounter struct {
	*reader
	line   atomic.Int64
	failed atomic.Value // error
	start  []byte       // of the line
}

// isBase matches a line with a base of relative IRIs, which the library joins wrongly.
var isBase = regexp.MustCompile(`^\s*(?i:@base|base)\s*<`)

// longestBase limits the spaces around the word.
const longestBase = 64

var errBase = errors.New("relative IRIs with a base are not supported; convert the file to N-Triples")

func (c *lineCounter) Read(b []byte) (int, error) {
	for n := range b {
		char, err := c.ReadByte()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.failed.Store(err)
			}
			return n, err
		}
		b[n] = char
		if len(c.start) < longestBase {
			if c.start = append(c.start, char); char == '<' && isBase.Match(c.start) {
				c.failed.Store(errBase)
				return n, errBase
			}
		}
		if char == '\n' {
			c.line.Add(1)
			c.start = c.start[:0]
			return n + 1, nil
		}
	}
	return len(b), nil
}

// err returns the error of the source.
func (c *lineCounter) err() error {
	err, _ := c.failed.Load().(error)
	return err
}
