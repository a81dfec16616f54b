package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// classified trains a model on the data of kinds and returns both folders.
func classified(t *testing.T, flags string) (model, data string) {
	t.Helper()
	data = kinds(t, func(files map[string]string) {
		files["graph.nt"] += "<x:new> <r:1> <hub:0> .\n<x:new> <r:0> <hub:1> .\n"
	})
	model = t.TempDir() + "/model"
	o := object(t, "classify train --encoder rgcn --dim 8 --layers 1 --epochs 40 --lr 0.05 --dropout 0",
		"--no-self-loops --dataset", data, "--out", model, flags)
	has(t, o, fields{"out": model})
	return model, data
}

func TestClassifyEvalJSON(t *testing.T) {
	model, data := classified(t, "--runs 2")
	eval := "classify eval --model " + model
	has(t, object(t, eval), fields{
		"dataset": "kinds", "task": "classify", "encoder": "rgcn", "structure": nil, "dim": 8,
		"train": nil, "test.nodes": 6, "test.accuracy": 1, "by.#": 2, "by.1.class": "kind 1",
		"by.1.nodes": 3,
	})
	text, _ := succeed(t, eval)
	contains(t, text, "classified test · kinds · rgcn, d 8 · 6 nodes", "accuracy 1.000",
		"\nkind 1      3     1.000\n")
	moved := t.TempDir() + "/moved"
	must(t, os.Rename(data, moved))
	refuse(t, []refusal{{cli.Failed, "with --dataset", eval}})
	has(t, object(t, eval, "--split train --backend go --dataset", moved),
		fields{"train.nodes": 18, "train.accuracy": 1, "dataset": "moved"})
}

func TestClassifyPredictJSON(t *testing.T) {
	model, _ := classified(t, "--runs 0")
	predict := "classify predict --model " + model + " --node "
	for node, want := range map[string]fields{
		"x:3":     {"node": "<x:3>", "answers.0.class": "kind 1", "label": "kind 1", "split": "train"},
		"<x:6>":   {"node": "<x:6>", "answers.0.class": "kind 0", "label": "kind 0", "split": "test"},
		"<x:new>": {"node": "<x:new>", "answers.0.class": "kind 1", "label": nil, "split": nil},
	} {
		o := object(t, predict, node, "--top 1")
		has(t, o, want)
		has(t, o, fields{"answers.#": 1, "answers.0.rank": 1})
		if number(t, o, "answers.0.probability") < 0.9 {
			t.Errorf("%s: %v", node, o)
		}
	}
	text, _ := succeed(t, predict, "x:6")
	contains(t, text, "<x:6>: test node, label kind 0\n", "1.000  label")
	text, _ = succeed(t, predict, "x:new")
	contains(t, text, "<x:new>: no label\n", "\nkind 1     1")
}

// TestClassifyManyNodes: a file of nodes is classified like one at a time.
func TestClassifyManyNodes(t *testing.T) {
	model, _ := classified(t, "--runs 0")
	file := writeFile(t, "x:3\n<x:new>\n\nx:6\n", t.TempDir(), "nodes.txt")
	predict := "classify predict --model " + model
	o := object(t, predict, "--nodes", file)
	has(t, o, fields{"predictions.#": 3})
	for i, node := range []string{"x:3", "x:new", "x:6"} {
		alone := object(t, predict, "--node", node)
		delete(alone, "warnings")
		same(t, node, get(o, fmt.Sprint("predictions.", i)), alone)
	}
	text, _ := succeed(t, predict, "--nodes", file)
	contains(t, text, "node     class", "<x:3>", "kind 1", "<x:new>")
	unknown := writeFile(t, "x:3\n\nx:nobody\n", t.TempDir(), "nodes.txt")
	_, stderr := succeed(t, predict, "--nodes", unknown)
	contains(t, stderr, unknown+`:3 is skipped: kinds has no node "x:nobody"`, "1 of 2 nodes skipped")
	unknown = writeFile(t, "x:nobody\n", t.TempDir(), "nodes.txt")
	fail(t, cli.Failed, unknown+" has no node of kinds", predict, "--nodes", unknown)
}

// TestClassifyEnsemble: several models classify by the mean of their probabilities.
func TestClassifyEnsemble(t *testing.T) {
	sure, data := classified(t, "--runs 2")
	vague := t.TempDir() + "/vague"
	object(t, "classify train --structure distmult --epochs 1 --runs 0 --out", vague,
		"--dataset", data)
	both := sure + " --model " + vague
	o := object(t, "classify eval --model", both)
	has(t, o, fields{
		"encoder": nil, "ensemble.#": 2, "ensemble.0.encoder": "rgcn", "ensemble.1.encoder": "blm",
		"test.nodes": 6,
	})
	probability := func(models string) float64 {
		for _, a := range object(t, "classify predict --node x:3 --model", models)["answers"].([]any) {
			if get(a, "class") == "kind 1" {
				return number(t, a, "probability")
			}
		}
		t.Fatal("there is no answer")
		return 0
	}
	one, other := probability(sure), probability(vague)
	if mean := probability(both); math.Abs(one-other) < 0.1 || math.Abs(mean-(one+other)/2) > 1e-6 {
		t.Errorf("%v and %v are %v together", one, other, mean)
	}
	stdout, _ := succeed(t, "classify eval --model", both)
	if !strings.HasPrefix(stdout, "classified test · kinds · an ensemble of 2 models ") {
		t.Error(stdout)
	}
}

func TestClassifiedRefuses(t *testing.T) {
	model, _ := classified(t, "--runs 2")
	other, facts := kinds(t, nil), t.TempDir()+"/facts"
	object(t, "train --dataset", smallGraph(t), quick, "--out", facts)
	eval, predict := "classify eval --model ", "classify predict --model "+model
	refuse(t, []refusal{
		{cli.Failed, "classify train --dataset", eval + other},
		{cli.Failed, "kinds is not the graph that the model was trained on, kinds: name the original " +
			"graph with --dataset", eval + model + " --dataset " + other},
		{cli.Misuse, "train", eval + model + " --split valid"},
		{cli.Failed, `kinds has no node "HUB"; did you mean <hub:0>, <hub:1>?`, predict + " --node HUB"},
		{cli.Misuse, "name a node with --node, or a file of nodes with --nodes", predict},
		{cli.Misuse, "name a node with --node, or", predict + " --node x:3 --nodes x"},
		{cli.Failed, "--nodes: ", predict + " --nodes missing.txt"},
		{cli.Failed, "it classifies nodes; use autoblm classify predict and autoblm classify eval",
			"eval --model " + model},
		{cli.Failed, "it classifies nodes", "model export --format npy --out vectors --model " + model},
		{cli.Failed, "it classifies nodes", "query eval --dataset " + other + " --model " + model},
		{cli.Failed, "the model does not classify nodes (see autoblm predict and eval",
			"classify eval --model " + facts},
		{cli.Misuse, "gpu", predict + " --node x:3 --backend gpu"},
		{cli.Failed, "cannot make the folder",
			"classify train --encoder gcn --dataset " + other + " --out " + other + "/graph.nt"},
	})
}
