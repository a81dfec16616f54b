package facts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/knakk/rdf"
)

// readTurtle reads Turtle. The library ends at the first error, so Lenient has no effect.
func readTurtle(r *reader) error {
	r.skipMark()
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
			Head: lines.label(triple.Subj), Relation: lines.label(triple.Pred),
			Tail: lines.label(triple.Obj), Weight: 1, IsRDF: true, IsLiteral: isLiteral, Line: int(lines.line.Load()),
		})
		if err != nil {
			return err
		}
	}
}

// position matches the line and the column at the beginning of an error of the library.
var position = regexp.MustCompile(`^(\d+):\d+:? `)

// unexpected matches the number of a token instead of a part of a triple.
var unexpected = regexp.MustCompile(`unexpected \d+ as (\w+)`)

// noFullStop matches the number of a token instead of the end of a triple.
var noFullStop = regexp.MustCompile(`expected triple termination, got \d+`)

func (r *reader) turtleError(err error, lines *lineCounter) error {
	line := int(lines.line.Load())
	if failed := lines.err(); failed != nil {
		return r.cannotRead(line, failed)
	}
	text := err.Error()
	if found := position.FindStringSubmatch(text); found != nil {
		if at, _ := strconv.Atoi(found[1]); at > 0 { // 0 at the end of the file
			line = at
		}
		text = text[len(found[0]):]
	}
	text = unexpected.ReplaceAllString(text, "there is no $1")
	text = noFullStop.ReplaceAllString(text, "a full stop is missing")
	return fmt.Errorf("%s: malformed Turtle: %s; correct it, or convert the file to N-Triples",
		r.at(line), text)
}

// lineCounter passes on one line at a time and counts them. The library reads in another goroutine.
// It takes the base of relative IRIs out, which the library would join wrongly, and renames blank
// nodes.
type lineCounter struct {
	*reader
	line   atomic.Int64
	failed atomic.Pointer[error] // the first
	base   atomic.Pointer[url.URL]
	quote  string // that ends the literal in which the line begins, "" for none
	rest   []byte // of the line
	end    error  // after it
}

// isBase matches a line with a base of relative IRIs.
var isBase = regexp.MustCompile(`^\s*(?i:@base\s*<([^<>]*)>\s*\.|base\s*<([^<>]*)>)`)

// baseWithin matches an IRI, a comment, a base as its group, or a name.
var baseWithin = regexp.MustCompile(
	`<[^<>]*>|#.*|(@(?i:base)\b|(?i:base)\s*(?:<|$))|[\pL\pN_:%\\-][\pL\pN_:%\\.-]*`)

// namedBlank matches a blank node with a name that the library could give to one without.
var namedBlank = regexp.MustCompile(`((?:^|[\s\[\](),;>])\.?)_:(b\d+)\b`)

var errBase = errors.New("only one base, an absolute IRI at the start of a line, is supported; " +
	"convert the file to N-Triples")

func (c *lineCounter) Read(b []byte) (int, error) {
	if len(c.rest) == 0 && c.end == nil {
		c.nextLine()
	}
	n := copy(b, c.rest)
	if c.rest = c.rest[n:]; n > 0 {
		if b[n-1] == '\n' || len(c.rest) == 0 && c.end != nil {
			c.line.Add(1)
		}
		return n, nil
	}
	return 0, c.end
}

// nextLine reads a line, or the end.
func (c *lineCounter) nextLine() {
	c.rest, c.end = c.ReadBytes('\n')
	if c.end != nil && !errors.Is(c.end, io.EOF) {
		c.fail(c.end)
	}
	isValid := true
	if found := isBase.FindSubmatchIndex(c.rest); found != nil && c.quote == "" {
		iri := string(c.rest[max(found[2], found[4]):max(found[3], found[5])])
		base, err := url.Parse(iri)
		isValid = err == nil && base.IsAbs() && c.base.CompareAndSwap(nil, base)
		c.rest = c.rest[found[1]:]
	}
	c.rest = c.outsideLiterals(c.rest, func(part []byte) []byte {
		isValid = isValid && !hasBase(part)
		if !bytes.Contains(part, []byte("_:b")) {
			return part
		}
		return namedBlank.ReplaceAll(part, []byte("${1}_:named-$2"))
	})
	if !isValid {
		c.fail(errBase)
		c.rest, c.end = nil, errBase
	}
}

// hasBase reports whether part of a line, without literals, has a base of relative IRIs. IRIs and
// comments have none.
func hasBase(part []byte) bool {
	for _, found := range baseWithin.FindAllSubmatchIndex(part, -1) {
		if found[2] >= 0 {
			return true
		}
	}
	return false
}

// outsideLiterals replaces the parts of a line that are in no literal, and follows literals of
// several lines.
func (c *lineCounter) outsideLiterals(line []byte, replace func([]byte) []byte) (out []byte) {
	if c.quote == "" && !bytes.ContainsAny(line, `"'`) {
		return replace(line)
	}
	start := 0
	for at := 0; at < len(line); {
		rest := line[at:]
		switch {
		case rest[0] == '\\': // in a literal or a name, as in O\'Reilly
			at += 2
		case c.quote != "" && bytes.HasPrefix(rest, []byte(c.quote)):
			at += len(c.quote)
			out, start, c.quote = append(out, line[start:at]...), at, ""
		case c.quote == "" && rest[0] == '<' && bytes.IndexByte(rest, '>') > 0: // quotes in an IRI
			at += bytes.IndexByte(rest, '>')
		case c.quote == "" && rest[0] == '#': // a comment
			at = len(line)
		case c.quote == "" && (rest[0] == '"' || rest[0] == '\''):
			out, start = append(out, replace(line[start:at])...), at
			c.quote = string(rest[:1])
			if long := strings.Repeat(c.quote, 3); bytes.HasPrefix(rest, []byte(long)) {
				c.quote = long
			}
			at += len(c.quote)
		default:
			at++
		}
	}
	if c.quote != "" {
		return append(out, line[start:]...)
	}
	return append(out, replace(line[start:])...)
}

// encoded matches characters beyond ASCII in the form of an URL.
var encoded = regexp.MustCompile(`(?:%[89A-F][0-9A-F])+`)

// label returns the label of a term like labelOf, with its IRI joined with the base.
func (c *lineCounter) label(t rdf.Term) string {
	if blank, is := t.(rdf.Blank); is {
		return blank.Serialize(rdf.NTriples)
	}
	text, base := t.String(), c.base.Load()
	if _, is := t.(rdf.IRI); !is || base == nil {
		return text
	}
	iri, err := url.Parse(text)
	if err != nil || iri.IsAbs() {
		return text
	}
	joined := base.ResolveReference(iri).String()
	if strings.Contains(text+base.String(), "%") {
		return joined
	}
	return encoded.ReplaceAllStringFunc(joined, func(part string) string {
		character, _ := url.PathUnescape(part) // valid, since it matches
		return character
	})
}

// fail stores an error of the source, unless there is one.
func (c *lineCounter) fail(err error) { c.failed.CompareAndSwap(nil, &err) }

// err returns the error of the source.
func (c *lineCounter) err() error {
	if failed := c.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}
