package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/datasets"
)

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
	flags := "train --dim 8 --epochs 1 --no-eval --dataset " + dir + " --out " + out
	_, messages := succeed(t, flags, "--verbose")
	contains(t, messages, "recipe large for 30,001 entities: d 8, batch 500, 1 epoch\n",
		"30,001 triples, 2,048 entities sampled per step")
	if o := object(t, flags, "--sampled-softmax 64"); o["structure"] == nil || o["recipe"] != "large" {
		t.Errorf("%v", o)
	}
}

// TestResumedDim checks that a training with a deadline keeps the dimension of its checkpoint.
func TestResumedDim(t *testing.T) {
	g, err := datasets.Open("world")
	must(t, err)
	c := resolveTrain(t, "--dataset world --minutes 1 --out "+t.TempDir(), g)
	job, err := c.job(g)
	must(t, err)
	engine := cpu.New(1)
	defer engine.Close()
	if dim := c.resumedDim(engine, job); dim != 0 {
		t.Errorf("d %d without a checkpoint", dim)
	}
	begun := job
	begun.Settings.Dim = 128
	key, err := begun.Name(engine)
	must(t, err)
	writeFile(t, "", c.Out, "training-"+key)
	if dim := c.resumedDim(engine, job); dim != 128 || job.Settings.Dim != 512 {
		t.Errorf("d %d, want that of the checkpoint, 128", dim)
	}
}
