package datasets

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// ErrMalformed means that a file has lines that are not triples.
var ErrMalformed = errors.New("not a triple")

// defects counts lines that are not triples, by what is wrong.
type defects []defect

type defect struct {
	what         string
	first, count int
}

// add counts a line.
func (d *defects) add(line int, what string) {
	i := slices.IndexFunc(*d, func(other defect) bool { return other.what == what })
	if i < 0 {
		i = len(*d)
		*d = append(*d, defect{what: what, first: line})
	}
	(*d)[i].count++
}

// err returns an error with the first line of each of the first kinds of defects, nil without any.
func (d defects) err(text *textfile.File) error {
	const most = 3
	slices.SortFunc(d, func(a, b defect) int { return cmp.Compare(a.first, b.first) })
	var all []error
	for _, each := range d[:min(len(d), most)] {
		at := *text
		at.Line = each.first
		all = append(all, malformedError{at.Errorf("%s%s", each.what, suchLines(each.count))})
	}
	return errors.Join(all...)
}

// malformedError is an [ErrMalformed] with a text of its own.
type malformedError struct{ error }

func (malformedError) Is(target error) bool { return target == ErrMalformed }

// suchLines says how many lines have a defect, "" for one.
func suchLines(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%s such lines)", format.Int(n))
}

// isComment reports whether a line that is no triple begins as comments do.
func isComment(line []byte) bool {
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//"))
}
