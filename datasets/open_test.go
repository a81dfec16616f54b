package datasets

import (
	"errors"
	"os"
	"path/filepath"
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
	data, cache := useFolders(t)
	_, err := Open("wn18rr")
	if checkError(t, err, "AUTOBLM_DATA"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	putSplit(t, filepath.Join(data, "yago3-10"), "valid", "a\tr\tb\n")
	_, err = Open("yago3-10")
	if checkError(t, err, "train.txt"); !errors.Is(err, ErrIncomplete) {
		t.Errorf("error %v, want ErrIncomplete", err)
	}
	putSplit(t, filepath.Join(cache, "yago3-10"), "train", "a\tr\tb\n")
	if g, err := Open("yago3-10"); err != nil || len(g.Train) != 1 {
		t.Errorf("a complete folder in the cache is not used: %v", err)
	}
	putSplit(t, filepath.Join(data, "yago3-10"), "train", "a\tr\n")
	_, err = Open("yago3-10") // the cache does not replace a damaged folder
	checkError(t, err, "train.txt:1:")
}

func TestOpenFolderAndUnknownName(t *testing.T) {
	dir := writeFiles(t, map[string]string{"train.txt.gz": "a\tr\tb\n"})
	g, err := Open(dir)
	if err != nil || g.Name != "data" {
		t.Errorf("Open of a folder: %+v, %v", g, err)
	}
	t.Chdir(dir)
	if g, err = Open("."); err != nil || g.Name != "data" {
		t.Errorf("Open of the current folder: %+v, %v; want the name data", g, err)
	}
	for _, name := range []string{"wordnet", "", "no/such/folder"} {
		_, err := Open(name)
		checkError(t, err, "wn18rr")
	}
}
