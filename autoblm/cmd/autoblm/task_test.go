package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
)

var smallSearch = []string{"--k", "4", "--budget", "6", "--candidates", "8", "--round-size", "4",
	"--parents", "4", "--predictor", "none", "--epochs", "2"}

// TestSearchForQueriesJSON searches, resumes, and uses the model of a search for queries.
func TestSearchForQueriesJSON(t *testing.T) {
	data, out := queries(t), filepath.Join(t.TempDir(), "out")
	o := object(t, append([]string{"search", "--recipe", "basic", "--task", "query", "--dataset", data,
		"--hops", "2", "--dim", "8", "--out", out}, smallSearch...)...)
	best := o["best"].([]any)[0].(map[string]any)
	if o["task"] != "query" || o["trained"] != 6.0 || len(o["baselines"].([]any)) != 5 ||
		best["valid_mrr"] == nil || best["test_mrr"] == nil {
		t.Errorf("search: %v", o)
	}
	contents, err := study.Read(filepath.Join(out, studyName))
	if err != nil {
		t.Fatal(err)
	}
	if s := contents.About.Settings.Training; !s.Reciprocal || s.Batch != 512 ||
		contents.About.Settings.N3 != 0 {
		t.Errorf("the defaults are those of completion: %+v", s)
	}
	trained := object(t, "query", "train", "--recipe", "basic", "--dataset", data, "--structure",
		best["structure"].(string), "--dim", "8", "--epochs", "2", "--out", filepath.Join(out, "again"))
	if got, want := trained["valid"].(map[string]any)["mrr"], best["valid_mrr"]; got != want {
		t.Errorf("the best structure alone comes to %v, in the search to %v", got, want)
	}
	ranked := object(t, "query", "eval", "--dataset", data, "--model", filepath.Join(out, "model"),
		"--split", "valid")
	if got := ranked["valid"].(map[string]any)["mrr"]; ranked["hops"] != 2.0 ||
		got.(float64) < best["valid_mrr"].(float64) {
		t.Errorf("the model of the search ranks %v, the best structure has %v", ranked, best)
	}
	file := filepath.Join(out, studyName)
	more := object(t, "study", "resume", file, "--budget", "10")
	if more["resumed"] != 6.0 || more["trained"] != 10.0 || more["task"] != "query" {
		t.Errorf("gone on: %v", more)
	}
	if shown := object(t, "study", "best", file, "--out",
		filepath.Join(out, "best")); shown["structure"] == nil {
		t.Errorf("best: %v", shown)
	}
	if ranked = object(t, "query", "eval", "--dataset", data, "--model",
		filepath.Join(out, "best")); ranked["hops"] != 2.0 {
		t.Errorf("the best model: %v", ranked)
	}
	resumesByCommand(t, file)
}

func TestSearchForClassesJSON(t *testing.T) {
	data, out := kinds(t, nil), filepath.Join(t.TempDir(), "out")
	arguments := append([]string{"search", "--recipe", "basic", "--task", "classify", "--dataset",
		data, "--dim", "8", "--layers", "1", "--runs", "1", "--no-self-loops", "--norm", "relation",
		"--seen-by", "2", "--out", out}, smallSearch...)
	o := object(t, arguments...)
	best := o["best"].([]any)[0].(map[string]any)
	if o["task"] != "classify" || o["trained"] != 6.0 || best["valid_mrr"] != nil ||
		best["cv_accuracy"] == nil || best["test_accuracy"] == nil {
		t.Errorf("search: %v", o)
	}
	trained := object(t, "classify", "train", "--dataset", data, "--structure",
		best["structure"].(string), "--dim", "8", "--epochs", "2", "--layers", "1", "--runs", "1",
		"--no-self-loops", "--norm", "relation", "--seen-by", "2")
	if trained["cv_accuracy"] != best["cv_accuracy"] ||
		trained["test_accuracy"] != best["test_accuracy"] {
		t.Errorf("the best structure alone comes to %v, in the search to %v", trained, best)
	}
	reference := object(t, append(arguments, "--engine", "gomlx", "--study",
		filepath.Join(out, "gomlx.db"))...)
	if asText(t, reference["baselines"]) != asText(t, o["baselines"]) {
		t.Errorf("on gomlx the named models come to %v, and else to %v", reference["baselines"],
			o["baselines"])
	}
	file := filepath.Join(out, studyName)
	if more := object(t, "study", "resume", file, "--budget", "10"); more["resumed"] != 6.0 ||
		more["trained"] != 10.0 {
		t.Errorf("gone on: %v", more)
	}
	status, stdout, _ := invoke(t.Context(), "study", "show", file)
	if status != cli.Done || strings.Contains(stdout, "valid MRR") ||
		!strings.Contains(stdout, "CV accuracy") {
		t.Errorf("shown: %s", stdout)
	}
	resumesByCommand(t, file)
}

