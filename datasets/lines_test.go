package datasets

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestVisitFile(t *testing.T) {
	dir := writeFiles(t, map[string]string{"names.txt": "\uFEFFa\r\nb\n\n"})
	var lines []string
	visit := func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	}
	if err := VisitFile(dir, "names.txt", visit); err != nil ||
		!slices.Equal(lines, []string{"a", "b"}) {
		t.Errorf("%q, %v", lines, err)
	}
	if err := VisitFile(dir, "others.txt", visit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	wrong := errors.New("wrong")
	err := VisitLines("some.txt", strings.NewReader("a\nb\nc\n"), func(line []byte) error {
		if string(line) == "b" {
			return wrong
		}
		return nil
	})
	if !errors.Is(err, wrong) || err.Error() != "some.txt:2: wrong" {
		t.Errorf("%v, want an error about line 2", err)
	}
	checkError(t, VisitLines("some.txt", strings.NewReader("a\n\nb\n"), visit), "some.txt:2:")
}
