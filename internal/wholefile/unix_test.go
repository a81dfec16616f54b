//go:build unix && !aix && !solaris

package wholefile_test

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestPermissions: those of a new file are what the umask leaves, and those of a file that
// is replaced are kept.
func TestPermissions(t *testing.T) {
	for _, mask := range []fs.FileMode{0o022, 0o077, 0o002} {
		dir := t.TempDir()
		before := syscall.Umask(int(mask))
		err := wholefile.WriteFolder(filepath.Join(dir, "folder"), []wholefile.File{{Name: "file"}})
		path := filepath.Join(dir, "file")
		for _, mode := range []fs.FileMode{0, 0o600, 0o664} {
			if mode != 0 && err == nil {
				err = os.Chmod(path, mode)
			}
			if err == nil {
				err = wholefile.Write(path, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := permissions(t, path); got != cmp.Or(mode, 0o666&^mask) {
				t.Errorf("with the umask %03o the file, which had %03o, has %03o", mask, mode, got)
			}
		}
		syscall.Umask(before)
		if got := permissions(t, filepath.Join(dir, "folder")); got != 0o777&^mask {
			t.Errorf("with the umask %03o the folder has %03o", mask, got)
		}
		if got := permissions(t, filepath.Join(dir, "folder", "file")); got != 0o666&^mask {
			t.Errorf("with the umask %03o the file in the folder has %03o", mask, got)
		}
	}
}

func TestAPipeIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	for _, pipe := range []string{path, filepath.Join(dir, ".pipe.autoblm-1")} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
	}
	if err := wholefile.Write(path, nil); err == nil {
		t.Error("a pipe was replaced by a file")
	}
}

// names are what is in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestLeftovers: what a killed process left is removed by who writes the same file or
// folder, and nothing else is.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		".file.autoblm-dead": "half", ".other.autoblm-dead": "half", ".file.txt.autoblm-dead": "half", "file.autoblm-mine": "", ".file.backup": "",
	})
	for _, folder := range []string{".folder.autoblm-dead", ".file.autoblm-folder"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, folder), map[string]string{"first": "half"})
	}
	if err := wholefile.Write(filepath.Join(dir, "file"), nil); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.WriteFolder(filepath.Join(dir, "folder"), []wholefile.File{{Name: "first"}, {Name: "last"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{".file.backup", ".file.txt.autoblm-dead", ".other.autoblm-dead", "file", "file.autoblm-mine", "folder"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// TestTheLivingAreLeftAlone: two may write the same file or folder at a time.
func TestTheLivingAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder")
	if err := wholefile.Create(file, func(w io.Writer) error {
		if err := wholefile.Write(file, []byte("another's")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "ours")
		return err
	}); err != nil {
		t.Error(err)
	}
	files := func(text string) []wholefile.File {
		return []wholefile.File{{Name: "first", Content: []byte(text)}, {Name: "last", Content: []byte(text)}}
	}
	ours := files("ours")
	ours[1].Write = func(w io.Writer) error {
		if err := wholefile.WriteFolder(folder, files("another's")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "ours")
		return err
	}
	if err := wholefile.WriteFolder(folder, ours); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file", "folder"}) {
		t.Errorf("the folder has %q", got)
	}
	if got := content(t, folder); len(got) != 2 || got["first"] != got["last"] {
		t.Errorf("the folder of two has %q", got)
	}
}
