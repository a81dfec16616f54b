package wholefile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// content is what the files of a folder hold, by name.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	held := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			text = []byte("(a folder)")
		}
		held[e.Name()] = string(text)
	}
	return held
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first and longer", "second"} {
		if err := wholefile.Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, dir); len(got) != 1 || got["file"] != text {
			t.Errorf("the folder holds %v, want file with %q", got, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want 0644, for others to read", info.Mode(), err)
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first and longer", "second"} {
		if err := wholefile.Create(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if got := content(t, dir); len(got) != 1 || got["file"] != text {
			t.Errorf("the folder holds %v, want file with %q", got, text)
		}
	}
	failure := errors.New("no more")
	if err := wholefile.Create(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the th")
		return errors.Join(err, failure)
	}); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if got := content(t, dir); len(got) != 1 || got["file"] != "second" {
		t.Errorf("after a failure the folder holds %v", got)
	}
	if err := wholefile.Create(dir, func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestErrorsDoNotNameTemporaryFiles(t *testing.T) {
	err := wholefile.Write(filepath.Join(t.TempDir(), "nowhere", "file"), nil)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "file.") {
		t.Errorf("error %v", err)
	}
}

func TestAFileThatCannotBeWrittenLeavesAllAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	old := map[string]string{"table": "old", "last": "old"}
	put(t, dir, old)
	files := []wholefile.File{{Name: "table", Content: []byte("new")}, {Name: strings.Repeat("x", 300)}, {Name: "last", Content: []byte("new")}}
	if err := wholefile.WriteAll(dir, files); err == nil {
		t.Fatal("a file with a name of 300 bytes was written")
	}
	got := content(t, dir)
	if len(got) != 2 || got["table"] != "old" || got["last"] != "old" {
		t.Errorf("the folder holds %v, want %v", got, old)
	}
}

func TestInterruptedReplacementHasNoLastFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"last": "old"})
	if err := os.MkdirAll(filepath.Join(dir, "second", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	var files []wholefile.File
	for _, name := range []string{"first", "second", "last"} {
		files = append(files, wholefile.File{Name: name, Content: []byte("new")})
	}
	if err := wholefile.WriteAll(dir, files); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	left := []string{}
	for name := range content(t, dir) {
		left = append(left, name)
	}
	slices.Sort(left)
	if !slices.Equal(left, []string{"first", "second"}) {
		t.Errorf("left behind: %v; the last file would tell readers that all is well", left)
	}
}
