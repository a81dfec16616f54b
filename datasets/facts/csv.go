package facts

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readCSV reads records of cells with a separator and quotes.
func readCSV(r *reader) error {
	separator, err := r.separator()
	if err != nil {
		return err
	}
	records := csv.NewReader(r)
	records.Comma, records.FieldsPerRecord, records.ReuseRecord = separator, -1, true
	if comment, size := utf8.DecodeRuneInString(r.Comment); size > 0 {
		records.Comment = comment
	}
	t := table{reader: r}
	next := 1 // line after the last record
	for {
		cells, err := records.Read()
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
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

// separator returns the separator of the option, or the best one for the first lines. It skips a
// byte-order mark.
func (r *reader) separator() (rune, error) {
	start, err := r.peek()
	if err != nil {
		return 0, r.cannotRead(0, err)
	}
	if mark := []byte("\uFEFF"); bytes.HasPrefix(start, mark) {
		if _, err := r.Discard(len(mark)); err != nil {
			return 0, r.cannotRead(0, err)
		}
		start = start[len(mark):]
	}
	given := r.Separator
	if given == "tab" || given == `\t` {
		given = "\t"
	}
	if given == "" {
		return guessSeparator(start, r.Comment), nil
	}
	separator, size := utf8.DecodeRuneInString(given)
	if size != len(given) || separator == utf8.RuneError || strings.ContainsRune("\"\r\n", separator) ||
		given == r.Comment {
		return 0, fmt.Errorf("%s: the separator %q is not one character that separates fields", r.path,
			given)
	}
	return separator, nil
}

// guessSeparator returns the separator that divides the first lines into the same number of
// fields, at least three, or a comma.
func guessSeparator(start []byte, comment string) rune {
	const lines = 20
	best, bestFields := ',', 0
	for _, separator := range ",;\t|" {
		fields, n := 0, 0
		for line := range bytes.Lines(start) {
			text := strings.TrimSpace(string(line))
			if n == lines || !bytes.HasSuffix(line, []byte("\n")) && n > 0 {
				break
			}
			if text == "" || comment != "" && strings.HasPrefix(text, comment) {
				continue
			}
			count := unquotedFields(text, separator)
			if n++; n == 1 || count < fields {
				fields = count
			}
		}
		if fields > bestFields && fields >= 3 {
			best, bestFields = separator, fields
		}
	}
	return best
}

// unquotedFields counts the fields of a line, without the separators inside quotes.
func unquotedFields(line string, separator rune) int {
	fields, inQuotes := 1, false
	for _, r := range line {
		switch {
		case r == '"':
			inQuotes = !inQuotes
		case r == separator && !inQuotes:
			fields++
		}
	}
	return fields
}
