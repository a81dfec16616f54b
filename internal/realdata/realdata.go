// Package realdata gives tests the benchmarks and the cases that other programs
// computed, where they are at hand. The variable AUTOBLM_DATA names the folder
// of the benchmarks; the cases lie in the folder oracle beside it.
package realdata

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Folder is the folder of a benchmark. Without it the test is skipped.
func Folder(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("AUTOBLM_DATA has no %s: run `autoblm dataset fetch %s` and set AUTOBLM_DATA to the folder that holds it", name, name)
	}
	return path
}

// Oracle reads cases, of which there are some, from a JSON file. Without it the
// test is skipped.
func Oracle[Case any](t testing.TB, name string) []Case {
	t.Helper()
	path := filepath.Join(root(t), "..", "oracle", name)
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("there is no %s beside the folder that AUTOBLM_DATA names", filepath.Join("oracle", name))
	}
	if err != nil {
		t.Fatal(err)
	}
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
