package modelfolder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/killtest"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/require"
)

type described struct {
	Letter string `json:"letter"`
}

func model(t *testing.T, letter string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"entities.npy": bytes.Repeat(
			[]byte(letter), 300_000,
		), "relations.npy": bytes.Repeat([]byte(letter), 10_000), "entities.txt": []byte(letter),
	}
	require.NoError(t, modelfolder.Describe(files, described{letter}))
	return files
}

func TestDescribe(t *testing.T) {
	files := map[string][]byte{"b.npy": []byte("abc"), "a.txt": nil}
	require.NoError(t, modelfolder.Describe(files, described{"x"}))
	want := `{
  "letter": "x",
  "checksums": {
    "a.txt": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "b.npy": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  }
}
`
	if got := string(files[modelfolder.Description]); got != want {
		t.Errorf("described as\n%s, want\n%s", got, want)
	}
}

// TestKilledWrite checks that a kill leaves no model, the old one or the new one, and that the
// next write removes leftovers.
func TestKilledWrite(t *testing.T) {
	save := func(folder string) error {
		for _, letter := range []string{"a", "b"} {
			if err := os.RemoveAll(filepath.Join(folder, "new")); err != nil {
				return err
			}
			for _, dir := range []string{"new", "replaced"} {
				if err := modelfolder.Write(filepath.Join(folder, dir), model(t, letter)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	whole, not, left := 0, 0, 0
	killtest.Run(t, 30, save, func(folder string) {
		dirs, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, dir := range dirs {
			if dir.Name()[0] == '.' {
				left++
			}
			files, err := os.ReadDir(filepath.Join(folder, dir.Name()))
			if err != nil || len(files) > 2*len(model(t, "a")) {
				t.Errorf("leftovers stay: %v, %v", files, err)
			}
			var d described
			read, err := modelfolder.Read(filepath.Join(folder, dir.Name()), &d, func() error { return nil })
			if err != nil {
				if not++; !strings.Contains(err.Error(), "is not a model folder") {
					t.Error(err)
				}
				continue
			}
			whole++
			for name, want := range model(t, d.Letter) {
				if got, err := read(name); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s of %s: %d bytes, %v", name, dir.Name(), len(got), err)
				}
			}
		}
		if len(dirs) > 3 {
			t.Errorf("leftovers stay: %v", dirs)
		}
	})
	if whole == 0 {
		t.Errorf("no whole folder among %d proves little", not)
	}
	t.Logf("%d whole folders, %d others, %d left unfinished", whole, not, left)
}

// withMembers returns a model with members.
func withMembers(t *testing.T, letters ...string) map[string][]byte {
	t.Helper()
	files, described := map[string][]byte{}, struct{ Members []string }{}
	for _, letter := range letters {
		of := model(t, letter)
		folder := modelfolder.MemberFolder(of[modelfolder.Description])
		for name, content := range of {
			files[folder+"/"+name] = content
		}
		described.Members = append(described.Members, folder)
	}
	own := map[string][]byte{}
	require.NoError(t, modelfolder.Describe(own, described))
	files[modelfolder.Description] = own[modelfolder.Description]
	return files
}

// TestKilledWriteWithMembers checks that a kill leaves the old or the new model with all members,
// and that the next write removes the rest.
func TestKilledWriteWithMembers(t *testing.T) {
	first, second := withMembers(t, "a", "b", "c"), withMembers(t, "c", "d")
	whole := func(dir string, files map[string][]byte) bool {
		for name, want := range files {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
				return false
			}
		}
		return true
	}
	save := func(folder string) error {
		dir := filepath.Join(folder, "ensemble")
		for _, files := range []map[string][]byte{first, second} {
			if err := modelfolder.Write(dir, files); err != nil {
				return err
			}
		}
		return nil
	}
	var counts [3]int
	killtest.Run(t, 30, save, func(folder string) {
		dir := filepath.Join(folder, "ensemble")
		if _, err := os.Stat(dir); err != nil {
			counts[0]++
			return
		}
		switch {
		case whole(dir, first):
			counts[1]++
		case whole(dir, second):
			counts[2]++
		default:
			entries, _ := os.ReadDir(dir)
			t.Errorf("neither: %v", entries)
		}
		notes := filepath.Join(dir, "member-of-mine")
		require.NoError(t, os.MkdirAll(notes, 0o755))
		require.NoError(t, modelfolder.Write(dir, second))
		entries, err := os.ReadDir(dir)
		if err != nil || !whole(dir, second) || len(entries) != 4 {
			t.Errorf("after a saving that was not killed: %v, %v", entries, err)
		}
	})
	if counts[1]+counts[2] < 10 {
		t.Errorf("%v: few kills came in time to prove anything", counts)
	}
	t.Logf("%d times nothing, %d the first, %d the second", counts[0], counts[1], counts[2])
}

// TestOtherFilesAreKept checks that other files in members' folders are kept.
func TestOtherFilesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ensemble")
	require.NoError(t, modelfolder.Write(dir, withMembers(t, "a", "b", "c")))
	mine := filepath.Join(dir, modelfolder.MemberFolder(model(t, "a")[modelfolder.Description]),
		"notes.txt")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
	require.NoError(t, modelfolder.Write(dir, model(t, "z")))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(model(t, "z"))+1 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestDataIsNotReplaced checks that no model is written into the folder of a data set.
func TestDataIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	labels := filepath.Join(dir, "entities.txt")
	require.NoError(t, os.WriteFile(labels, []byte("mine"), 0o644))
	for name, err := range map[string]error{
		"one model":      modelfolder.Write(dir, model(t, "a")),
		"with members":   modelfolder.Write(dir, withMembers(t, "a", "b")),
		"described last": modelfolder.WriteDescribed(dir, nil, struct{}{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "of other data") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestMembersReplaceFiles checks that a model with members replaces the files of one without, and
// the other way round.
func TestMembersReplaceFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	before, after := model(t, "a"), withMembers(t, "b", "c")
	require.NoError(t, modelfolder.Write(dir, before))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644))
	require.NoError(t, modelfolder.Write(dir, after))
	for name := range before {
		_, stays := after[name]
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
}
