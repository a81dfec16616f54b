//go:build unix && !aix && !solaris

package atomicfile_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/require"
	"golang.org/x/sync/errgroup"
)

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

// TestPermissions checks that a new file follows the umask, and a replaced one keeps its
// permissions.
func TestPermissions(t *testing.T) {
	for _, mask := range []fs.FileMode{0o022, 0o077, 0o002} {
		dir := t.TempDir()
		before := syscall.Umask(int(mask))
		err := atomicfile.WriteFolder(filepath.Join(dir, "folder"), []atomicfile.File{{Name: "file"}})
		path := filepath.Join(dir, "file")
		for _, mode := range []fs.FileMode{0, 0o600, 0o664} {
			if mode != 0 && err == nil {
				err = os.Chmod(path, mode)
			}
			if err == nil {
				err = atomicfile.Write(path, nil)
			}
			require.NoError(t, err)
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

func TestPipeIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	for _, pipe := range []string{path, filepath.Join(dir, ".pipe.autoblm-1")} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
	}
	if err := atomicfile.Write(path, nil); err == nil {
		t.Error("a pipe was replaced by a file")
	}
}

// names returns the names in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestLeftovers checks that writing or removing a file removes what killed processes left of it.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		".file.autoblm-dead": "half", ".other.autoblm-dead": "half", ".file.txt.autoblm-dead": "half",
		"file.autoblm-mine": "", ".file.backup": "",
	})
	for _, folder := range []string{".folder.autoblm-dead", ".file.autoblm-folder"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
		put(t, filepath.Join(dir, folder), map[string]string{"first": "half"})
	}
	require.NoError(t, atomicfile.Write(filepath.Join(dir, "file"), nil))
	require.NoError(t, atomicfile.WriteFolder(filepath.Join(dir, "folder"),
		[]atomicfile.File{{Name: "first"}, {Name: "last"}}))
	for _, removed := range []string{"other", "never"} {
		if err := atomicfile.Remove(filepath.Join(dir, removed)); err != nil {
			t.Error(err)
		}
	}
	want := []string{".file.backup", ".file.txt.autoblm-dead", "file", "file.autoblm-mine", "folder"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// TestConcurrentWriters checks that processes do not remove the temporary files of others.
func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder")
	if err := atomicfile.Create(file, func(w io.Writer) error {
		if err := atomicfile.Write(file, []byte("another's")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "ours")
		return err
	}); err != nil {
		t.Error(err)
	}
	files := func(text string) []atomicfile.File {
		return []atomicfile.File{
			{Name: "first", Content: []byte(text)}, {Name: "last", Content: []byte(text)},
		}
	}
	ours := files("ours")
	ours[1].Write = func(w io.Writer) error {
		if err := atomicfile.WriteFolder(folder, files("another's")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "ours")
		return err
	}
	if err := atomicfile.WriteFolder(folder, ours); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file", "folder"}) {
		t.Errorf("the folder has %q", got)
	}
	if got := content(t, folder); len(got) != 2 || got["first"] != got["last"] {
		t.Errorf("the folder of two has %q", got)
	}
}

// TestNoRoom checks that old files stay, and no temporary files remain, if files cannot grow.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	old := func(text string) []atomicfile.File {
		return []atomicfile.File{
			{Name: "first", Content: []byte(text)}, {Name: "last", Content: []byte(text)},
		}
	}
	large := make([]byte, 300_000)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	require.NoError(t, atomicfile.WriteFolder(filepath.Join(dir, "replaced"), old("old")))
	before := limit
	limit.Cur = 200_000
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}()
	for _, at := range []int{0, 1} {
		files := old("new")
		files[at].Content = large
		for _, folder := range []string{"new", "replaced"} {
			if err := atomicfile.WriteFolder(filepath.Join(dir, folder),
				files); !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), dir) {
				t.Errorf("%s, file %d: %v", folder, at, err)
			}
		}
	}
	for _, write := range []func() error{
		func() error { return atomicfile.Write(filepath.Join(dir, "replaced", "last"), large) },
		func() error {
			return atomicfile.Create(filepath.Join(dir, "replaced", "last"), func(w io.Writer) error {
				for range 300 {
					if _, err := w.Write(large[:1000]); err != nil {
						return err
					}
				}
				return nil
			})
		},
	} {
		if err := write(); !errors.Is(err, syscall.EFBIG) {
			t.Error(err)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"replaced"}) {
		t.Errorf("left behind: %q", got)
	}
	if got := content(t, filepath.Join(dir, "replaced")); len(got) != 2 || got["first"] != "old" ||
		got["last"] != "old" {
		t.Errorf("the folder that was there has %q", got)
	}
}

// TestConcurrentFolders checks that concurrent writes of a folder leave the files of one of them,
// without errors.
func TestConcurrentFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	var all errgroup.Group
	for writer := range 8 {
		all.Go(func() error {
			text := []byte{'a' + byte(writer)}
			for range 10 {
				if err := atomicfile.WriteFolder(dir, []atomicfile.File{
					{Name: "first", Content: text}, {Name: "second", Content: text}, {Name: "last", Content: text},
				}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	got := content(t, dir)
	if len(got) != 3 || got["first"] != got["last"] || got["second"] != got["last"] {
		t.Errorf("the folder has %q", got)
	}
	if left := names(t, filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// TestHold checks that a folder has one holder at a time, also after a kill.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{".lock": "4711 of a killed process"})
	var holders, most atomic.Int32
	var all errgroup.Group
	for range 8 {
		all.Go(func() error {
			for done := 0; done < 20; {
				release, err := atomicfile.Hold(dir)
				if err != nil {
					continue
				}
				most.Store(max(most.Load(), holders.Add(1)))
				_, err = atomicfile.Hold(dir)
				if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
					return fmt.Errorf("a held folder: %v", err)
				}
				holders.Add(-1)
				release()
				done++
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil || most.Load() != 1 {
		t.Errorf("%d holders, %v", most.Load(), err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
	earlier, err := atomicfile.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	earlier()
	now, err := atomicfile.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	earlier() // again
	if _, err := atomicfile.Hold(dir); err == nil {
		t.Error("a second release ends what another holds")
	}
	now()
}

// TestHolder: the process that holds a folder is known.
func TestHolder(t *testing.T) {
	dir := t.TempDir()
	release, err := atomicfile.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if used := atomicfile.Holder(dir); used == nil || used.Process != os.Getpid() {
		t.Errorf("held by %v", used)
	}
	release()
	if used := atomicfile.Holder(dir); used != nil {
		t.Errorf("held by %v after the release", used)
	}
}
