package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// withoutGPU hides CUDA and all plugins, so that the engine auto is cpu, and gomlx runs on Go.
func withoutGPU(t *testing.T) {
	t.Helper()
	t.Setenv(probe.PluginPaths, t.TempDir())
	t.Setenv("AUTOBLM_BACKEND", "auto")
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
}

// TestConvEChoosesEngine checks that every command that trains ConvE chooses gomlx.
func TestConvEChoosesEngine(t *testing.T) {
	withoutGPU(t)
	standIn(t, "wn18rr")
	t.Chdir(t.TempDir())
	graph := smallGraph(t)
	has(t, object(t, "train --model conve-2-4-2 --reciprocal --dim 8 --epochs 2 --no-eval --out model --dataset",
		graph), fields{"engine": "gomlx"})

	line := strings.Split(strings.Split(readFile(t, graph, "train.txt"), "\n")[0], "\t")
	writeFile(t, readFile(t, graph, "train.txt")+line[0]+"\t"+line[1]+"\tnew-entity\n", graph, "train.txt")
	has(t, object(t, "eval --fold-in --split train --model model --dataset", graph), fields{"unknown": nil})
	has(t, object(t, "predict --fold-in --any --top 0 --model model --head", line[0], "--relation", line[1],
		"--dataset", graph), fields{"answers.#": 38})

	object(t, "search --model conve-2-4-2 --reciprocal --budget 1 --dim 8 --epochs 1 --study study.db --out found "+
		"--dataset", graph)
	object(t, "study resume study.db --budget 2 --out found")
	object(t, "reproduce wn18rr --stage final --recipe conve --dim 60 --epochs 1 --out reproduced")
}
