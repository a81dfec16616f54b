package main

import (
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestTables checks that a model trained with tables in files has the bytes of one without, that
// eval and predict read it, and that only the native engine has such tables.
func TestTables(t *testing.T) {
	const train = "train --dataset world --structure complex --dim 8 --epochs 2 --no-eval " +
		"--sampled-softmax 20 --buckets 6 --engine cpu --out"
	dir := t.TempDir()
	plain, files := filepath.Join(dir, "plain"), filepath.Join(dir, "files")
	succeed(t, train, plain)
	succeed(t, train, files, "--tables", filepath.Join(dir, "new", "tables"))
	for _, name := range []string{"entities.npy", "relations.npy", "config.yaml"} {
		if readFile(t, plain, name) != readFile(t, files, name) {
			t.Errorf("%s differs", name)
		}
	}
	succeed(t, "eval --dataset world --model", files)
	succeed(t, "predict --head Spain --relation borders --model", files)
	fail(t, cli.Misuse, "--tables needs the engine cpu, not gomlx", "train --dataset world", quick,
		"--engine gomlx --backend go --tables", dir, "--out", filepath.Join(dir, "other"))
}
