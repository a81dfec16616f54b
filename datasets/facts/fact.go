package facts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fact is one statement of a file.
type Fact struct {
	Head, Relation, Tail string
	// Weight is 1 unless a column gives it, as IsWeighted says, and never negative.
	Weight     float64
	IsWeighted bool
	// Time is the text in the column of times; "" without one.
	Time string
	// IsRDF says that the fact is from a format of RDF. A label that begins with "_:" is then a blank
	// node, whose name means nothing outside its file. IsLiteral says that the tail is no node.
	IsRDF, IsLiteral bool
	// Line is the number of its line, or of its row in Parquet, from 1.
	Line int
}

// String returns the labels.
func (f Fact) String() string {
	return strings.Join([]string{f.Head, f.Relation, f.Tail}, ", ")
}

// Options configures [Read].
type Options struct {
	Format    string  `json:"format" default:"auto" enum:"auto,tsv,csv,jsonl,nt,nq,ttl,parquet" brief:"${enum}." help:"Format of the files: ${enum}. auto takes the ending of the name, or the content."`
	Columns   Columns `json:"columns,omitempty" placeholder:"ROLE=COLUMN" brief:"Columns, such as head=subject,relation=2,tail=object." help:"Columns of head, relation, tail, weight and time by title, or by number from 1. Common titles are known."`
	Separator string  `json:"separator" placeholder:"CHAR" brief:"Separator of CSV; guessed by default." help:"Separator of the fields of CSV, such as ';' or tab. By default it is guessed."`
	Comment   string  `json:"comment" default:"#" placeholder:"CHAR" help:"First character of the lines to skip; empty for none."`
	Lenient   bool    `json:"lenient" help:"Skip and count malformed lines."`
	// Partial keeps facts with empty labels. The tail may be left out of a row, and any part out of an
	// object of JSON lines.
	Partial bool `json:"-" kong:"-"`
}

// Columns has the title of a column, or its number from 1, for head, relation, tail, weight and time.
// As text it is head=subject,relation=2,tail=object.
type Columns map[string]string

// MarshalText implements [encoding.TextMarshaler].
func (c Columns) MarshalText() ([]byte, error) {
	var parts []string
	for _, role := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, role+"="+c[role])
	}
	return []byte(strings.Join(parts, ",")), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Columns) UnmarshalText(text []byte) error {
	*c = nil
	if len(text) == 0 {
		return nil
	}
	*c = Columns{}
	for part := range strings.SplitSeq(string(text), ",") {
		role, column, found := strings.Cut(part, "=")
		if !found {
			return fmt.Errorf("%q is no role and column: use head=subject,relation=2,tail=object", part)
		}
		role = strings.TrimSpace(role)
		if first, isTwice := (*c)[role]; isTwice {
			return fmt.Errorf("%s is given twice, as %q and %q: name one column", role, first, column)
		}
		(*c)[role] = column
	}
	return nil
}

// DefaultOptions returns options that suit most files.
func DefaultOptions() Options { return Options{Format: Auto, Comment: "#"} }

// Report describes how a file was read.
type Report struct {
	File   string `json:"file"`
	Format string `json:"format"`
	// Columns are the titles of the columns, or their numbers, by role. Other has the titles of the
	// columns that were not read.
	Columns map[string]string `json:"columns,omitempty"`
	Other   []string          `json:"other_columns,omitempty"`
	// Facts is the number of facts read.
	Facts int `json:"facts"`
	// Dropped says what else is in the file. Changed says which labels were changed.
	Dropped Drops `json:"dropped,omitempty"`
	Changed Drops `json:"changed,omitempty"`
}

// Drop counts what is dropped for one reason.
type Drop struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	// Example is the first of them, with its file and line.
	Example string `json:"example"`
}

// Drops has one entry for each reason.
type Drops []Drop

// Add counts something for a reason.
func (d *Drops) Add(reason string, count int, example string) {
	if count == 0 {
		return
	}
	for i := range *d {
		if (*d)[i].Reason == reason {
			(*d)[i].Count += count
			return
		}
	}
	*d = append(*d, Drop{reason, count, example})
}

// Reasons for which [Read] drops lines and facts.
const (
	Comments = "comments and empty lines"
	// CommentedFacts have tabs between the columns of a fact, so that the first may be a label.
	CommentedFacts = "comments with the columns of a fact"
	Malformed      = "malformed lines"
	EmptyLabels    = "facts without a head, relation or tail"
	// Unclosed counts the lines that a quote takes which is not closed, without its own.
	Unclosed = "lines after a quote that is not closed"
	// Spaced is the reason of a changed label.
	Spaced = "labels with a tab or a line end, now a space"
)

// ErrMalformed marks a malformed line, which [Options].Lenient skips, and ErrColumns columns that
// must be named.
var (
	ErrMalformed = errors.New("malformed line")
	ErrColumns   = errors.New("unknown columns")
)

// marked adds a mark to an error without changing its text.
type marked struct {
	error
	mark error
}

func (m marked) Unwrap() []error { return []error{m.error, m.mark} }

func malformed(format string, args ...any) error {
	return marked{fmt.Errorf(format, args...), ErrMalformed}
}

func unknownColumns(format string, args ...any) error {
	return marked{fmt.Errorf(format, args...), ErrColumns}
}
