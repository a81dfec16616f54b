package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestMemoryNote says why a default dimension is smaller than on a machine with more memory.
func TestMemoryNote(t *testing.T) {
	size := recipe.Size{Entities: 129_362, Train: 624_528, Valid: 78_066, Memory: 1 << 29}
	dim := recipe.Default(size).Training.Dim
	contains(t, memoryNote(size, dim), fmt.Sprintf("d %d, because", dim), "512 MiB")
	size.Memory = 1 << 40
	if note := memoryNote(size, recipe.Default(size).Training.Dim); note != "" {
		t.Errorf("with enough memory: %q", note)
	}
}

// TestLargeGraph trains on a graph with many entities. A line says what the default recipe is, and
// flags override it.
func TestLargeGraph(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "model")
	var train strings.Builder
	for i := range 30_001 {
		fmt.Fprintf(&train, "e%d\tnext\te%d\n", i, (i+1)%30_001)
	}
	writeFile(t, train.String(), dir, "train.txt")
	writeFile(t, "e0\tnext\te7\n", dir, "valid.txt")
	writeFile(t, "e1\tnext\te9\n", dir, "test.txt")
	flags := "train --dim 8 --epochs 1 --no-eval --dataset " + dir + " --out " + out + "-"
	_, messages := succeed(t, flags+"default", "--verbose")
	contains(t, messages, "recipe large for 30,001 entities: d 8, batch 500, 1 epoch\n",
		"30,001 triples, 2,048 entities sampled per step")
	if o := object(t, flags+"64", "--sampled-softmax 64"); o["structure"] == nil || o["recipe"] != "large" {
		t.Errorf("%v", o)
	}
}

// TestResumedFit checks that a training with a deadline keeps the dimension and the epochs of its
// checkpoint, and that checkpoints of other trainings do not count.
func TestResumedFit(t *testing.T) {
	g, err := datasets.Open("world")
	must(t, err)
	out := t.TempDir()
	begun := "train --dataset world --structure complex --out " + out +
		" --dim 16 --epochs 900 --validate-every 0 --patience 0 --cooldown .5 --save-every 0s"
	interrupt(t, out, begun)
	engine := cpu.New(1)
	defer engine.Close()
	follow := kge.Fit{Dim: true, Epochs: true}
	timed := func(flags string) (*trainCommand, kge.Job, string) {
		c := resolveTrain(t, strings.ReplaceAll(strings.TrimPrefix(begun, "train "),
			"--dim 16 --epochs 900", "--minutes 1 "+flags), g)
		job, err := c.job(g)
		must(t, err)
		key, err := followingKey(engine, job, follow)
		must(t, err)
		return c, job, key
	}
	_, _, key := timed("")
	must(t, os.Rename(checkpointsIn(out)[0], filepath.Join(out, checkpointPrefix+key)))
	for flags, want := range map[string]bool{"--seed 1": true, "--seed 2": false, "--lr .2": false} {
		c, job, _ := timed(flags)
		s, found := c.resumed(engine, job, follow)
		if found != want || want && (s.Dim != 16 || s.Epochs != 900) {
			t.Errorf("%s: resumes %v with d %d and %d epochs", flags, found, s.Dim, s.Epochs)
		}
	}
}
