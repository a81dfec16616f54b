package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// classified trains a model on the data of kinds and returns both folders.
func classified(t *testing.T, arguments ...string) (model, data string) {
	t.Helper()
	data = kinds(t, func(files map[string]string) {
		files["graph.nt"] += "<x:new> <r:1> <hub:0> .\n<x:new> <r:0> <hub:1> .\n"
	})
	model = filepath.Join(t.TempDir(), "model")
	o := object(t, append([]string{"classify", "train", "--dataset", data, "--encoder", "rgcn",
		"--dim", "8", "--layers", "1", "--epochs", "40", "--lr", "0.05",
		"--dropout", "0", "--no-self-loops", "--runs", "2", "--out", model}, arguments...)...)
	if o["out"] != model {
		t.Errorf("the model goes to %v", o["out"])
	}
	return model, data
}

func TestClassifyEvalJSON(t *testing.T) {
	model, data := classified(t)
	o := object(t, "classify", "eval", "--model", model)
	test, by := o["test"].(map[string]any), o["by"].([]any)
	if o["dataset"] != "kinds" || o["task"] != "classify" || o["encoder"] != "rgcn" ||
		o["structure"] != nil || o["dim"] != 8.0 || o["train"] != nil {
		t.Errorf("%v", o)
	}
	if test["nodes"] != 6.0 || test["accuracy"] != 1.0 || len(by) != 2 ||
		by[1].(map[string]any)["class"] != "kind 1" || by[1].(map[string]any)["nodes"] != 3.0 {
		t.Errorf("test %v, by class %v", test, by)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(data, moved); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := invoke(t.Context(), "classify", "eval", "--model", model)
	if status != cli.Failed || !strings.Contains(stderr, "with --dataset") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("without its data: exit status %d, %q", status, stderr)
	}
	o = object(t, "classify", "eval", "--model", model, "--dataset", moved, "--split", "train",
		"--backend", "go")
	if train := o["train"].(map[string]any); train["nodes"] != 18.0 || train["accuracy"] != 1.0 ||
		o["dataset"] != "moved" {
		t.Errorf("%v", o)
	}
}

func TestClassifyPredictJSON(t *testing.T) {
	model, _ := classified(t, "--runs", "0")
	for node, want := range map[string]struct {
		name, class  string
		label, split any
	}{
		"x:3":     {"<x:3>", "kind 1", "kind 1", "train"},
		"<x:6>":   {"<x:6>", "kind 0", "kind 0", "test"},
		"<x:new>": {"<x:new>", "kind 1", nil, nil},
	} {
		o := object(t, "classify", "predict", "--model", model, "--node", node, "--top", "1")
		answers := o["answers"].([]any)
		first := answers[0].(map[string]any)
		if o["node"] != want.name || o["label"] != want.label || o["split"] != want.split ||
			len(answers) != 1 || first["class"] != want.class || first["rank"] != 1.0 ||
			first["probability"].(float64) < 0.9 {
			t.Errorf("%s: %v", node, o)
		}
	}
}

// TestClassifyEnsemble: several models classify by the mean of their probabilities.
func TestClassifyEnsemble(t *testing.T) {
	sure, data := classified(t)
	vague := filepath.Join(t.TempDir(), "vague")
	object(t, "classify", "train", "--dataset", data, "--structure", "distmult", "--epochs", "1",
		"--runs", "0", "--out", vague)
	o := object(t, "classify", "eval", "--model", sure, "--model", vague)
	ensemble := o["ensemble"].([]any)
	if _, told := o["encoder"]; told || len(ensemble) != 2 ||
		ensemble[0].(map[string]any)["encoder"] != "rgcn" ||
		ensemble[1].(map[string]any)["encoder"] != "blm" || o["test"].(map[string]any)["nodes"] != 6.0 {
		t.Errorf("%v", o)
	}
	probability := func(folders ...string) float64 {
		arguments := []string{"classify", "predict", "--node", "x:3"}
		for _, folder := range folders {
			arguments = append(arguments, "--model", folder)
		}
		for _, a := range object(t, arguments...)["answers"].([]any) {
			if answer := a.(map[string]any); answer["class"] == "kind 1" {
				return answer["probability"].(float64)
			}
		}
		t.Fatal("there is no answer")
		return 0
	}
	one, other := probability(sure), probability(vague)
	if together := probability(sure, vague); math.Abs(one-other) < 0.1 ||
		math.Abs(together-(one+other)/2) > 1e-6 {
		t.Errorf("%v and %v are %v together", one, other, together)
	}
	if _, stdout, _ := invoke(t.Context(), "classify", "eval", "--model", sure, "--model",
		vague); !strings.HasPrefix(stdout, "kinds, an ensemble of 2 models: ") {
		t.Error(stdout)
	}
}

func TestClassifiedText(t *testing.T) {
	model, _ := classified(t)
	for _, c := range []struct {
		arguments []string
		parts     []string
	}{
		{[]string{"eval"}, []string{"kinds, rgcn, d 8: accuracy 100.00 % on 6 test nodes",
			"\nkind 1      3       100.00\n"}},
		{[]string{"predict", "--node", "x:6"}, []string{"<x:6>: test node, label kind 0\n",
			"100.00  label"}},
		{[]string{"predict", "--node", "x:new"}, []string{"<x:new>: no label\n", "\nkind 1     1"}},
	} {
		status, stdout, stderr := invoke(t.Context(),
			append([]string{"classify", c.arguments[0], "--model", model}, c.arguments[1:]...)...)
		for _, part := range c.parts {
			if status != cli.Done || !strings.Contains(stdout, part) || stderr != "" {
				t.Errorf("%v: exit status %d, %s without %q: %s", c.arguments, status, stdout, part, stderr)
			}
		}
	}
}

func TestClassifiedRefuses(t *testing.T) {
	model, _ := classified(t)
	other := kinds(t, nil)
	for name, c := range map[string]struct {
		status    int
		want      string
		arguments []string
	}{
		"no model": {cli.Failed, "is not a model folder", []string{"eval", "--model", other}},
		"another graph": {cli.Failed,
			"kinds is not the graph that the model was trained on, kinds: name the original graph with --dataset", []string{"eval", "--model", model, "--dataset", other}},
		"another split": {cli.Misuse, "train", []string{"eval", "--model", model, "--split", "valid"}},
		"unknown node": {cli.Failed, `kinds has no node "HUB"; did you mean <hub:0>, <hub:1>?`,
			[]string{"predict", "--model", model, "--node", "HUB"}},
		"no node": {cli.Misuse, "--node", []string{"predict", "--model", model}},
		"unknown backend": {cli.Misuse, "gpu", []string{"predict", "--model", model, "--node", "x:3",
			"--backend", "gpu"}},
		"a file there": {cli.Failed, "cannot make the folder",
			[]string{"train", "--dataset", other, "--encoder", "gcn", "--out",
				filepath.Join(other, "graph.nt")}},
	} {
		status, stdout, stderr := invoke(t.Context(), append([]string{"classify"}, c.arguments...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d, %q, %q", name, status, stdout, stderr)
		}
	}
}
