package facts

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readCSV reads records of cells with a separator and quotes.
func readCSV(r *reader) error {
	separator, width, err := r.separator()
	if err != nil {
		return err
	}
	r.skipMark()
	records := r.records(r, separator)
	t := table{reader: r, width: width}
	next := 1 // line after the last record
	for {
		cells, err := records.Read()
		bad, isBad := errors.AsType[*csv.ParseError](err)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case isBad:
			next = bad.Line + 1
			if err := r.fail(bad.StartLine, badCSV(bad)); err != nil {
				return err
			}
			r.report.Dropped.Add(Unclosed, bad.Line-bad.StartLine, r.at(bad.StartLine+1))
			continue
		case err != nil:
			return r.cannotRead(next-1, err)
		}
		line, _ := records.FieldPos(0)
		r.report.Dropped.Add(Comments, line-next, r.at(next))
		next, _ = records.FieldPos(len(cells) - 1)
		next += 1 + strings.Count(cells[len(cells)-1], "\n")
		if err := t.row(line, cells); err != nil {
			return err
		}
	}
}

// badCSV returns the error of a record. A quote that is not closed takes the lines after it.
func badCSV(bad *csv.ParseError) error {
	if bad.Line > bad.StartLine {
		return malformed("malformed CSV: the record has a quote that is closed wrongly or not before "+
			"line %d: %w; close it", bad.Line, bad.Err)
	}
	return malformed("malformed CSV: %w; quote the field and double the quotes inside it", bad.Err)
}

// separator returns the separator of the option, or the best one for the first records, and the
// number of fields of most of them, 0 if they are too few for facts.
func (r *reader) separator() (separator rune, width int, err error) {
	start, err := r.peek()
	if err != nil {
		return 0, 0, r.cannotRead(0, err)
	}
	given := r.Separator
	if given == "tab" || given == `\t` {
		given = "\t"
	}
	if given == "" {
		separator, width = r.guessSeparator(start)
		return separator, width, nil
	}
	separator, size := utf8.DecodeRuneInString(given)
	if size != len(given) || separator == utf8.RuneError || strings.ContainsRune("\"\r\n", separator) ||
		given == r.Comment {
		return 0, 0, fmt.Errorf("%s: the separator %q is not one character that separates fields", r.path,
			given)
	}
	widths, _ := r.csvWidths(start, separator)
	width, _ = mostFrequent(widths)
	return separator, width, nil
}