// resumesByCommand runs the command of a study again.
func resumesByCommand(t *testing.T, file string) {
	t.Helper()
	contents, err := study.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	command := append(slices.Clone(contents.About.Command), "--budget", "10", "--study", file)
	if o := object(t, command...); o["resumed"] != 10.0 || o["trained"] != 10.0 {
		t.Errorf("%v: %v", command, o)
	}
}

// TestMissingQueriesAreSampled: missing queries are sampled with a note, the same ones each time.
func TestMissingQueriesAreSampled(t *testing.T) {
	graph := smallGraph(t)
	train := []string{"query", "train", "--dataset", graph, "--structure", "simple", "--dim", "8",
		"--epochs", "1"}
	status, _, stderr := invoke(t.Context(), train...)
	if status != cli.Done || strings.Count(stderr, "were drawn") != 6 { // of two hops, and of one beside them
		t.Errorf("status %d, %q", status, stderr)
	}
	if first, second := object(t, train...), object(t, train...); asText(t, first["test"]) != asText(t,
		second["test"]) || first["test"] == nil {
		t.Errorf("%v, and again %v", first["test"], second["test"])
	}
	o := object(t, append([]string{"search", "--recipe", "basic", "--task", "query", "--dataset",
		graph, "--dim", "8", "--out", t.TempDir()}, smallSearch...)...)
	if o["trained"] != 6.0 {
		t.Errorf("search: %v", o)
	}
}

func TestTaskRefusals(t *testing.T) {
	graph, classes := smallGraph(t), kinds(t, nil)
	for name, c := range map[string]struct {
		status    int
		says      string
		arguments []string
	}{
		"unknown task": {cli.Misuse, "--task", []string{"--task", "conjure"}},
		"a recipe": {cli.Misuse, "no recipe n3 for --task query",
			[]string{"--task", "query", "--dataset", "fb15k-237", "--recipe", "n3"}},
		"label smoothing": {cli.Misuse, "label smoothing",
			[]string{"--task", "query", "--dataset", graph, "--label-smoothing", "0.1"}},
		"tuning classes": {cli.Misuse, "classify train --tune",
			[]string{"--task", "classify", "--dataset", classes, "--tune", "2"}},
		"rungs of classes": {cli.Misuse, "set halving to 0",
			[]string{"--task", "classify", "--dataset", classes, "--halving", "1"}},
		"queries on gomlx": {cli.Misuse, "cpu only",
			[]string{"--task", "query", "--dataset", graph, "--engine", "gomlx"}},
		"queries on a backend": {cli.Misuse, "cpu only, which has no backend",
			[]string{"--task", "query", "--dataset", graph, "--backend", "go"}},
		"classes on cpu": {cli.Misuse, "has no backend",
			[]string{"--task", "classify", "--dataset", classes, "--engine", "cpu", "--backend", "go"}},
		"classes of a graph": {cli.Failed, "small",
			[]string{"--task", "classify", "--dataset", graph}},
		"paths without a hop": {cli.Misuse, "hops is 0: it must be from 1 to 99",
			[]string{"--task", "query", "--dataset", graph, "--hops", "0"}},
		"classes without a dim": {cli.Misuse, "dim is 6",
			[]string{"--task", "classify", "--dataset", classes, "--dim", "6"}},
	} {
		arguments := append([]string{"search", "--recipe", "basic", "--out",
			filepath.Join(t.TempDir(), "out")}, c.arguments...)
		status, stdout, stderr := invoke(t.Context(), arguments...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 ||
			stdout != "" {
			t.Errorf("%s: status %d, want %d; stderr %q, which should say %q in one line; stdout %q", name,
				status, c.status, stderr, c.says, stdout)
		}
	}
}
