package completion

import (
	"errors"

	"github.com/autoblm/autoblm-go/datasets/facts"
)

// LineQuery is a query with its line in a file.
type LineQuery struct {
	Query
	Line int
}

// ClearMarks makes parts that are "?" missing.
func (q *Query) ClearMarks() {
	for _, part := range []*string{&q.Head, &q.Relation, &q.Tail} {
		if *part == "?" {
			*part = ""
		}
	}
}

// ReadQueries reads the queries of a file, or of "-" for the standard input, in a format of package
// facts: a head, a relation and a tail. A missing part is empty or "?"; the tail may be left out.
// Errors name the file and the line. The report has the lines that are skipped as comments.
func ReadQueries(path string) ([]LineQuery, facts.Report, error) {
	o := facts.DefaultOptions()
	o.Partial = true
	var queries []LineQuery
	report, err := facts.Read(path, o, func(f facts.Fact) error {
		q := Query{Head: f.Head, Relation: f.Relation, Tail: f.Tail}
		q.ClearMarks()
		queries = append(queries, LineQuery{q, f.Line})
		return q.check()
	})
	if errors.Is(err, facts.ErrMalformed) || errors.Is(err, facts.ErrColumns) {
		err = errors.New(err.Error()) // the options of an import do not exist here
	}
	return queries, report, err
}
