package main

import (
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestTrainNegatives: triples have negative sampling, with a default margin and temperature.
func TestTrainNegatives(t *testing.T) {
	t.Chdir(t.TempDir())
	graph := smallGraph(t)
	loss := func(flags string) string {
		o := object(t, "train --model rotate --recipe basic --dim 8 --epochs 1 --no-eval --seed 3 --dataset", graph, flags)
		return asText(t, o["loss"])
	}
	drawn := loss("--negatives 3")
	same(t, "the defaults", loss("--negatives 3 --margin 0.48 --adversarial-temperature 1"), drawn)
	for _, other := range []string{"", "--negatives 2", "--negatives 3 --margin 0",
		"--negatives 3 --adversarial-temperature 0", "--negatives 3 --subsampling"} {
		if loss(other) == drawn {
			t.Errorf("%s makes no difference", other)
		}
	}
	copyFolder(t, "wn18rr", graph)
	object(t, "train --recipe rotate --negatives 0 --dim 8 --epochs 1 --no-eval --dataset wn18rr")
	products := "train --structure distmult --epochs 1 --no-eval --negatives 3 --dataset " + graph
	object(t, products)
	fail(t, cli.Failed, "float32 only", products, "--precision bfloat16")
}
