package datasets

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/killtest"
	"github.com/autoblm/autoblm-go/internal/require"
)

// chain returns a graph whose labels begin with a letter, so that no two graphs share a line.
func chain(letter string, triples int) *Graph {
	g := &Graph{Relations: []string{letter + "r"}, Entities: []string{letter + "0"}}
	for i := range triples {
		g.Entities = append(g.Entities, fmt.Sprint(letter, i+1))
		t := Triple{Head: int32(i), Tail: int32(i + 1)}
		split := [...]*[]Triple{&g.Train, &g.Valid, &g.Test}[i%3]
		*split = append(*split, t)
	}
	return g
}

// TestWriteFolderAllOrNothing checks that a reader never sees a mixture of two graphs.
func TestWriteFolderAllOrNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "graph")
	if err := WriteFolder(chain("a", 9), dir); err != nil {
		t.Fatal(err)
	}
	test := filepath.Join(dir, "test.txt")
	if err := os.Remove(test); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(test, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(chain("b", 9), dir); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "train.txt")); err != nil ||
		strings.Contains(string(text), "b") {
		t.Errorf("train.txt is %q (%v), although the graph could not be written", text, err)
	}
}

// TestWriteFolderRemovesOldFiles checks that a graph without weights and types does not get those of
// the graph that it replaces.
func TestWriteFolderRemovesOldFiles(t *testing.T) {
	old := chain("a", 9)
	old.Weights = []float32{3, 2, 1}
	old.Types = NewTypes(len(old.Entities), []string{"T"}, []EntityType{{Entity: 1}})
	dir := t.TempDir()
	if err := WriteFolder(old, dir); err != nil {
		t.Fatal(err)
	}
	compressed := filepath.Join(dir, weightsFile+".gz")
	if err := os.WriteFile(compressed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(chain("b", 9), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{weightsFile, TypesFile} {
		if HasFile(dir, name) {
			t.Errorf("%s of the old graph is left", name)
		}
	}
	if g, err := ReadFolder(dir); err != nil || g.Weights != nil {
		t.Errorf("%v, %v", g, err)
	}
}

// TestFilesOf checks which files belong to a graph, and that folder names are no glob patterns.
func TestFilesOf(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"my[graph]", "a*"} {
		if found, err := FilesOf(dir); err != nil || found != nil {
			t.Errorf("%s: %q, %v before there is one", dir, found, err)
		}
	}
	for _, dir := range []string{"my[graph]", "ab"} {
		if err := WriteFolder(chain("a", 3), dir); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := FilesOf("my[graph]"); err != nil ||
		!slices.Equal(found, []string{
			filepath.Join("my[graph]", "test.txt"), filepath.Join("my[graph]", "train.txt"),
			filepath.Join("my[graph]", "valid.txt"),
		}) {
		t.Errorf("my[graph]: %q, %v", found, err)
	}
	if found, err := FilesOf("a*"); err != nil || found != nil {
		t.Errorf("a*, which is not ab: %q, %v", found, err)
	}
	parts := []string{"dev.tsv.gz", "dev.txt", "entity2type.txt", "test_negatives.txt", "valid2id.txt.gz",
		"weights.txt.gz"}
	for _, name := range append(parts, "facts.csv", "dev2id.txt", "testing.md") {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	if found, err := FilesOf("."); err != nil || !slices.Equal(found, parts) {
		t.Errorf("found %q, %v, want %q", found, err, parts)
	}
}

// TestKilledWriting checks that a killed writer leaves the old folder, the new one, or none that is
// a data set, and that the next writer removes temporary files.
func TestKilledWriting(t *testing.T) {
	graphs := map[byte]*Graph{'a': chain("a", 3000), 'b': chain("b", 2000)}
	write := func(folder string) error {
		for _, g := range graphs {
			if err := os.RemoveAll(filepath.Join(folder, "new")); err != nil {
				return err
			}
			for _, dir := range []string{"new", "replaced"} {
				if err := WriteFolder(g, filepath.Join(folder, dir)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	whole, not, left := 0, 0, 0
	killtest.Run(t, 30, write, func(folder string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			dir := filepath.Join(folder, entry.Name())
			if entry.Name()[0] == '.' {
				left++
			}
			if _, err := ReadFolder(dir); err != nil {
				if not++; !strings.Contains(err.Error(), "no training triples") {
					t.Errorf("half a data set: %v", err)
				}
				continue
			}
			whole++
			train, err := os.ReadFile(filepath.Join(dir, "train.txt"))
			if err != nil {
				t.Fatal(err)
			}
			g := graphs[train[0]]
			for name, triples := range map[string][]Triple{"train": g.Train, "valid": g.Valid,
				"test": g.Test} {
				var want bytes.Buffer
				if err := g.writeSplit(&want, triples); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(filepath.Join(dir, name+".txt")); err != nil ||
					!bytes.Equal(got, want.Bytes()) {
					t.Errorf("%s: %s.txt is not what goes with its train.txt: %d bytes, %v", entry.Name(), name,
						len(got), err)
				}
			}
		}
		if len(entries) > 3 {
			t.Errorf("leftovers stay: %v", entries)
		}
	})
	if whole == 0 {
		t.Errorf("no whole folder among %d proves little", not)
	}
	t.Logf("%d whole folders, %d others, %d left unfinished", whole, not, left)
}
