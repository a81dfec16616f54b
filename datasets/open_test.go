package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// useFolders points AUTOBLM_DATA and the cache at new folders.
func useFolders(t *testing.T) (data, cache string) {
	data, cache = t.TempDir(), t.TempDir()
	t.Setenv(dataVariable, data)
	t.Setenv("XDG_CACHE_HOME", cache)
	return data, filepath.Join(cache, "autoblm", "datasets")
}

func putSplit(t *testing.T, dir, split, content string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, split+".txt"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenLooksInTheDataFolderFirst(t *testing.T) {
	data, cache := useFolders(t)
	if dir, found := Locate("umls"); found {
		t.Fatalf("located in %s although it is nowhere", dir)
	}
	putSplit(t, filepath.Join(cache, "umls"), "train", "from\tthe\tcache\n")
	g, err := Open("umls")
	if err != nil || g.Relations[0] != "the" || g.Entities[1] != "cache" || g.Name != "umls" {
		t.Fatalf("with the cache alone: %+v, %v", g, err)
	}
	putSplit(t, filepath.Join(data, "umls"), "train", "from\tthe\tdata\n")
	if g, err = Open("umls"); err != nil || g.Entities[1] != "data" {
		t.Fatalf("with both: %+v, %v; want the data folder's", g, err)
	}
	if dir, found := Locate("umls"); !found || dir != filepath.Join(data, "umls") {
		t.Errorf("located in %q, want the data folder", dir)
	}
}

func TestOpenMissingBenchmark(t *testing.T) {
	useFolders(t)
	_, err := Open("wn18rr")
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "AUTOBLM_DATA") {
		t.Errorf("error %v: want one that names AUTOBLM_DATA", err)
	}
}

func TestOpenIncompleteBenchmark(t *testing.T) {
	data, cache := useFolders(t)
	putSplit(t, filepath.Join(data, "yago3-10"), "valid", "a\tr\tb\n")
	_, err := Open("yago3-10")
	if err == nil || !strings.Contains(err.Error(), "train.txt") ||
		!errors.Is(err, ErrIncomplete) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v: want one line that says what is missing", err)
	}
	putSplit(t, filepath.Join(cache, "yago3-10"), "train", "a\tr\tb\n")
	if g, err := Open("yago3-10"); err != nil || len(g.Train) != 1 {
		t.Errorf("a complete folder in the cache is not used: %v", err)
	}
}

func TestOpenDamagedBenchmarkIsNotReplacedByTheCache(t *testing.T) {
	data, cache := useFolders(t)
	putSplit(t, filepath.Join(data, "umls"), "train", "a\tr\n")
	putSplit(t, filepath.Join(cache, "umls"), "train", "a\tr\tb\n")
	if _, err := Open("umls"); err == nil || !strings.Contains(err.Error(), "train.txt:1:") {
		t.Errorf("error %v: want the malformed line of the data folder", err)
	}
}

func TestOpenFolderAndUnknownName(t *testing.T) {
	dir := writeFiles(t, map[string]string{"train.txt": "a\tr\tb\n"})
	g, err := Open(dir)
	if err != nil || g.Name != "data" {
		t.Errorf("Open of a folder: %+v, %v", g, err)
	}
	t.Chdir(dir)
	if g, err = Open("."); err != nil || g.Name != "data" {
		t.Errorf("Open of the current folder: %+v, %v; want the name data", g, err)
	}
	for _, name := range []string{"wordnet", "", "no/such/folder"} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "wn18rr") {
			t.Errorf("Open(%q): error %v, want one that lists the names", name, err)
		}
	}
}
