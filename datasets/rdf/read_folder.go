package rdf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
)

// ReadFolder reads a graph and its labelled nodes from a folder that holds
//
//   - one file of N-Triples, .nt or .nt.gz;
//   - two tables with tabs between the columns, trainingSet.tsv and testSet.tsv;
//     their names may have more before the ending, as in trainingSet(lith).tsv. Their
//     first line names the columns: one begins with "label" and has the class; of
//     the others, the first that is not "id" has the node.
//
// Without N-Triples, the graph is that of [datasets.ReadFolder], or that of all files of facts, which
// [datasets.Import] reads. In place of the two tables there may be one file classes.tsv with lines of
// node<TAB>class, a fifth of which are drawn for the test.
//
// Duplicate triples count once. An error names the file, the line and the fix.
func ReadFolder(dir string, o Options) (*Graph, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such folder", dir)
	case err != nil:
		return nil, fmt.Errorf("%s: cannot be read as a folder, which has the graph and the classes: %w",
			dir, err)
	}
	b := newBuilder(o)
	if hasFile(dir, isTriples) || !hasGraph(dir) || !hasFacts(dir) {
		err = b.readFile(dir, entries)
		b.warnOfOthers(dir)
	} else {
		err = b.readFacts(dir)
	}
	if err != nil {
		return nil, err
	}
	g := b.graph
	g.Normalized = o.Normalize
	reader := &labelReader{
		nodes: b.nodes, classes: map[string]int32{}, origin: map[int32]string{},
		normalize: o.Normalize,
	}
	switch hasClasses := datasets.HasFile(dir, classesFile); {
	case hasClasses && hasFile(dir, isLabels):
		err = fmt.Errorf("%s has %s and tables of labels, trainingSet.tsv or testSet.tsv: keep one of both",
			dir, classesFile)
	case hasClasses:
		err = reader.readClasses(dir, g)
	default:
		err = reader.readTables(dir, entries, g)
	}
	if err != nil {
		return nil, err
	}
	g.sortClasses(reader.names)
	if g.Folder, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	g.Name = filepath.Base(g.Folder)
	return g, nil
}

// readFile reads the only file of N-Triples of a folder.
func (b *builder) readFile(dir string, entries []fs.DirEntry) error {
	triples, err := onlyFile(dir, entries, "file of N-Triples, .nt or .nt.gz", isTriples)
	if errors.Is(err, errMissing) {
		for _, e := range entries {
			if other := facts.OtherFormat(e.Name()); other != nil && !hasFacts(dir) {
				return fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), other)
			}
		}
		err = fmt.Errorf("%w, or classes.tsv with the classes next to other facts", err)
		if !hasGraph(dir) { // else it is no data of another task
			err = datasets.NoGraph(dir, err)
		}
	}
	if err != nil {
		return err
	}
	return b.readTriples(triples)
}

// warnOfOthers warns of facts next to N-Triples, which are not read.
func (b *builder) warnOfOthers(dir string) {
	isOther := func(name string) bool { return isFacts(name) && !isTriples(name) }
	if datasets.HasGraph(dir) || hasFile(dir, isOther) {
		b.graph.warnings = append(b.graph.warnings, fmt.Sprintf("only the N-Triples of %s are read, not its "+
			"other facts: merge them with dataset import if they belong to the graph", dir))
	}
}

// isLabels reports whether a file is a table of labelled nodes.
func isLabels(name string) bool { return isTable(name, "trainingSet") || isTable(name, "testSet") }

// readTables reads the tables of labelled nodes.
func (r *labelReader) readTables(dir string, entries []fs.DirEntry, g *Graph) error {
	var tables []string
	for _, split := range []string{"trainingSet", "testSet"} {
		table, err := onlyFile(dir, entries, "table "+split+".tsv", func(name string) bool {
			return isTable(name, split)
		})
		if errors.Is(err, errMissing) && !hasFile(dir, isLabels) {
			err = fmt.Errorf("%s: %w: %s with lines of node<TAB>class, or the tables trainingSet.tsv and "+
				"testSet.tsv", dir, errMissing, classesFile)
		}
		if err != nil {
			return err
		}
		tables = append(tables, table)
	}
	var err error
	if g.Train, err = r.read(tables[0]); err != nil {
		return err
	}
	g.Test, err = r.read(tables[1])
	return err
}

// CanOpen reports whether [Open] knows the source as a name or as a folder with N-Triples or classes.
func CanOpen(source string) bool {
	if _, known := benchmark(source); known {
		return true
	}
	return hasFile(source, isTriples) || datasets.HasFile(source, classesFile)
}

// hasGraph reports whether a folder has a file that [ReadFolder] reads.
func hasGraph(dir string) bool {
	return hasFile(dir, func(name string) bool {
		return isTriples(name) || strings.HasPrefix(name, classesFile) ||
			isLabels(name)
	})
}

func hasFile(dir string, wanted func(name string) bool) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && wanted(e.Name())
	})
}

func isTable(name, split string) bool {
	return strings.HasPrefix(name, split) && strings.HasSuffix(name, ".tsv")
}

func isTriples(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".nt")
}

var errMissing = errors.New("a file is missing")

// onlyFile returns the path of the only file whose name is wanted. what is for errors.
func onlyFile(
	dir string, entries []fs.DirEntry, what string, wanted func(name string) bool,
) (string, error) {
	var found []string
	for _, e := range entries {
		if !e.IsDir() && wanted(e.Name()) {
			found = append(found, e.Name())
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: %w: a %s", dir, errMissing, what)
	case 1:
		return filepath.Join(dir, found[0]), nil
	}
	return "", fmt.Errorf("%s: more than one %s: %s; keep one", dir, what, strings.Join(found, ", "))
}

// sortClasses renumbers the classes in alphabetical order.
func (g *Graph) sortClasses(names []string) {
	g.Classes = slices.Sorted(slices.Values(names))
	for _, labels := range [][]Label{g.Train, g.Test} {
		for i, l := range labels {
			place, _ := slices.BinarySearch(g.Classes, names[l.Class])
			labels[i].Class = int32(place)
		}
	}
}
