package completion

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// LineQuery is a query with its line in a file.
type LineQuery struct {
	Query
	Line int
}

// ReadQueries reads one query per line: head, relation and tail. A missing part is empty or "?";
// the tail may be left out. A file named *.csv has comma-separated values, quoted as needed. Other
// files have tabs between the parts, as the files of a graph. Empty lines are ignored. Errors name
// the file and the line.
func ReadQueries(r io.Reader, name string) ([]LineQuery, error) {
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		return readCSVQueries(r, name)
	}
	var queries []LineQuery
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxQueryLine)
	line := 0
	for lines.Scan() {
		line++
		text := lines.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		if text == "" {
			continue
		}
		q, err := queryOf(strings.Split(text, "\t"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		queries = append(queries, LineQuery{q, line})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return queries, nil
}

const (
	maxQueryLine  = 1 << 20 // bytes
	byteOrderMark = "\uFEFF"
)

func readCSVQueries(r io.Reader, name string) ([]LineQuery, error) {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = -1
	var queries []LineQuery
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return queries, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := reader.FieldPos(0)
		if len(queries) == 0 {
			fields[0] = strings.TrimPrefix(fields[0], byteOrderMark)
		}
		q, err := queryOf(fields)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		queries = append(queries, LineQuery{q, line})
	}
}

// queryOf returns the query of the fields of a line.
func queryOf(fields []string) (q Query, err error) {
	if len(fields) != 2 && len(fields) != 3 {
		return q, fmt.Errorf("the line has %d fields, not head, relation and tail", len(fields))
	}
	for i, part := range []*string{&q.Head, &q.Relation, &q.Tail}[:len(fields)] {
		switch {
		case !utf8.ValidString(fields[i]):
			return q, errors.New("the text is not UTF-8: convert it")
		case strings.ContainsAny(fields[i], "\r\n"), strings.HasPrefix(fields[i], byteOrderMark):
			return q, fmt.Errorf("no model has the label %q", fields[i])
		}
		if *part = fields[i]; *part == "?" {
			*part = ""
		}
	}
	return q, q.check()
}
