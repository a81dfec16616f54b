//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestPipesAreRefused as input files: reading them would block.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := func(parts ...string) string {
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	graph, model, classes := filepath.Join(dir, "graph"), filepath.Join(dir, "model"),
		filepath.Join(dir, "classes")
	alone := pipe("pipe")
	pipe("graph", "train.txt")
	pipe("packed", "train.txt.gz")
	pipe("openke", "train2id.txt")
	pipe("queries", "entities.txt")
	pipe("queries", "train-1p.txt")
	pipe("classes", "x.nt")
	pipe("classes", "trainingSet.tsv")
	pipe("classes", "testSet.tsv")
	if status, _, stderr := invoke(t.Context(), "train", "--dataset", smallGraph(t), "--structure",
		"simple", "--dim", "8", "--epochs", "1", "--out", model); status != cli.Done {
		t.Fatal(stderr)
	}
	whole := filepath.Join(dir, "whole")
	if err := os.CopyFS(whole, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	refused := func(arguments ...string) {
		t.Helper()
		status, _, stderr := invoke(t.Context(), arguments...)
		if status == cli.Done || !strings.Contains(stderr, "is a named pipe, not a file") {
			t.Errorf("%q: status %d, %q", arguments, status, stderr)
		}
	}
	refused("dataset", "info", graph)
	refused("dataset", "info", filepath.Join(dir, "packed"))
	refused("dataset", "info", filepath.Join(dir, "openke"))
	refused("dataset", "split", alone, "--out", filepath.Join(dir, "out"))
	refused("train", "--dataset", graph, "--structure", "simple")
	refused("structure", "show", "@"+alone)
	refused("query", "train", "--dataset", filepath.Join(dir, "queries"), "--structure", "simple")
	refused("classify", "train", "--dataset", classes, "--structure", "simple")
	refused("report", "--study", alone)
	refused("study", "show", alone)
	refused("search", "--recipe", "basic", "--dataset", "world", "--study", alone, "--out",
		filepath.Join(dir, "found"))
	for _, name := range []string{"model.json", "entities.npy", "entities.txt"} {
		if err := os.RemoveAll(model); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(model, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		pipe("model", name)
		refused("predict", "--model", model, "--head", "e0", "--relation", "r0")
	}
	// What is a file is read through any number of links.
	if err := datasets.WriteFolder(datasets.World(), filepath.Join(dir, "real")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		if err := os.Symlink(filepath.Join(dir, "real", name),
			filepath.Join(dir, "linked", name)); err != nil {
			t.Fatal(err)
		}
	}
	if info := object(t, "dataset", "info", filepath.Join(dir,
		"linked")); info["entities"] != float64(len(datasets.World().Entities)) {
		t.Errorf("%v", info)
	}
}
