package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchesOfTheSameSecond: each search has its own folder.
func TestSearchesOfTheSameSecond(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	taken := map[string]bool{}
	for after := range 300 { // others began in each second to come
		dir := filepath.Join("autoblm-out",
			filepath.Base(graph)+time.Now().Add(time.Duration(after)*time.Second).Format("-20060102-150405"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		taken[dir] = true
	}
	search := []string{"search", "--recipe", "basic", "--dataset", graph, "--dim", "4", "--epochs",
		"1", "--budget", "1"}
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

// TestLeftoversOfCommands: a command removes the temporary files of a killed run.
func TestLeftoversOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is an hour old is removed there")
	}
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	for out, c := range map[string]struct {
		left      string
		arguments []string
	}{
		"split": {".split.autoblm-1/test.txt",
			[]string{"dataset", "split", filepath.Join(graph, "train.txt")}},
		"queries": {".queries.autoblm-1/entities.txt",
			[]string{"query", "sample", "--dataset", graph, "--hops", "2"}},
		"model": {"model/.model.json.autoblm-1",
			[]string{"train", "--dataset", graph, "--structure", "simple", "--dim", "4", "--epochs", "1"}},
		"found": {"found/.model.autoblm-1/model.json",
			[]string{"search", "--recipe", "basic", "--dataset", graph, "--dim", "4", "--epochs", "1",
				"--budget", "1"}},
	} {
		if err := os.MkdirAll(filepath.Dir(c.left), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.left, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := invoke(t.Context(), "dataset", "info",
			filepath.Dir(c.left)); status != cli.Failed {
			t.Errorf("%s is a data set: %s", c.left, stderr)
		}
		object(t, append(c.arguments, "--out", out)...)
		for _, path := range []string{c.left, filepath.Dir(c.left)} {
			if _, err := os.Stat(path); err == nil && path != out {
				t.Errorf("%s: %s is there still", out, path)
			}
		}
	}
}
