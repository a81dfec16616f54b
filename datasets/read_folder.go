package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// ErrNotFolder marks a file where a folder of files is expected.
var ErrNotFolder = errors.New("a file, not a folder")

// ReadFolder reads a data set from a folder in one of three forms, every text file
// plain or with .gz:
//
//   - train, valid and test as .txt or .tsv with head<TAB>relation<TAB>tail on
//     each line; ids follow the first appearance in train, valid, test;
//   - OpenKE: entity2id.txt, relation2id.txt, train2id.txt, valid2id.txt and
//     test2id.txt, each a count and then its lines (head, tail, relation);
//   - ogbl-biokg and ogbl-wikikg2 of OGB: train.pt, valid.pt and test.pt in split/random or
//     split/time, and labels in mapping if it exists; see [Graph.Negatives].
//
// As in data for triple classification, lines may have a fourth field: 1 for a true triple, and in
// valid and test -1 for a false one. valid_neg.txt and test_neg.txt may have false triples too, which
// CoDEx calls valid_negatives.txt; see [Graph.FalseTriples]. dev is another name of valid.
//
// weights.txt may have the weight of each training triple in the loss, one on each line, and
// entity2type.txt types of entities as entity<TAB>type. Facts of rdf:type declare types too.
//
// If a split exists several times, .txt comes before .tsv and plain before .gz. Valid and
// test may be missing or empty. Their triples with an entity or relation that train lacks
// are kept; see [Describe] and [Graph.Warnings].
//
// A large graph in the first form is kept in the cache of the user, and read from there as long as
// its files have the same content. AUTOBLM_NO_CACHE turns that off.
//
// ReadFolder refuses files that are not regular, and a .gz that unpacks to more than 16 GiB,
// or to more than both 16 MiB and a hundred times its size. An error names the file, the
// line and the fix.
func ReadFolder(dir string) (*Graph, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, inputfile.NotExist("%s: no such folder", dir)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is %w", dir, ErrNotFolder)
	}
	read := func() (*Graph, error) { return readGraph(dir, inFolder(dir)) }
	if !hasText(dir) && ogbSplit(dir) != "" {
		read = func() (*Graph, error) { return readOGB(dir) }
	}
	g, err := readCached(dir, read)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	g.Name, g.Folder = filepath.Base(absolute), absolute
	return g, g.readMore(inFolder(dir))
}

// ReadFS reads a data set like [ReadFolder] from the root of a file system, such as one of package
// embed. The graph has the name, and errors begin with it.
func ReadFS(fsys fs.FS, name string) (*Graph, error) {
	open := func(file string) (*textfile.File, error) {
		return textfile.OpenFS(fsys, file, path.Join(name, file))
	}
	g, err := readGraph(name, open)
	if err != nil {
		return nil, err
	}
	g.Name = name
	return g, g.readMore(open)
}

// readMore reads the false triples and the types of a graph.
func (g *Graph) readMore(open opener) error {
	if err := g.readFalse(open); err != nil {
		return err
	}
	return g.declareTypes(open)
}

// readGraph reads a data set in one of its two forms. Errors name the folder.
func readGraph(dir string, open opener) (*Graph, error) {
	g, err := readTabGraph(func(split string) (*textfile.File, error) {
		return open.first(tabFiles(split)...)
	})
	if errors.Is(err, errNoTrain) {
		g, err = readOpenKE(dir, open)
	}
	if errors.Is(err, errNoTrain) {
		if text, missing := open("train.csv"); missing == nil {
			text.Source.Close()
			err = fmt.Errorf("%w; train.csv exists: replace its commas by tabs and rename it to train.tsv",
				err)
		}
		return nil, NoGraph(dir, fmt.Errorf("%s: %w", dir, err))
	}
	if err != nil {
		return nil, err
	}
	if len(g.Train) == 0 {
		return nil, fmt.Errorf("%s: the training file has no triples; "+
			"add at least one head<TAB>relation<TAB>tail", dir)
	}
	g.Weights, err = readWeights(open, len(g.Train))
	return g, err
}

// tabFiles returns the names of the file of a split, the first that exists before others.
func tabFiles(split string) []string {
	names := []string{split + ".txt", split + ".tsv"}
	if split == "valid" {
		names = append(names, "dev.txt", "dev.tsv")
	}
	return names
}

// errNoTrain means that a folder has no training file.
var errNoTrain = errors.New("no training triples: train.txt, train.tsv " +
	"(head<TAB>relation<TAB>tail), OpenKE's train2id.txt or OGB's train.pt is missing")

// readSplits reads train, valid and test with readSplit. Only train must exist.
func readSplits(g *Graph, readSplit func(split string) ([]Triple, error)) error {
	for _, split := range []struct {
		name    string
		triples *[]Triple
	}{{"train", &g.Train}, {"valid", &g.Valid}, {"test", &g.Test}} {
		triples, err := readSplit(split.name)
		missing := errors.Is(err, fs.ErrNotExist)
		if missing && split.name == "train" {
			return errNoTrain
		}
		if err != nil && !missing {
			return err
		}
		*split.triples = triples
	}
	return nil
}
