package datasets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ogbFolders has the folders that testdata/ogb/write.py wrote with PyTorch.
const ogbFolders = "testdata/ogb"

// ogbTriples returns the triples of a folder and a split, as write.py gave them to OGB's Evaluator.
func ogbTriples(t *testing.T, folder, split string) (triples []Triple) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(ogbFolders, "evaluator.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]struct{ Triples [][3]int32 }
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	for _, x := range all[folder][split].Triples {
		triples = append(triples, Triple{x[0], x[1], x[2]})
	}
	return triples
}

// TestReadOGB checks the ids, labels and types of both layouts, one in the old format of PyTorch.
func TestReadOGB(t *testing.T) {
	for folder, want := range map[string]struct {
		entities, relations []string
		types               map[string]string
		train               int
	}{
		"biokg": {
			[]string{"disease/C0001", "disease/C0002", "disease/C0003", "disease/C0001 (id 3)",
				"drug/CID0000", "drug/CID0001", "drug/CID0002", "drug/CID0003", "drug/CID0004",
				"protein/0", "protein/1", "protein/2", "protein/3", "protein/4", "protein/5"},
			[]string{"disease-protein", "drug-disease", "drug-drug", "protein-protein"},
			map[string]string{
				"disease/C0001": "disease", "drug/CID0004": "drug", "protein/0": "protein",
			}, 30,
		},
		"wikikg2": {
			[]string{"Q100", "Q101", "Q102", "Q103", "Q104", "Q105", "Q106", "Q107", "Q108", "Q109", "Q110",
				"Q111"},
			[]string{"P30", "P31", "P32"}, nil, 25,
		},
	} {
		if !CanOpen(filepath.Join(ogbFolders, folder)) {
			t.Errorf("%s is no data set", folder)
		}
		g, err := Open(filepath.Join(ogbFolders, folder))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.Entities, want.entities) || !slices.Equal(g.Relations, want.relations) ||
			len(g.Train) != want.train || g.Validate() != nil {
			t.Errorf("%s: %q, %q, %d triples", folder, g.Entities, g.Relations, len(g.Train))
		}
		if (g.Types == nil) != (want.types == nil) {
			t.Errorf("%s has the types %v", folder, g.Types)
		}
		for entity, label := range want.types {
			if got := typesOf(g, entity); !slices.Equal(got, []string{label}) {
				t.Errorf("%s has the types %q", entity, got)
			}
		}
		for split, triples := range map[string][]Triple{"valid": g.Valid, "test": g.Test} {
			if want := ogbTriples(t, folder, split); !slices.Equal(triples, want) {
				t.Errorf("%s %s: %v, want %v", folder, split, triples, want)
			}
		}
	}
}

// TestNegatives checks that negatives have the types of the ends that they replace, in any order.
func TestNegatives(t *testing.T) {
	for _, folder := range []string{"biokg", "wikikg2"} {
		g, err := ReadFolder(filepath.Join(ogbFolders, folder))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := g.Negatives("train"); n != nil || err != nil {
			t.Errorf("train has negatives: %v", err)
		}
		n, err := g.Negatives("test")
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for _, i := range []int{3, 0, 4, 1, 2} {
			heads, tails, err := n.Of(i)
			if err != nil || len(heads) != 5 || len(tails) != 5 {
				t.Fatalf("%s %d: %v, %v, %v", folder, i, heads, tails, err)
			}
			for _, side := range []struct {
				truth     int32
				negatives []int32
			}{{g.Test[i].Head, heads}, {g.Test[i].Tail, tails}} {
				for _, e := range side.negatives {
					if !slices.Equal(g.Types.Of(e), g.Types.Of(side.truth)) {
						t.Errorf("%s: %s replaces %s", folder, g.Entities[e], g.Entities[side.truth])
					}
				}
			}
		}
	}
	if n, err := World().Negatives("test"); n != nil || err != nil || World().HasNegatives() {
		t.Errorf("world: %v, %v", n, err)
	}
}

// copyOGB copies a folder of testdata and replaces files in it.
func copyOGB(t testing.TB, folder string, replaced map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(ogbFolders, folder))); err != nil {
		t.Fatal(err)
	}
	for name, content := range replaced {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOGBWithoutNames checks labels without mappings, and errors of damaged files.
func TestOGBWithoutNames(t *testing.T) {
	for folder, want := range map[string][2]string{"biokg": {"disease/0", "0"}, "wikikg2": {"0", "0"}} {
		dir := copyOGB(t, folder, nil)
		if err := os.RemoveAll(filepath.Join(dir, "mapping")); err != nil {
			t.Fatal(err)
		}
		g, err := ReadFolder(dir)
		if err != nil || g.Entities[0] != want[0] || g.Relations[0] != want[1] {
			t.Errorf("%s: %v, %v", folder, g, err)
		}
	}
	for name, x := range map[string]struct{ content, want string }{
		"split/time/valid.pt":           {"PK\x03\x04", "valid.pt: the file is not complete"},
		"mapping/reltype2relid.csv":     {"reltype,rel id\n5000000,P1\n", "expected an id and a name"},
		"mapping/nodeidx2entityid.csv":  {"node idx,entity id\n0\n", "entityid.csv:2: expected an id"},
		"raw/num-node-list.csv":         {"many\n", "is not a number of entities"},
		"raw/num-node-dict.csv":         {"a,b\n1\n", "expected a line of types"},
		"raw/../raw/num-node-dict.csv":  {"a\n4\n", "only some splits have the types"},
		"raw/./num-node-list.csv":       {"2000000000\n", "too many"},
		"split/random/../time/train.pt": {"", "too short"},
	} {
		_, err := ReadFolder(copyOGB(t, "wikikg2", map[string]string{name: x.content}))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}
}

// FuzzReadOGB reads damaged files of a split and of labels.
func FuzzReadOGB(f *testing.F) {
	for _, folder := range []string{"biokg/split/random", "wikikg2/split/time"} {
		content, err := os.ReadFile(filepath.Join(ogbFolders, folder, "valid.pt"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, "rel idx,rel name\n0,a\n1,\"b\"\n")
	}
	f.Fuzz(func(t *testing.T, content []byte, names string) {
		dir := copyOGB(t, "biokg", map[string]string{
			"split/random/valid.pt": string(content), "mapping/relidx2relname.csv": names,
			"mapping/drug_entidx2name.csv": names,
		})
		g, err := ReadFolder(dir)
		if err != nil {
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		n, err := g.Negatives("valid")
		if n == nil || err != nil {
			return
		}
		defer n.Close()
		for i := range g.Valid {
			heads, tails, err := n.Of(i)
			for _, id := range slices.Concat(heads, tails) {
				if err == nil && (id < 0 || int(id) >= len(g.Entities)) {
					t.Fatalf("negative %d of %d entities", id, len(g.Entities))
				}
			}
		}
	})
}
