package atomicfile

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestFlushOrder checks that files are flushed before their renames, the last file is renamed
// after a flush of the others, and the folder is flushed at the end.
func TestFlushOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be flushed there")
	}
	above := t.TempDir()
	random := regexp.MustCompile(`\.autoblm-[0-9a-z]+`)
	var mutex sync.Mutex
	var flushed []string // each with what is in the folder then
	flush = func(f *os.File) error {
		mutex.Lock()
		defer mutex.Unlock()
		path, err := filepath.Rel(above, f.Name())
		if err != nil {
			t.Error(err)
		}
		var there []string
		entries, _ := os.ReadDir(filepath.Join(above, "folder"))
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				there = append(there, e.Name())
			}
		}
		flushed = append(flushed,
			random.ReplaceAllString(filepath.ToSlash(path), "~")+": "+strings.Join(there, " "))
		return f.Sync()
	}
	defer func() { flush = (*os.File).Sync }()
	files := []File{{Name: "a"}, {Name: "b"}, {Name: "last"}}
	dir := filepath.Join(above, "folder")
	for _, c := range []struct {
		what  string
		write func() error
		want  []string
	}{
		{"a new folder", func() error { return WriteFolder(dir, files) },
			[]string{".folder~/.a~: ", ".folder~/.b~: ", ".folder~/.last~: ", ".folder~: ", ".: a b last"}},
		{"the same again", func() error { return WriteFolder(dir, files) },
			[]string{
				"folder/.a~: a b last", "folder/.b~: a b last", "folder/.last~: a b last", "folder: a b",
				"folder: a b", "folder: a b last",
			}},
		{"a file", func() error { return Write(filepath.Join(dir, "c"), nil) },
			[]string{"folder/.c~: a b last", "folder: a b c last"}},
	} {
		flushed = nil
		require.NoError(t, c.write())
		slices.Sort(flushed[:min(len(files), len(flushed))]) // those are flushed at once
		if !slices.Equal(flushed, c.want) {
			t.Errorf("%s: flushed\n%q, want\n%q", c.what, flushed, c.want)
		}
	}
}
