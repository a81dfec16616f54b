// Package outfile writes files that a user names, and checks before the work that they can be
// written. A file replaces only files of its own kind, so that a wrong name does not destroy a
// study or data.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// Kind is a kind of files. It is recognized by its first characters, ignoring white space and case.
type Kind struct{ name, prefix string }

// The kinds of files that users name.
var (
	Record = Kind{"a record", `{"command":`}
	Page   = Kind{"a page", "<!DOCTYPEhtml>"}
	Trials = Table("a table of trials", "number", "stage")
	PNG    = Kind{"a picture", "\x89PNG"}
	SVG    = Kind{"a picture", "<?xml"}
	// Comparison is the JSON of an ablation.
	Comparison = Kind{"a comparison", `{"ablation":`}
)

// known are the kinds that error messages name.
var known = []Kind{
	{"a study", "SQLiteformat3\x00"}, Record, Page, Trials, PNG, SVG, Comparison,
}

// Table returns the kind of CSV files whose first line begins with these names.
func Table(what string, names ...string) Kind {
	return Kind{what, strings.Join(strings.Fields(strings.Join(names, ",")), "") + ","}
}

func (k Kind) matches(head string) bool {
	n := len(k.prefix)
	return len(head) >= n && strings.EqualFold(head[:n], k.prefix)
}

// Check returns an error if a file of this kind cannot be written there.
func Check(path string, kind Kind) error {
	if err := kind.mayReplace(path); err != nil {
		return err
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Write writes a file of this kind atomically. Its folder must exist.
func Write(path string, kind Kind, content []byte) error {
	if err := kind.mayReplace(path); err != nil {
		return err
	}
	if err := atomicfile.Write(path, content); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// mayReplace returns an error if an existing file is of another kind and not empty.
func (k Kind) mayReplace(path string) error {
	info, err := os.Stat(path)
	at, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case isPath:
		return fmt.Errorf("cannot write %s: %w", path, at.Err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder, and not replaced by %s: name a file", path, k.name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, and not replaced by %s: name another",
			path, k.name)
	case info.Size() == 0:
		return nil
	}
	head, err := readHead(path)
	if err != nil {
		return fmt.Errorf("cannot read the file to replace: %w", err)
	}
	if k.matches(head) {
		return nil
	}
	is := "is not " + k.name
	for _, other := range known {
		if other.matches(head) {
			is = "is " + other.name
		}
	}
	return fmt.Errorf("%s %s, and not replaced by %s: name another file, or remove this one",
		path, is, k.name)
}

// readHead returns the first characters of a file without white space.
func readHead(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 512))
	return strings.Join(strings.Fields(string(head)), ""), err
}
