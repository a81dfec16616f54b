package outfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/require"
	"golang.org/x/sync/errgroup"
)

// TestNewFolder checks that concurrent calls get different folders.
func TestNewFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "graph-1")
	made := make([]string, 20)
	var all errgroup.Group
	for i := range made {
		all.Go(func() (err error) {
			made[i], err = outfile.NewFolder(dir)
			return err
		})
	}
	require.NoError(t, all.Wait())
	slices.Sort(made)
	if len(slices.Compact(slices.Clone(made))) != len(made) || !slices.Contains(made, dir) ||
		!slices.Contains(made, dir+"-20") {
		t.Errorf("made %q", made)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	if _, err := outfile.NewFolder(filepath.Join(file, "out")); err == nil ||
		!strings.Contains(err.Error(), "cannot make the folder "+file) {
		t.Errorf("below a file: %v", err)
	}
}

// TestDanglingLink checks that a link to a missing folder is no folder to make.
func TestDanglingLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink("missing", link))
	for _, err := range []error{
		outfile.CheckFolder(link), outfile.MakeFolder(link), outfile.MakeFolder(filepath.Join(link, "out")),
	} {
		if err == nil || !strings.Contains(err.Error(), "a link to the missing folder missing") {
			t.Error(err)
		}
	}
}
