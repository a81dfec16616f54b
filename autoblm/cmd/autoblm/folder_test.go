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
		began := time.Now().Add(time.Duration(after) * time.Second)
		dir := filepath.Join(outFolder, filepath.Base(graph)+began.Format("-20060102-150405"))
		must(t, os.MkdirAll(dir, 0o700))
		taken[dir] = true
	}
	for range 2 {
		out := object(t, "search --recipe basic --dataset", graph, quickSearch)["out"].(string)
		if taken[out] || !isFile(filepath.Join(out, studyName)) {
			t.Errorf("%s is another's, or has no study", out)
		}
		taken[out] = true
	}
}

// TestLeftoversOfCommands: a command removes the temporary files of a killed run.
func TestLeftoversOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is an hour old is removed there")
	}
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	for out, c := range map[string]struct{ left, line string }{
		"split":   {".split.autoblm-1/test.txt", "dataset split " + graph + "/train.txt"},
		"queries": {".queries.autoblm-1/entities.txt", "query sample --hops 2 --dataset " + graph},
		"model":   {"model/.model.json.autoblm-1", "train --dataset " + graph + quick},
		"found": {"found/.model.autoblm-1/model.json",
			"search --recipe basic --dataset " + graph + quickSearch},
	} {
		writeFile(t, "half", c.left)
		fail(t, cli.Failed, "", "dataset info", filepath.Dir(c.left)) // is no data set
		object(t, c.line, "--out", out)
		for _, path := range []string{c.left, filepath.Dir(c.left)} {
			if _, err := os.Stat(path); err == nil && path != out {
				t.Errorf("%s: %s is there still", out, path)
			}
		}
	}
}
