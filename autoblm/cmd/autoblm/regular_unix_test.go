//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestPipesAreRefused as input files: reading them would block.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	pipe := func(path string) {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.RemoveAll(path))
		must(t, syscall.Mkfifo(path, 0o644))
	}
	for _, path := range []string{"pipe", "graph/train.txt", "packed/train.txt.gz",
		"openke/train2id.txt", "queries/entities.txt", "queries/train-1p.txt", "classes/x.nt",
		"classes/trainingSet.tsv", "classes/testSet.tsv"} {
		pipe(path)
	}
	const notFile = "is a named pipe, not a file"
	for _, line := range []string{
		"dataset info ./graph",
		"dataset info ./packed",
		"dataset info ./openke",
		"train --dataset ./graph --structure simple",
		"query train --dataset ./queries --structure simple",
		"classify train --dataset ./classes --structure simple",
		"report --study pipe",
		"study show pipe",
		"search --recipe basic --dataset world --study pipe --out found",
	} {
		fail(t, cli.Failed, notFile, line)
	}
	fail(t, cli.Misuse, notFile, "structure show @pipe")
	succeed(t, "train --dataset", smallGraph(t), quick, "--out model")
	copyFolder(t, "whole", "model")
	for _, name := range []string{"model.json", "entities.npy", "entities.txt"} {
		must(t, os.RemoveAll("model"))
		copyFolder(t, "model", "whole")
		pipe("model/" + name)
		fail(t, cli.Failed, notFile, "predict --model model --head e0 --relation r0")
	}
	// What is a file is read through any number of links.
	must(t, datasets.WriteFolder(datasets.World(), "real"))
	must(t, os.Mkdir("linked", 0o755))
	for _, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		must(t, os.Symlink(filepath.Join(dir, "real", name), filepath.Join("linked", name)))
	}
	has(t, object(t, "dataset info ./linked"), fields{"entities": len(datasets.World().Entities)})
}
