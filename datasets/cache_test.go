package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// useCache lets small graphs be cached, and returns the folder of the cache.
func useCache(t testing.TB) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(noCacheVariable, "")
	smallest, largest := minCached, maxCache
	t.Cleanup(func() { minCached, maxCache = smallest, largest })
	minCached = 1
	return cacheFolder("graphs")
}

// cachedFiles returns the files of the cache.
func cachedFiles(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// splitsToCache returns splits with leakage, duplicates, labels that look alike and labels that
// train lacks.
func splitsToCache() map[string]string {
	return map[string]string{
		"train.txt": "a\tr\tb\na\tr\tb\nb\ts\ta\nc\u00A0\tr\td\nd\ts\tc\u00A0\nc\tr\te\ne\tq\tc\n",
		"valid.tsv": "a\tr\tb\nx\tr\ty\n",
		"test.txt":  "e\ts\tc\n",
	}
}

// seen is all that a graph says of itself.
type seen struct {
	Name, Folder, Fingerprint string
	Entities, Relations       []string
	Splits                    [3][]Triple
	Warnings                  []string
	Statistics                Statistics
	OfRelations               []RelationStatistics
	Types                     *Types
	Negatives                 [][]int32
}

func see(t testing.TB, dir string) (s seen, isCached bool) {
	t.Helper()
	g, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, err := g.Negatives("test")
	if err != nil {
		t.Fatal(err)
	}
	var negatives [][]int32
	if n != nil {
		defer n.Close()
		for i := range g.Test {
			heads, tails, err := n.Of(i)
			if err != nil {
				t.Fatal(err)
			}
			negatives = append(negatives, heads, tails)
		}
	}
	return seen{
		g.Name, g.Folder, g.Fingerprint(), g.Entities, g.Relations, g.splits(),
		g.Warnings("valid", "test"), Describe(g), DescribeRelations(g, 0), g.Types, negatives,
	}, g.cache != nil && g.cache.facts != nil
}

// sameGraphs compares two [seen] graphs.
var sameGraphs = cmp.AllowUnexported(Types{})

// TestCacheOfOGB checks that a folder of OGB says the same from the cache, also in another place, and
// is read again if its triples or labels change, but not if its negatives do.
func TestCacheOfOGB(t *testing.T) {
	for _, layout := range []string{"biokg", "wikikg2"} {
		folder := useCache(t)
		dir := copyOGB(t, layout, nil)
		want, isCached := see(t, dir)
		if isCached || len(want.Negatives) == 0 || len(cachedFiles(t, folder)) != 1 {
			t.Fatalf("%s: first from the cache %v, %d negatives", layout, isCached, len(want.Negatives))
		}
		moved := copyOGB(t, layout, nil)
		got, isCached := see(t, moved)
		want.Folder = moved
		if diff := cmp.Diff(want, got, sameGraphs); diff != "" || !isCached {
			t.Errorf("%s: from the cache %v (-want +got)\n%s", layout, isCached, diff)
		}
		split := ogbSplit(dir)
		for _, name := range []string{"train.pt", "valid.pt"} { // a training split has no negatives
			content, err := os.ReadFile(filepath.Join(ogbSplit(moved), "test.pt"))
			if err == nil {
				err = os.WriteFile(filepath.Join(split, name), content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, isCached := see(t, dir); isCached {
				t.Errorf("%s: %s changed, and the graph is from the cache", layout, name)
			}
			dir = copyOGB(t, layout, nil)
			split = ogbSplit(dir)
		}
		for _, changed := range []map[string]string{
			{"mapping/relidx2relname.csv": "rel idx,rel name\n0,other\n"},
			{"mapping/reltype2relid.csv": "reltype,rel id\n0,other\n"},
		} {
			labels, isCached := see(t, copyOGB(t, layout, changed))
			if isCached {
				t.Errorf("%s: after %v the labels %q are from the cache", layout, changed, labels.Relations)
			}
		}
	}
}

// TestCache checks that a graph from the cache says the same as one from its files.
func TestCache(t *testing.T) {
	folder := useCache(t)
	dir := writeFiles(t, splitsToCache())
	t.Setenv(noCacheVariable, "1")
	want, _ := see(t, dir)
	if len(want.Warnings) < 3 || len(cachedFiles(t, folder)) != 0 {
		t.Fatalf("without a cache there are %d warnings and files %v", len(want.Warnings),
			cachedFiles(t, folder))
	}
	t.Setenv(noCacheVariable, "")
	for i, expectCached := range []bool{false, true} {
		got, isCached := see(t, dir)
		if diff := cmp.Diff(want, got, sameGraphs); diff != "" || isCached != expectCached {
			t.Errorf("time %d: from the cache %v (-want +got)\n%s", i+1, isCached, diff)
		}
	}
	if files := cachedFiles(t, folder); len(files) != 1 {
		t.Errorf("the cache has %v", files)
	}
}

// TestCacheNoticesChanges checks that a split with another content is read, also with the size and
// the time of the one before.
func TestCacheNoticesChanges(t *testing.T) {
	useCache(t)
	files := splitsToCache()
	dir := writeFiles(t, files)
	see(t, dir)
	for split, content := range files {
		path := filepath.Join(dir, split)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(content, "e\t", "f\t", 1)
		if changed == content {
			changed = strings.Replace(content, "x\t", "f\t", 1)
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		got, isCached := see(t, dir)
		if isCached || !slices.Contains(got.Entities, "f") {
			t.Errorf("%s: from the cache %v, entities %v", split, isCached, got.Entities)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, isCached := see(t, dir); !isCached {
		t.Error("with the first content again, the graph is not from the cache")
	}
	if err := os.Remove(filepath.Join(dir, "test.txt")); err != nil {
		t.Fatal(err)
	}
	if got, _ := see(t, dir); got.Splits[2] != nil {
		t.Errorf("without a test split there is %v", got.Splits[2])
	}
}

// TestCacheOfAChangedGraph checks that a program that changes a graph gets the warnings of that.
func TestCacheOfAChangedGraph(t *testing.T) {
	useCache(t)
	dir := writeFiles(t, splitsToCache())
	before, _ := see(t, dir)
	g, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	g.Weights = make([]float32, len(g.Train))
	if g.Fingerprint() == before.Fingerprint {
		t.Error("with weights the graph has the fingerprint of its files")
	}
	g.Weights, g.Train = nil, g.Train[:1]
	if g.Fingerprint() == before.Fingerprint || Describe(g).Train.Duplicates != 0 {
		t.Errorf("the graph is that of its files: %+v", Describe(g))
	}
}

// TestCacheOfAGraphChangedInPlace checks that a program that changes the elements of a graph does not
// change what the next reading of its files gives.
func TestCacheOfAGraphChangedInPlace(t *testing.T) {
	folder := useCache(t)
	dir := writeFiles(t, splitsToCache())
	for _, change := range []func(g *Graph){
		func(g *Graph) { g.Train[0].Tail = 2 }, func(g *Graph) { g.Entities[0] = "changed" },
	} {
		g, err := ReadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		change(g)
		if g.Warnings(); len(cachedFiles(t, folder)) != 0 {
			t.Error("a changed graph is in the cache")
		}
	}
}

// TestDamagedCache checks that a damaged file is not used, and replaced.
func TestDamagedCache(t *testing.T) {
	folder := useCache(t)
	dir := writeFiles(t, splitsToCache())
	want, _ := see(t, dir)
	file := cachedFiles(t, folder)[0]
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 7 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		if at%2 == 0 {
			damaged = damaged[:at]
		}
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, isCached := see(t, dir)
		if diff := cmp.Diff(want, got, sameGraphs); diff != "" || isCached {
			t.Fatalf("damage at %d: from the cache %v (-want +got)\n%s", at, isCached, diff)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, whole) {
			t.Fatalf("damage at %d: not replaced, %v", at, err)
		}
	}
}

// TestCacheWithoutRoom checks that a graph is read if the cache cannot be written.
func TestCacheWithoutRoom(t *testing.T) {
	useCache(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	see(t, writeFiles(t, splitsToCache()))
}

// TestCacheOfTitles checks that a warning with the path of a file names the path of this reading.
func TestCacheOfTitles(t *testing.T) {
	useCache(t)
	files := map[string]string{"train.txt": "head\trelation\ttail\na\tr\tb\nb\tr\tc\n"}
	for range 3 {
		dir := writeFiles(t, files)
		if s, _ := see(t, dir); !strings.Contains(strings.Join(s.Warnings, "\n"), dir) {
			t.Errorf("%q do not name %s", s.Warnings, dir)
		}
	}
}

// TestLimitCache checks that the graphs that were not used for the longest time are deleted.
func TestLimitCache(t *testing.T) {
	folder := useCache(t)
	var dirs []string
	for i := range 4 {
		dirs = append(dirs, writeFiles(t, map[string]string{
			"train.txt": fmt.Sprintf("a%d\tr\tb\nb\tr\tc\n", i),
		}))
	}
	old := time.Now().Add(-time.Hour)
	for i, dir := range dirs[:3] {
		see(t, dir)
		for _, file := range cachedFiles(t, folder) {
			if info, err := os.Stat(file); err == nil && info.ModTime().After(old.Add(time.Minute)) {
				used := old.Add(time.Duration(i) * time.Second)
				if err := os.Chtimes(file, used, used); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	see(t, dirs[0]) // now the last that was used
	info, err := os.Stat(cachedFiles(t, folder)[0])
	if err != nil {
		t.Fatal(err)
	}
	maxCache = 2*info.Size() + 10
	see(t, dirs[3])
	for i, want := range []bool{true, false, false, true} {
		if _, isCached := see(t, dirs[i]); isCached != want {
			t.Errorf("graph %d is in the cache: %v", i, isCached)
		}
		maxCache = 1 << 30
	}
}

// FuzzDecodeCached checks that any content with a right checksum gives an error or a graph whose
// warnings can be printed.
func FuzzDecodeCached(f *testing.F) {
	folder := useCache(f)
	see(f, writeFiles(f, splitsToCache()))
	whole, err := os.ReadFile(cachedFiles(f, folder)[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:len(whole)-4])
	f.Add([]byte(cacheFormat))
	f.Fuzz(func(t *testing.T, content []byte) {
		content = binary.LittleEndian.AppendUint32(content, crc32.Checksum(content, castagnoli))
		g, facts, err := decodeCached(content)
		if err != nil {
			return
		}
		g.cache = &cacheState{"", "", facts, contentSum(g), g.Entities, g.Relations, g.splits()}
		g.Warnings("valid", "test")
		Describe(g)
		DescribeRelations(g, 0)
	})
}
