// Package realdata finds benchmarks, and cases that other programs computed, for tests. The
// variable AUTOBLM_DATA names the folder of the benchmarks. The cases are in the folder oracle next
// to it.
package realdata

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// Folder returns the folder of a benchmark, or skips the test.
func Folder(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("AUTOBLM_DATA has no %s: run `autoblm dataset fetch %s`"+
			" and set AUTOBLM_DATA to the folder that holds it", name, name)
	}
	return path
}

// Oracle reads cases from a JSON file, or skips the test.
func Oracle[Case any](t testing.TB, name string) []Case {
	t.Helper()
	path := filepath.Join(root(t), "..", "oracle", name)
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("AUTOBLM_DATA has no %s next to it", filepath.Join("oracle", name))
	}
	require.NoError(t, err)
	var cases []Case
	if err := json.Unmarshal(content, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", path, len(cases), err)
	}
	return cases
}

func root(t testing.TB) string {
	t.Helper()
	data := os.Getenv("AUTOBLM_DATA")
	if data == "" {
		t.Skip("AUTOBLM_DATA is not set: it names the folder of the benchmarks")
	}
	return data
}
