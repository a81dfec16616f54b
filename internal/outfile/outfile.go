// Package outfile writes the files that a user names, and says before the work whether that
// can be done. A file is replaced by one of its own kind and by no other: whoever gives the
// name of a study, of data or of a folder for that of a table keeps what is there.
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

// Kind is a kind of files, told by how they begin, white space and case aside.
type Kind struct{ name, begins string }

// The kinds of files that programs write at places named by users.
var (
	Record = Kind{"a record", `{"command":`}
	Page   = Kind{"a page", "<!DOCTYPEhtml>"}
	Trials = Table("a table of trials", "number", "stage")
	PNG    = Kind{"a picture", "\x89PNG"}
	SVG    = Kind{"a picture", "<?xml"}
	// Comparison is the JSON of one.
	Comparison = Kind{"a comparison", `{"ablation":`}
)

// known are named where they are not replaced.
var known = []Kind{{"a study", "SQLiteformat3\x00"}, Record, Page, Trials, PNG, SVG, Comparison}

// Table is the kind of CSV files whose first line begins with these names.
func Table(what string, names ...string) Kind {
	return Kind{what, strings.Join(strings.Fields(strings.Join(names, ",")), "") + ","}
}

func (k Kind) is(head string) bool {
	n := len(k.begins)
	return len(head) >= n && strings.EqualFold(head[:n], k.begins)
}

// Check says whether a file of this kind can be written there.
func Check(path string, kind Kind) error {
	if err := kind.mayReplace(path); err != nil {
		return err
	}
	if err := atomicfile.Writable(path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Write writes a file of this kind, whole or not at all. Its folder must exist.
func Write(path string, kind Kind, content []byte) error {
	if err := kind.mayReplace(path); err != nil {
		return err
	}
	if err := atomicfile.Write(path, content); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// mayReplace says whether what is there, if anything, is of the kind, or empty.
func (k Kind) mayReplace(path string) error {
	info, err := os.Stat(path)
	at := new(fs.PathError)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &at):
		return fmt.Errorf("cannot write %s: %w", path, at.Err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder, and not replaced by %s: name a file", path, k.name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, and not replaced by %s: name another", path, k.name)
	case info.Size() == 0:
		return nil
	}
	head, err := headOf(path)
	if err != nil {
		return fmt.Errorf("cannot tell what is replaced: %w", err)
	}
	if k.is(head) {
		return nil
	}
	is := "is not " + k.name
	for _, other := range known {
		if other.is(head) {
			is = "is " + other.name
		}
	}
	return fmt.Errorf("%s %s, and not replaced by %s: name another file, or remove this one", path, is, k.name)
}

// headOf is how a file begins, as kinds are told by.
func headOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	const enough = 512
	head, err := io.ReadAll(io.LimitReader(file, enough))
	return strings.Join(strings.Fields(string(head)), ""), err
}
