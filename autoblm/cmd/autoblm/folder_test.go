package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSearchesOfTheSameSecond: each has a folder of its own.
func TestSearchesOfTheSameSecond(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	taken := map[string]bool{}
	for after := range 300 { // others began in each second to come
		dir := filepath.Join("autoblm-out", filepath.Base(graph)+time.Now().Add(time.Duration(after)*time.Second).Format("-20060102-150405"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		taken[dir] = true
	}
	search := []string{"search", "--dataset", graph, "--dim", "4", "--epochs", "1", "--budget", "1"}
	for range 2 {
		out := object(t, search...)["out"].(string)
		if taken[out] {
			t.Errorf("%s is another's", out)
		}
		taken[out] = true
		if _, err := os.Stat(filepath.Join(out, studyName)); err != nil {
			t.Error(err)
		}
	}
}
