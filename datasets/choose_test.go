package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPathBeforeName checks that a folder with data takes precedence over a name, with a warning
// if both exist, and that a folder without data does not.
func TestPathBeforeName(t *testing.T) {
	data, _ := useFolders(t)
	t.Chdir(t.TempDir())
	putSplit(t, filepath.Join(data, "umls"), "train", "by\tits\tname\n")
	for _, c := range []struct {
		what, name, relation string
		says                 []string // nil where nothing is to be said
		put                  func()
	}{
		{"a name alone", "umls", "its", nil, func() {}},
		{"a folder without data", "umls", "its", []string{"read from " + data, "no such data"}, func() {
			os.Mkdir("umls", 0o755)
		}},
		{"a file", "umls", "its", []string{"read from " + data, "no such data"}, func() {
			os.Remove("umls")
			os.WriteFile("umls", []byte("x"), 0o644)
		}},
		{"both", "umls", "a", []string{"is the folder ", "not " + filepath.Join(data, "umls")}, func() {
			os.Remove("umls")
			putSplit(t, "umls", "train", "at\ta\tpath\n")
		}},
		{"only a path", "./umls", "a", nil, func() {}},
		{"the embedded graph", "world", "borders", nil, func() {}},
		{"a folder in its place", "world", "a", []string{"is the folder ", "not the embedded graph"},
			func() {
				putSplit(t, "world", "train", "at\ta\tpath\n")
			}},
		{"the same folder", "umls", "its", nil, func() { t.Chdir(data) }},
	} {
		c.put()
		g, err := Open(c.name)
		if err != nil || !slices.Contains(g.Relations, c.relation) {
			t.Fatalf("%s: %+v, %v; want the relation %s", c.what, g, err, c.relation)
		}
		warnings := strings.Join(g.Warnings(), "; ")
		if (warnings == "") != (c.says == nil) {
			t.Errorf("%s: warnings %q", c.what, warnings)
		}
		for _, text := range c.says {
			if !strings.Contains(warnings, text) {
				t.Errorf("%s: warnings %q, want %q", c.what, warnings, text)
			}
		}
	}
}

// TestHasGraph checks every format that ReadFolder reads.
func TestHasGraph(t *testing.T) {
	for _, dir := range []string{"biokg", "wikikg2"} {
		if dir = filepath.Join(ogbFolders, dir); !HasGraph(dir) {
			t.Errorf("%s has a graph of OGB", dir)
		}
	}
	for file, want := range map[string]bool{
		"train.txt": true, "test.tsv.gz": true, "valid2id.txt": true, "dev.txt": true,
		"dev.tsv": true, "weights.txt": false, "dev2id.txt": false, "train.pt": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if HasGraph(dir) != want {
			t.Errorf("a folder with %s: %v, want %v", file, !want, want)
		}
	}
}

// TestFolderWithoutTrain checks that an incomplete folder takes precedence over a name too.
func TestFolderWithoutTrain(t *testing.T) {
	data, _ := useFolders(t)
	t.Chdir(t.TempDir())
	putSplit(t, filepath.Join(data, "umls"), "train", "by\tits\tname\n")
	putSplit(t, "umls", "valid", "at\ta\tpath\n")
	_, err := Open("umls")
	checkError(t, err, "no training triples")
}

// TestChooseLooksInItsOrder checks the search order for another kind of data: the path, then the
// folders of names. A name that can only be a path has none.
func TestChooseLooksInItsOrder(t *testing.T) {
	data, cache := useFolders(t)
	t.Chdir(t.TempDir())
	choose := func(name string) string {
		return Choose(name, Folders(name), func(dir string) bool {
			return HasFile(dir, "things.txt")
		}).Folder
	}
	put := func(dir string) { putSplit(t, dir, "things", "") }
	for _, want := range []string{"", filepath.Join(cache, "mine"), filepath.Join(data, "mine"),
		"mine"} {
		if want != "" {
			put(want)
		}
		if got := choose("mine"); got != want {
			t.Errorf("found in %q, want %q", got, want)
		}
	}
	put(data)
	put(filepath.Join(data, "other"))
	for name, want := range map[string]string{"./mine": "./mine", "./other": "",
		"other": filepath.Join(data, "other"), "": "", ".": "", "..": "",
		filepath.Join(data, "other"): filepath.Join(data, "other")} {
		if got := choose(name); got != want {
			t.Errorf("%q is found in %q, want %q", name, got, want)
		}
	}
}

// TestKeptSourceIsAName checks that a stored name stays a name, whatever the working directory
// contains.
func TestKeptSourceIsAName(t *testing.T) {
	data, cache := useFolders(t)
	t.Chdir(t.TempDir())
	putSplit(t, "umls", "train", "at\ta\tpath\n")
	putSplit(t, filepath.Join(data, "queries"), "train-1p", "")
	if err := os.Mkdir(filepath.Join(data, "umls"), 0o755); err != nil { // with nothing in it
		t.Fatal(err)
	}
	putSplit(t, filepath.Join(cache, "umls"), "train", "by\tits\tname\n")
	for source, want := range map[string]string{
		"umls": filepath.Join(cache, "umls"), "queries": filepath.Join(data, "queries"),
		"/some/where": "/some/where", "world": "world", "": "", "nowhere": "nowhere",
	} {
		if got := SourceFolder(source); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
	if g, err := Open(SourceFolder("umls")); err != nil || g.Relations[0] != "its" ||
		g.Name != "umls" || len(g.Warnings()) > 0 {
		t.Errorf("%+v, %v", g, err)
	}
}
