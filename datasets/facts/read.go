package facts

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// Read calls visit for each fact of a file, in order. An error names the file and the line; an
// error of visit that is [ErrMalformed] is treated like one of the file.
func Read(path string, o Options, visit func(Fact) error) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	in, err := open(path)
	if err != nil {
		return Report{}, err
	}
	defer in.Close()
	r := &reader{Options: o, input: in, visit: visit}
	r.report.File = in.path
	if r.report.Format, err = r.recognize(); err != nil {
		return Report{}, fmt.Errorf("%s: %w", in.path, err)
	}
	if o.Separator != "" && r.report.Format != CSV {
		return Report{}, fmt.Errorf("%s: the separator is for the format csv, and this is %s: leave it out, "+
			"or choose the format csv", in.path, r.report.Format)
	}
	if r.report.Format != Parquet {
		if err = r.checkStart(); err != nil {
			return Report{}, err
		}
	}
	err = formats[r.report.Format](r)
	return r.report, err
}

// checkStart returns an error if a text begins like one of a format that is not read.
func (r *reader) checkStart() error {
	start, err := r.peek()
	if err != nil {
		return r.cannotRead(0, err)
	}
	if err := foreign(start); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return nil
}

// check returns an error if the format or the comment is unknown.
func (o Options) check() error {
	if o.Format != "" && o.Format != Auto && formats[o.Format] == nil {
		return enum.Unknown("format", o.Format, slices.Sorted(maps.Keys(formats)))
	}
	if utf8.RuneCountInString(o.Comment) > 1 {
		return fmt.Errorf("the comment %q is not one character", o.Comment)
	}
	return nil
}

// reader reads one file.
type reader struct {
	Options
	*input
	visit  func(Fact) error
	report Report
}

// formats has the function that reads each format.
var formats = map[string]func(r *reader) error{
	TSV: readTSV, CSV: readCSV, JSONLines: readJSONLines, NTriples: readNTriples,
	NQuads: readNTriples, Turtle: readTurtle, Parquet: readParquet,
}

// add checks a fact and passes it on.
func (r *reader) add(f Fact) error {
	err := r.check(&f)
	if err == nil && !r.Partial && (f.Head == "" || f.Relation == "" || f.Tail == "") {
		r.report.Dropped.Add(EmptyLabels, 1, fmt.Sprintf("%s: %v", r.at(f.Line), f))
		return nil
	}
	if err == nil {
		err = r.visit(f)
	}
	if err != nil {
		return r.fail(f.Line, err)
	}
	r.report.Facts++
	return nil
}

// fail returns an error of a line, or skips the line.
func (r *reader) fail(line int, err error) error {
	err = fmt.Errorf("%s: %w", r.at(line), err)
	if r.Lenient && errors.Is(err, ErrMalformed) {
		r.report.Dropped.Add(Malformed, 1, err.Error())
		return nil
	}
	return err
}

// at returns the file and the line, which is 0 for the file as a whole.
func (r *reader) at(line int) string {
	if line == 0 {
		return r.path
	}
	return fmt.Sprintf("%s:%d", r.path, line)
}

// cannotRead returns an error of the file itself after a line.
func (r *reader) cannotRead(line int, err error) error {
	return fmt.Errorf("%s: cannot be read after line %d: %w", r.path, line, err)
}

// spaces replaces what separates the fields and lines of a folder's files.
var spaces = strings.NewReplacer("\r\n", " ", "\t", " ", "\r", " ", "\n", " ", "\uFEFF", "")

// check makes the labels valid for the files of a folder.
func (r *reader) check(f *Fact) error {
	for _, label := range []*string{&f.Head, &f.Relation, &f.Tail} {
		switch {
		case !utf8.ValidString(*label):
			return malformed("the line is not valid UTF-8; save the file as UTF-8 text")
		case strings.IndexByte(*label, 0) >= 0:
			return malformed("the line holds a NUL byte; save the file as UTF-8 text")
		case strings.ContainsAny(*label, "\t\r\n\uFEFF"):
			hasSpaces := strings.ContainsAny(*label, "\t\r\n")
			if *label = spaces.Replace(*label); hasSpaces {
				r.report.Changed.Add(Spaced, 1, r.at(f.Line)+": "+*label)
			}
		}
	}
	return nil
}

// isComment reports whether a line is empty or a comment.
func (o Options) isComment(line []byte) bool {
	trimmed := bytes.TrimSpace(line)
	return len(trimmed) == 0 || o.Comment != "" && bytes.HasPrefix(trimmed, []byte(o.Comment))
}

// hasFact reports whether a comment has the columns of a fact, which are no titles.
func (r *reader) hasFact(text string) bool {
	cells := strings.Split(text, "\t")
	if r.Partial && len(cells) == 2 {
		cells = append(cells, "")
	}
	return strings.TrimSpace(text) != "" && len(cells) >= 3 && !AreTitles([3]string(cells))
}

// skipsComment reports whether a line is empty or a comment, and counts it.
func (r *reader) skipsComment(line int, text []byte) bool {
	if !r.isComment(text) {
		return false
	}
	start := string(text[:min(len(text), 80)])
	reason := Comments
	if r.hasFact(string(text)) {
		reason = CommentedFacts
	}
	r.report.Dropped.Add(reason, 1, r.at(line)+": "+strings.TrimSpace(start))
	return true
}
