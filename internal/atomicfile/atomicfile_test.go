package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/require"
)

// content returns the contents of the files in a folder, by name.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	held := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
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
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// TestReplaces replaces a file, at once and with a function that fails in the end.
func TestReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	create := func(text string) error {
		return atomicfile.Create(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	write := func(text string) error { return atomicfile.Write(path, []byte(text)) }
	for _, replace := range []func(string) error{write, create} {
		for _, text := range []string{"first and longer", "second"} {
			require.NoError(t, replace(text))
			if got := content(t, dir); len(got) != 1 || got["file"] != text {
				t.Errorf("the folder holds %v, want file with %q", got, text)
			}
		}
	}
	failure := errors.New("no more")
	if err := atomicfile.Create(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the th")
		return errors.Join(err, failure)
	}); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if got := content(t, dir); len(got) != 1 || got["file"] != "second" {
		t.Errorf("after a failure the folder holds %v", got)
	}
	if err := atomicfile.Create(dir, func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if left := content(t, filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestErrorsDoNotNameTemporaryFiles(t *testing.T) {
	err := atomicfile.Write(filepath.Join(t.TempDir(), "nowhere", "file"), nil)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), ".autoblm-") {
		t.Errorf("error %v", err)
	}
}

func TestFailedWriteChangesNothing(t *testing.T) {
	dir := t.TempDir()
	old := map[string]string{"table": "old", "last": "old"}
	put(t, dir, old)
	files := []atomicfile.File{
		{Name: "table", Content: []byte("new")}, {Name: strings.Repeat("x", 300)},
		{Name: "last", Content: []byte("new")},
	}
	if err := atomicfile.WriteAll(dir, files); err == nil {
		t.Fatal("a file with a name of 300 bytes was written")
	}
	got := content(t, dir)
	if len(got) != 2 || got["table"] != "old" || got["last"] != "old" {
		t.Errorf("the folder holds %v, want %v", got, old)
	}
}

// TestInterruptedReplacementHasNoLastFile checks an error during the renames.
func TestInterruptedReplacementHasNoLastFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"first": "old", "last": "old"})
	files := []atomicfile.File{
		{Name: "first", Content: []byte("new")}, {Name: "second", Content: []byte("new")},
		{Name: "last", Write: func(w io.Writer) error {
			return os.MkdirAll(filepath.Join(dir, "second", "in the way"), 0o700)
		}},
	}
	if err := atomicfile.WriteAll(dir, files); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	if got := content(t, dir); len(got) != 2 || got["first"] != "new" ||
		got["second"] != "(a folder)" {
		t.Errorf("left behind: %v; the last file would tell readers that all is well", got)
	}
}

func TestFoldersAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"first": "old", "last": "old"})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "second"), 0o700))
	err := atomicfile.WriteAll(dir,
		[]atomicfile.File{{Name: "first"}, {Name: "second"}, {Name: "last"}})
	require.Error(t, err, "name another")
	if got := content(t, dir); len(got) != 3 || got["first"] != "old" || got["last"] != "old" {
		t.Errorf("the folder holds %v", got)
	}
}

func TestLinkIsKept(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"file": "old"})
	link := filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	require.NoError(t, atomicfile.Write(link, []byte("new")))
	info, err := os.Lstat(link)
	if got := content(t, dir); err != nil || info.Mode()&fs.ModeSymlink == 0 || len(got) != 2 ||
		got["file"] != "new" {
		t.Errorf("the folder holds %v, link is %v, %v", got, info.Mode(), err)
	}
}

func TestFolderAppearsComplete(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "folder")
	write := func(text string, seen func()) error {
		return atomicfile.WriteFolder(dir, []atomicfile.File{
			{Name: "first", Content: []byte(text)},
			{Name: "last", Write: func(w io.Writer) error {
				seen()
				_, err := io.WriteString(w, text)
				return err
			}},
		})
	}
	require.NoError(t, write("new", func() {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("half a folder is there: %v", err)
		}
	}))
	put(t, dir, map[string]string{"other": "theirs"})
	require.NoError(t, write("newer", func() {
		if got := content(t, dir); got["first"] != "new" || got["last"] != "new" {
			t.Errorf("while the new files are written the folder holds %v", got)
		}
	}))
	if got := content(t, dir); len(got) != 3 || got["first"] != "newer" || got["last"] != "newer" ||
		got["other"] != "theirs" {
		t.Errorf("the folder holds %v", got)
	}
	if left := content(t, filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}

func TestFailedFolderLeavesNothing(t *testing.T) {
	above := t.TempDir()
	failure := errors.New("no more")
	err := atomicfile.WriteFolder(filepath.Join(above, "folder"), []atomicfile.File{
		{Name: "first"}, {Name: "last", Write: func(io.Writer) error { return failure }},
	})
	if left := content(t, above); !errors.Is(err, failure) || len(left) > 0 {
		t.Errorf("error %v, left behind: %v", err, left)
	}
	require.NoError(t, os.Mkdir(filepath.Join(above, "folder"), 0o700))
	err = atomicfile.Folder(filepath.Join(above, "folder"), func(string) error { return nil })
	if left := content(t, above); !errors.Is(err, fs.ErrExist) || len(left) != 1 {
		t.Errorf("error %v, left behind: %v", err, left)
	}
}

// TestCheckWritable checks that it changes nothing and removes leftovers.
func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"file": "old", ".file.autoblm-leftover": ""})
	for _, name := range []string{"file", "new"} {
		if err := atomicfile.CheckWritable(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, dir); len(got) != 1 || got["file"] != "old" {
		t.Errorf("the folder holds %v", got)
	}
	if err := atomicfile.CheckWritable(
		filepath.Join(dir, "none", "file")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
