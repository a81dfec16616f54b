package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/adrg/xdg"
	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// dataVariable names a folder with one folder per benchmark.
const dataVariable = "AUTOBLM_DATA"

// Open reads a data set by its path or its name:
//
//   - the path of a folder with splits of a graph comes first, see [ReadFolder];
//   - a file of facts is divided by [ReadFile];
//   - "world" is the embedded graph;
//   - a name of the [Registry] is looked for in $AUTOBLM_DATA/NAME and then in
//     the cache folder that [Fetch] writes to.
//
// If the name is also that of a folder, [Graph.Warnings] says which one was read. Open never
// downloads.
func Open(name string) (*Graph, error) {
	folders := []string{}
	if dir, found := Locate(name); found {
		folders = append(folders, dir)
	}
	at := Choose(name, folders, HasGraph)
	g, err := openAt(name, at)
	if err == nil && at.Note != "" {
		g.warnings = append([]string{at.Note}, g.warnings...)
	}
	return g, err
}

func openAt(name string, at Place) (*Graph, error) {
	_, known := benchmark(name)
	switch {
	case known && !at.IsPath:
		return openBenchmark(name, at.Folder)
	case name == worldName && !at.IsPath:
		return World(), nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		all := append([]string{worldName}, benchmarkNames()...)
		return nil, NoGraph(name, inputfile.NotExist(
			"no data set %q: it is no folder or file, and the names are %s%s",
			name, strings.Join(all, ", "), enum.DidYouMean(enum.Near(all, name))))
	}
	if err == nil && !info.IsDir() {
		return ReadFile(name)
	}
	return ReadFolder(name)
}

// NoGraphError means that a name or a folder has no graph of the wanted kind. It may have one
// of another kind.
type NoGraphError struct {
	Source string
	why    error
}

// NoGraph returns a [NoGraphError] with its reason.
func NoGraph(source string, why error) error { return &NoGraphError{source, why} }

func (e *NoGraphError) Error() string { return e.why.Error() }
func (e *NoGraphError) Unwrap() error { return e.why }

// CanOpen reports whether [Open] knows the source as a name, as a folder with training triples or
// as a file with the ending of a format.
func CanOpen(source string) bool {
	if _, known := benchmark(source); known || source == worldName {
		return true
	}
	return hasTrain(source) || isFacts(source)
}

// isFacts reports whether a source is a file with the ending of a format.
func isFacts(source string) bool {
	info, err := os.Stat(source)
	return err == nil && !info.IsDir() && facts.CanRead(source)
}

func hasTrain(dir string) bool { return hasText(dir) || ogbSplit(dir) != "" }

// hasText reports whether a folder has a training file of text.
func hasText(dir string) bool {
	return HasFile(dir, "train.txt") || HasFile(dir, "train.tsv") || HasFile(dir, "train2id.txt")
}

// Locate returns the folder from which [Open] would read a benchmark: the first
// of $AUTOBLM_DATA/NAME and the cache folder that has a training file.
func Locate(name string) (dir string, found bool) {
	if _, known := benchmark(name); !known {
		return "", false
	}
	for _, dir := range Folders(name) {
		if hasTrain(dir) {
			return dir, true
		}
	}
	return "", false
}

// Source returns the name or folder with which [Open] finds the graph again: the name of the
// embedded graph or of a benchmark in its usual folder, otherwise its folder; "" for a
// graph that was made in memory.
func (g *Graph) Source() string {
	if g.Folder == "" && g.Name == worldName {
		return g.Name
	}
	if dir, found := Locate(g.Name); found {
		if absolute, err := filepath.Abs(dir); err == nil && absolute == g.Folder {
			return g.Name // finds the benchmark even after it moves
		}
	}
	return g.Folder
}

// openBenchmark reads a benchmark from its folder, "" if there is none.
func openBenchmark(name, folder string) (*Graph, error) {
	if folder != "" {
		g, err := ReadFolder(folder)
		if err == nil {
			g.Name = name
		}
		return g, err
	}
	for _, dir := range Folders(name) {
		if _, err := os.Stat(dir); err == nil {
			return nil, fmt.Errorf("%s is %w (%s: %w)", name, ErrIncomplete, dir, errNoTrain)
		}
	}
	return nil, fmt.Errorf("%s is %w: fetch it, or set %s to the folder that contains %s",
		name, ErrNotFound, dataVariable, name)
}

// ErrNotFound and ErrIncomplete mark a benchmark that [Fetch] can download.
var (
	ErrNotFound   = errors.New("not on this machine")
	ErrIncomplete = errors.New("incomplete")
)

// reloading guards the variables of package xdg.
var reloading sync.Mutex

// cacheFolder returns a folder of the cache of the user. It reads XDG_CACHE_HOME on each call.
func cacheFolder(names ...string) string {
	reloading.Lock()
	defer reloading.Unlock()
	xdg.Reload()
	return filepath.Join(append([]string{xdg.CacheHome, "autoblm"}, names...)...)
}
