package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// WriteFolder writes a graph into a folder for [ReadFolder], and creates the folder if needed:
//
//   - train.txt, valid.txt and test.txt, also if they are empty;
//   - weights.txt with the weights of the training triples, entity2type.txt with the types of
//     entities, and valid_neg.txt and test_neg.txt with false triples, if there are any.
//
// A new folder appears at once. In an existing one the files are replaced, train.txt last: without
// it a folder is no data set. Old weights, types and false triples are removed.
func WriteFolder(g *Graph, dir string) error {
	all := [][]string{g.Entities, g.Relations}
	if g.Types != nil {
		all = append(all, g.Types.Labels)
	}
	for _, labels := range all {
		for id, label := range labels {
			if label == "" || !utf8.ValidString(label) || strings.ContainsAny(label, "\t\r\n\x00\uFEFF") {
				return fmt.Errorf("write label %q of id %d: "+
					"labels must be UTF-8, not empty and without tabs and line ends", label, id)
			}
		}
	}
	if err := g.ValidateIDs(); err != nil {
		return fmt.Errorf("write %w", err)
	}
	if g.Weights != nil && len(g.Weights) != len(g.Train) {
		return fmt.Errorf("write %d weights of %d triples", len(g.Weights), len(g.Train))
	}
	var files []atomicfile.File
	var stale []string // files of the old graph that the new one does not have
	add := func(name string, isThere bool, write func(io.Writer) error) {
		switch {
		case isThere:
			files = append(files, atomicfile.File{Name: name, Write: write})
		case HasFile(dir, name):
			// Until it is removed, an empty file keeps readers from the content of the old graph.
			files = append(files, atomicfile.File{Name: name})
			stale = append(stale, name+".gz", name)
		}
	}
	add(weightsFile, g.Weights != nil, g.writeWeights)
	add(TypesFile, g.Types != nil, func(w io.Writer) error { return g.Types.Write(w, g.Entities) })
	for _, split := range splitNames[1:] {
		falses := g.falses[split]
		for i, name := range falseFiles(split) {
			isThere := i == 0 && len(falses) > 0
			add(name, isThere, func(w io.Writer) error { return g.writeSplit(w, falses) })
		}
	}
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
	for _, name := range stale {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (g *Graph) writeSplit(w io.Writer, triples []Triple) error {
	for _, t := range triples {
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n",
			facts.Quote(g.Entities[t.Head]), facts.Quote(g.Relations[t.Relation]),
			facts.Quote(g.Entities[t.Tail]))
		if err != nil {
			return err
		}
	}
	return nil
}

// FilesOf returns the text files of a folder that belong to a graph: its splits, weights, types and
// false triples, and others whose names begin with train. A folder that does not exist has none.
func FilesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := append(splitFiles(), weightsFile, TypesFile)
	for _, split := range splitNames {
		names = append(names, falseFiles(split)...)
	}
	var found []string
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".gz")
		if strings.HasPrefix(name, "train") || slices.Contains(names, name) {
			found = append(found, filepath.Join(dir, entry.Name()))
		}
	}
	return found, nil
}

// writeWeights writes the weight of a training triple on each line.
func (g *Graph) writeWeights(w io.Writer) error {
	for _, weight := range g.Weights {
		if _, err := fmt.Fprintln(w, strconv.FormatFloat(float64(weight), 'g', -1, 32)); err != nil {
			return err
		}
	}
	return nil
}
