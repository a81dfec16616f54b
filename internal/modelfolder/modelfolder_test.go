package modelfolder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/killtest"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

type described struct {
	Letter string `json:"letter"`
}

func model(t *testing.T, letter string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"entities.npy": bytes.Repeat([]byte(letter), 300_000), "relations.npy": bytes.Repeat([]byte(letter), 10_000), "entities.txt": []byte(letter),
	}
	if err := modelfolder.Describe(files, described{letter}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDescribe(t *testing.T) {
	files := map[string][]byte{"b.npy": []byte("abc"), "a.txt": nil}
	if err := modelfolder.Describe(files, described{"x"}); err != nil {
		t.Fatal(err)
	}
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

// TestKilledSaving: a process that is killed while it saves leaves no model, the one that was
// there, or the new one, whose checksums fit; and the next removes what else it left.
func TestKilledSaving(t *testing.T) {
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
	killtest.Run(t, 30, 40*time.Millisecond, save, func(folder string) {
		dirs, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
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
