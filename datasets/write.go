package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// WriteFolder writes train.txt, valid.txt and test.txt of a graph into a folder for
// [ReadFolder], and creates the folder if needed. It writes empty splits too. A new folder
// appears at once. In an existing one the files are replaced, train.txt last: without it a
// folder is no data set.
func WriteFolder(g *Graph, dir string) error {
	for _, labels := range [][]string{g.Entities, g.Relations} {
		for id, label := range labels {
			if label == "" || !utf8.ValidString(label) || strings.ContainsAny(label, "\t\r\n\x00\uFEFF") {
				return fmt.Errorf("write label %q of id %d: "+
					"labels must be UTF-8, not empty and without tabs and line ends", label, id)
			}
		}
	}
	var files []atomicfile.File
	for _, name := range []string{"valid", "test", "train"} {
		triples, err := g.Split(name)
		if err != nil {
			return err
		}
		files = append(files, atomicfile.File{
			Name:  name + ".txt",
			Write: func(w io.Writer) error { return g.writeSplit(w, triples) },
		})
	}
	if err := atomicfile.WriteFolder(dir, files); err != nil {
		return fmt.Errorf("%s: %w", filepath.Clean(dir), err)
	}
	return nil
}

func (g *Graph) writeSplit(w io.Writer, triples []Triple) error {
	for _, t := range triples {
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n",
			g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail])
		if err != nil {
			return err
		}
	}
	return nil
}

// TrainingFiles returns the files of a folder whose names begin with train. A folder that
// does not exist has none.
func TrainingFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "train") {
			found = append(found, filepath.Join(dir, entry.Name()))
		}
	}
	return found, nil
}
