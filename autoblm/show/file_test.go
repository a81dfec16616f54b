package show

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestFile checks where files are, and that their folders exist.
func TestFile(t *testing.T) {
	temporary, working := t.TempDir(), t.TempDir()
	t.Chdir(working)
	for _, c := range []struct{ full, kernel, want string }{
		{"", temporary, temporary}, {"1", temporary, "autoblm-out"}, {"", "", "autoblm-out"},
	} {
		t.Setenv("AUTOBLM_FULL", c.full)
		t.Setenv("GONB_TMP_DIR", c.kernel)
		if got, want := File("models/one"), filepath.Join(c.want, "models", "one"); got != want {
			t.Errorf("%s, want %s", got, want)
		} else if err := os.WriteFile(got, nil, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestGraph checks that without the benchmark the graph is the one of the library.
func TestGraph(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if got := Graph("umls", "kinship").Name; got != "world" {
		t.Errorf("%s, want world", got)
	}
	folder := filepath.Join(data, "kinship")
	require.NoError(t, os.Mkdir(folder, 0o755))
	for _, split := range []string{"train", "valid", "test"} {
		file := filepath.Join(folder, split+".txt")
		require.NoError(t, os.WriteFile(file, []byte("a\tr\tb\n"), 0o644))
	}
	if got := Graph("umls", "kinship").Name; got != "kinship" {
		t.Errorf("%s, want kinship", got)
	}
}
