package datasets

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"golang.org/x/sync/errgroup"
)

// The cache keeps large graphs in a form that is read ten times as fast. The name of a file is a
// digest of the content of the splits, so a changed split has another file, whatever its size and
// time. A checksum finds damage. Failures of the cache are no errors: the graph is read as usual.

// noCacheVariable turns the cache off if it is not empty.
const noCacheVariable = "AUTOBLM_NO_CACHE"

// Limits of the cache, in bytes. A graph is cached from minCached on, the size of its files, as
// smaller ones are read in less than .3 s.
var minCached, maxCache int64 = 32 << 20, 4 << 30

// cacheState connects a graph with its file in the cache.
type cacheState struct {
	folder, key string
	facts       *cachedFacts // nil if the graph was not in the cache
	sum         uint32       // of the content as read, if it was not
	// The content of the graph when it was read.
	entities, relations []string
	splits              [3][]Triple
}

// cachedFacts holds what is computed from a graph for its warnings and its identity.
type cachedFacts struct {
	Fingerprint  string
	LookAlikes   [2]string // of entities and relations
	Implications implications
	OGB          *ogbFolder `json:",omitempty"`
}

// readCached returns the graph of a folder from the cache, or else with read.
func readCached(folder string, read func() (*Graph, error)) (*Graph, error) {
	key, sum := cacheKey(folder), uint32(0)
	if key == "" {
		return read()
	}
	g, facts, err := loadCached(cachedFile(key), folder)
	if err != nil {
		// Warnings of the reader name the path, which is not part of the key. False triples are not
		// part of a file in the cache.
		if g, err = read(); err != nil || len(g.warnings) > 0 || g.falses != nil {
			return g, err
		}
		sum = contentSum(g)
	}
	g.cache = &cacheState{folder, key, facts, sum, g.Entities, g.Relations, g.splits()}
	return g, nil
}

func cachedFile(key string) string { return filepath.Join(cacheFolder("graphs"), key) }

func loadCached(file, folder string) (*Graph, *cachedFacts, error) {
	content, unmap, err := mapped.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer unmap() // the graph has copies
	now := time.Now()
	_ = os.Chtimes(file, now, now) // the file used last is deleted last
	g, facts, err := decodeCached(content)
	if err == nil && facts.OGB != nil {
		g.setOGB(folder, *facts.OGB)
	}
	return g, facts, err
}

// known returns the facts of the cache; nil without them, or if the graph is no longer as read.
func (c *cacheState) known(g *Graph) *cachedFacts {
	if c == nil || !c.isCurrent(g) {
		return nil
	}
	return c.facts
}

// isCurrent reports whether the graph has the slices that were read. It was read without weights.
func (c *cacheState) isCurrent(g *Graph) bool {
	is := areSame(c.entities, g.Entities) && areSame(c.relations, g.Relations) && g.Weights == nil
	for i, triples := range g.splits() {
		is = is && areSame(c.splits[i], triples)
	}
	return is
}

// areSame reports whether two slices are the same memory.
func areSame[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// store writes a graph into the cache, unless it is there, or the graph or its files have changed.
func (c *cacheState) store(g *Graph, i *implications) {
	if c == nil || c.facts != nil || !c.isCurrent(g) || contentSum(g) != c.sum ||
		cacheKey(c.folder) != c.key {
		return
	}
	facts := cachedFacts{
		g.Fingerprint(),
		[2]string{
			LookAlikes("entity", g.Entities, NormalLabel),
			LookAlikes("relation", g.Relations, NormalLabel),
		},
		*i,
		g.ogb,
	}
	folder := cacheFolder("graphs")
	if os.MkdirAll(folder, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return
	}
	err = encodeCached(temporary, g, facts)
	if failed := temporary.Close(); err == nil {
		err = failed
	}
	if err == nil { // without a flush to disk: a checksum finds what a power failure leaves
		err = os.Rename(temporary.Name(), cachedFile(c.key))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	limitCache(folder)
}

// limitCache deletes the oldest files above the limit on their size.
func limitCache(folder string) {
	entries, _ := os.ReadDir(folder)
	var files []os.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	size := int64(0)
	for _, info := range files {
		if size += info.Size(); size > maxCache {
			_ = os.Remove(filepath.Join(folder, info.Name()))
		}
	}
}

// cacheKey returns the name in the cache of the graph in a folder, or "" if it is not to be cached:
// if it is small, has weights, or is in OpenKE's form.
func cacheKey(folder string) string {
	if os.Getenv(noCacheVariable) != "" || HasFile(folder, weightsFile) {
		return ""
	}
	size, digest := textSize, digestText
	if !hasText(folder) && ogbSplit(folder) != "" {
		size, digest = ogbSize, digestOGB
	}
	key := sha256.New()
	fmt.Fprint(key, cacheFormat)
	if size(folder) < minCached || digest(key, folder) != nil {
		return ""
	}
	return hex.EncodeToString(key.Sum(nil))
}

// textSize returns the size of the splits of labels in a folder, 0 without train.
func textSize(folder string) (total int64) {
	for _, split := range splitNames {
		source, size := splitFile(folder, split)
		if source == "" && split == splitNames[0] {
			return 0
		}
		total += size
	}
	return total
}

// digestText digests the content of the splits of labels in a folder.
func digestText(key io.Writer, folder string) error {
	for _, split := range splitNames {
		source, _ := splitFile(folder, split)
		digest := ""
		if source != "" {
			var err error
			if digest, err = digestOf(source); err != nil {
				return err
			}
		}
		fmt.Fprintln(key, filepath.Ext(source), digest)
	}
	return nil
}

// splitFile returns the file from which a split of labels is read, and its size.
func splitFile(folder, split string) (path string, size int64) {
	for _, name := range tabFiles(split) {
		for _, file := range []string{name, name + ".gz"} {
			path := filepath.Join(folder, file)
			if info, err := os.Stat(path); err == nil {
				return path, info.Size()
			}
		}
	}
	return "", 0
}

// digestOf returns a digest of the content of a file, whose pieces are digested in parallel.
func digestOf(path string) (string, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	const size = 4 << 20
	digests := make([][sha256.Size]byte, (info.Size()+size-1)/size)
	var pieces errgroup.Group
	pieces.SetLimit(runtime.GOMAXPROCS(0))
	for i := range digests {
		pieces.Go(func() error {
			piece := make([]byte, min(size, info.Size()-int64(i)*size))
			_, err := file.ReadAt(piece, int64(i)*size)
			digests[i] = sha256.Sum256(piece)
			return err
		})
	}
	if err := pieces.Wait(); err != nil {
		return "", err
	}
	all := sha256.New()
	fmt.Fprintln(all, info.Size())
	for _, digest := range digests {
		all.Write(digest[:])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
