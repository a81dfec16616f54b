package facts

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// sampled is the number of lines or records from which the form of a file is guessed. The majority
// decides, because some may be malformed.
const sampled = 100

// mostFrequent returns the value that occurs most often, and how often. Of several it is the first.
func mostFrequent[T comparable](values []T) (most T, count int) {
	counts := map[T]int{}
	for _, value := range values {
		counts[value]++
	}
	for _, value := range values {
		if counts[value] > count {
			most, count = value, counts[value]
		}
	}
	return most, count
}

// guessFormat returns the format of a text that begins with the given lines.
func (o Options) guessFormat(start []byte) string {
	var guesses []string
	for line := range bytes.Lines(start) {
		if o.isComment(line) {
			continue
		}
		guess := guessLine(strings.TrimSpace(string(line)), bytes.IndexByte(line, '\t') >= 0)
		if guesses = append(guesses, guess); guesses[0] == Turtle || len(guesses) == sampled {
			break
		}
	}
	if len(guesses) == 0 {
		return TSV
	}
	format, _ := mostFrequent(guesses)
	return format
}

// guessLine returns the format of a line.
func guessLine(line string, hasTab bool) string {
	lower := strings.ToLower(line)
	switch {
	case line[0] == '{' && (!hasTab || json.Valid([]byte(line))),
		line[0] == '[' && strings.HasSuffix(line, "]") && (!hasTab || json.Valid([]byte(line))):
		return JSONLines
	case strings.HasPrefix(lower, "@prefix") || strings.HasPrefix(lower, "@base") ||
		strings.HasPrefix(lower, "prefix ") || strings.HasPrefix(lower, "base "):
		return Turtle
	case (line[0] == '<' || strings.HasPrefix(line, "_:")) && strings.HasSuffix(line, "."):
		return NQuads
	case hasTab:
		return TSV
	}
	return CSV
}

// guessSeparator returns the separator of CSV that divides most of the first records into the same
// number of fields, and that number; 0 if none gives enough fields. If several divide as many, it is
// the one that gives the most fields without a space before them.
func (o Options) guessSeparator(start []byte) (separator rune, width int) {
	separator, most, mostFields := ',', 0, 0
	for _, each := range ",;\t|" {
		widths, fields := o.csvWidths(start, each)
		mode, count := mostFrequent(widths)
		if count > most || count == most && fields > mostFields {
			separator, width, most, mostFields = each, mode, count, fields
		}
	}
	return separator, width
}

// csvWidths returns the numbers of fields of the first records that may be facts, and the number of
// all their fields that do not begin with a space.
func (o Options) csvWidths(start []byte, separator rune) (widths []int, sum int) {
	records := o.records(bytes.NewReader(start), separator)
	for len(widths) < sampled {
		cells, err := records.Read()
		_, isMalformed := errors.AsType[*csv.ParseError](err)
		switch {
		case err == nil:
			widths = o.addWidth(widths, len(cells))
			for _, cell := range cells {
				if !strings.HasPrefix(cell, " ") { // as in "New York, NY;in;USA"
					sum++
				}
			}
		case !isMalformed: // the end, or a separator that is the comment
			return widths, sum
		}
	}
	return widths, sum
}

// tsvWidths returns the numbers of fields of the first lines.
func (o Options) tsvWidths(start []byte) (widths []int) {
	for line := range bytes.Lines(start) {
		if !o.isComment(line) {
			widths = o.addWidth(widths, 1+bytes.Count(line, []byte("\t")))
		}
		if len(widths) == sampled {
			break
		}
	}
	return widths
}

// addWidth adds a number of fields if they are enough for a fact.
func (o Options) addWidth(widths []int, fields int) []int {
	const whole, partial = 3, 2
	if fields >= whole || o.Partial && fields == partial {
		widths = append(widths, max(whole, fields))
	}
	return widths
}

// records returns a reader of CSV.
func (o Options) records(source io.Reader, separator rune) *csv.Reader {
	records := csv.NewReader(source)
	records.Comma, records.FieldsPerRecord, records.ReuseRecord = separator, -1, true
	if comment, size := utf8.DecodeRuneInString(o.Comment); size > 0 {
		records.Comment = comment
	}
	return records
}
