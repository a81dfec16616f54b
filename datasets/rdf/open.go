package rdf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Open reads a graph by its path or its name. The path of a folder with such data comes
// first, see [ReadFolder]. A name of the [Registry] is searched in $AUTOBLM_DATA/NAME and
// then in the cache. If the name is also that of a folder, [Graph.Warnings] says which one
// was read.
func Open(name string, o Options) (*Graph, error) {
	b, known := benchmark(name)
	var folders []string
	if known {
		folders = datasets.Folders(name)
	}
	at := datasets.Choose(name, folders, hasGraph)
	g, err := openAt(name, o, b, at)
	if err == nil {
		g.Note = at.Note
	}
	return g, err
}

func openAt(name string, o Options, b Benchmark, at datasets.Place) (*Graph, error) {
	if b.Name == "" || at.IsPath {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			all := benchmarkNames()
			return nil, datasets.NoGraph(name, fmt.Errorf(
				"no data set %q with classes: it is no folder, and the names are %s%s",
				name, strings.Join(all, ", "), enum.DidYouMean(enum.Near(all, name))))
		}
		return ReadFolder(name, o)
	}
	folders := datasets.Folders(name)
	for _, dir := range folders {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		g, err := ReadFolder(dir, o)
		if errors.Is(err, errMissing) {
			return nil, fmt.Errorf("%s is incomplete: %w; %s has all of it", name, err, b.Address)
		}
		if err != nil {
			return nil, err
		}
		g.Name = name
		return g, nil
	}
	return nil, fmt.Errorf("%s is not on this machine: unpack %s into %s, "+
		"or set AUTOBLM_DATA to the folder that contains %s",
		name, b.Address, folders[len(folders)-1], name)
}
