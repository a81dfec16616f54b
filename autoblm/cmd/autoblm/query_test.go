package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// queries samples queries from the small graph.
func queries(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "queries")
	o := object(t, "query", "sample", "--dataset", smallGraph(t), "--hops", "2,3", "--count", "60",
		"--out", dir)
	drawn := o["drawn"].([]any)
	if len(drawn) != 6 {
		t.Fatalf("two lengths in three splits are %v", drawn)
	}
	for _, each := range drawn {
		if n := each.(map[string]any)["queries"].(float64); n < 1 || n > 60 {
			t.Errorf("60 queries are %v", each)
		}
	}
	return dir
}

func TestQueryTrainAndEvalJSON(t *testing.T) {
	data, model := queries(t), filepath.Join(t.TempDir(), "model")
	quick := []string{"query", "train", "--dataset", data, "--dim", "8", "--batch", "16"}
	o := object(t, append(quick, "--structure", "simple", "--hops", "2", "--epochs", "8", "--out",
		model)...)
	loss := o["loss"].([]any)
	if o["task"] != "query" || o["model"] != "bilinear" || o["hops"] != 2.0 || len(loss) != 8 ||
		loss[7].(float64) >= loss[0].(float64) {
		t.Errorf("query train: %v", o)
	}
	again := object(t, "query", "eval", "--dataset", data, "--model", model)
	if got, want := asText(t, again["test"]), asText(t, o["test"]); got != want ||
		again["hops"] != 2.0 {
		t.Errorf("the model ranks %s, and in its training %s", got, want)
	}
	if again = object(t, "query", "eval", "--dataset", data, "--model", model, "--split",
		"valid"); asText(t, again["valid"]) != asText(t, o["valid"]) {
		t.Errorf("valid: %v, want %v", again, o["valid"])
	}

	// Paths may be longer than those of the training, and then that is said.
	status, stdout, stderr := invoke(t.Context(), "query", "eval", "--dataset", data, "--model", model,
		"--hops", "3")
	if status != cli.Done || !strings.Contains(stderr,
		"has 3 hops, the training of the model had up to 2 hops") || !strings.Contains(stdout, "3 hops") {
		t.Errorf("a longer path: status %d, %q, %q", status, stdout, stderr)
	}

	// Left to itself, eval ranks the paths that a model is for, not the longest that it
	// was trained on.
	o = object(t, append(quick, "--structure", "simple", "--hops", "2", "--with", "1,3", "--epochs",
		"2", "--out", model)...)
	if again := object(t, "query", "eval", "--dataset", data, "--model",
		model); again["hops"] != 2.0 || asText(t, again["test"]) != asText(t, o["test"]) ||
		asText(t, again["trained_hops"]) != "[1,2,3]" {
		t.Errorf("a model for 2 hops, trained on 1 to 3: %v, and in its training %v", again, o["test"])
	}

	for _, kind := range []string{"transe", "diag", "gqe", "q2b"} {
		o := object(t, append(quick, "--model", kind, "--hops", "3", "--with", "1,2", "--epochs", "2",
			"--optimizer", "adam", "--lr", "0.01", "--out", model)...)
		if o["model"] != kind || o["structure"] != nil || o["hops"] != 3.0 {
			t.Errorf("%s: %v", kind, o)
		}
		if again := object(t, "query", "eval", "--dataset", data, "--model", model); asText(t,
			again["test"]) != asText(t, o["test"]) {
			t.Errorf("%s: the model ranks %v, and in its training %v", kind, again["test"], o["test"])
		}
	}
}

// TestQueryNegatives: distance models use all entities by default, and a default margin with
// negatives.
func TestQueryNegatives(t *testing.T) {
	data := queries(t)
	loss := func(more ...string) string {
		o := object(t, append([]string{"query", "train", "--dataset", data, "--model", "q2b", "--dim",
			"8", "--epochs", "1", "--max-steps", "1", "--lr", "0.01"}, more...)...)
		return asText(t, o["loss"])
	}
	if usual, all := loss(), loss("--negatives", "0"); usual != all {
		t.Errorf("the usual loss is %s, and %s of all entities", usual, all)
	}
	drawn := loss("--negatives", "16")
	if with := loss("--negatives", "16", "--margin", "0.48"); with != drawn || drawn == loss() {
		t.Errorf("the loss of 16 negatives is %s, and %s with the margin of Query2box", drawn, with)
	}
	if without := loss("--negatives", "16", "--margin", "0"); without == drawn {
		t.Error("the margin makes no difference")
	}
}

// TestQuerySampleKeepsQueries: existing queries stay, and missing ones are sampled.
func TestQuerySampleKeepsQueries(t *testing.T) {
	data := queries(t)
	if err := os.Remove(filepath.Join(data, "train-2p.txt.gz")); err != nil {
		t.Fatal(err)
	}
	train := func(data string) (status int, stderr string) {
		status, _, stderr = invoke(t.Context(), "query", "train", "--dataset", data, "--structure",
			"simple", "--dim", "8", "--epochs", "1")
		return status, stderr
	}
	if status, stderr := train(data); status != cli.Done ||
		!strings.Contains(stderr, "no train queries of 2 hops") {
		t.Errorf("without queries to train on: status %d, %q", status, stderr)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	object(t, "query", "sample", "--dataset", data, "--hops", "2", "--split", "train", "--out", whole)
	if status, stderr := train(whole); status != cli.Done || stderr != "" {
		t.Errorf("with drawn queries: status %d, %q", status, stderr)
	}
	for _, name := range []string{"test-2p.txt.gz", "valid-3p.txt.gz"} {
		before, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(filepath.Join(whole, name)); err != nil ||
			string(after) != string(before) {
			t.Errorf("%s is not as it was: %v", name, err)
		}
	}
}

func TestQueryRefusals(t *testing.T) {
	data, graph := queries(t), smallGraph(t)
	broken := func(file, line string) string {
		dir := filepath.Join(t.TempDir(), "broken")
		if err := os.CopyFS(dir, os.DirFS(data)); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, file+".gz")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	train := func(dataset string, more ...string) []string {
		return append([]string{"query", "train", "--dataset", dataset, "--dim", "8", "--epochs", "1"},
			more...)
	}
	simple := []string{"--structure", "simple"}
	for name, c := range map[string]struct {
		status    int
		says      string
		arguments []string
	}{
		"neither structure nor model": {cli.Misuse, "--structure or --model", train(data)},
		"both": {cli.Misuse, "--structure or --model",
			train(data, "--structure", "simple", "--model", "gqe")},
		"unknown model": {cli.Misuse, "trance", train(data, "--model", "trance")},
		"no hops": {cli.Misuse, "hops is 0",
			train(data, "--structure", "simple", "--hops", "0")},
		"dropout of distances": {cli.Misuse, "dropout",
			train(data, "--model", "transe", "--dropout", "0.1")},
		"products of distances": {cli.Misuse, "products",
			train(data, "--model", "transe", "--products", "0.1")},
		"threads below 0": {cli.Misuse, "threads",
			train(data, "--structure", "simple", "--threads=-1")},
		"diverged": {cli.Failed, "diverged",
			train(data, "--structure", "simple", "--lr", "1e38", "--epochs", "3")},
		"unknown entity": {cli.Failed, "test-2p.txt:1: unknown entity 999",
			train(broken("test-2p.txt", "999\t0,1\t1\t2"), simple...)},
		"unknown relation": {cli.Failed, "test-2p.txt:1: unknown relation 998",
			train(broken("test-2p.txt", "1\t0,998\t1\t2"), simple...)},
		"a query without answers": {cli.Failed, "valid-2p.txt:1: a query without answers",
			train(broken("valid-2p.txt", "1\t0,1\t\t2"), simple...)},
		"another length": {cli.Failed, "move it to",
			train(broken("train-2p.txt", "1\t0,1,0\t1"), simple...)},
		"no model folder": {cli.Failed, "model.json",
			[]string{"query", "eval", "--dataset", data, "--model", data}},
		"into the same folder": {cli.Failed, "already holds queries",
			[]string{"query", "sample", "--dataset", data, "--hops", "2", "--out", data}},
		"a path of no hops": {cli.Misuse, "hops is 0: it must be from 1 to 99",
			[]string{"query", "sample", "--dataset", graph, "--hops", "0", "--out", t.TempDir() + "/new"}},
		"unknown split": {cli.Misuse, "split",
			[]string{"query", "sample", "--dataset", graph, "--hops", "2", "--split", "tests", "--out",
				t.TempDir() + "/new"}},
	} {
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 ||
			stdout != "" {
			t.Errorf("%s: status %d, want %d; stderr %q, which should say %q in one line; stdout %q", name,
				status, c.status, stderr, c.says, stdout)
		}
	}
}

func TestInterruptedQueryTrainingKeepsItsModel(t *testing.T) {
	data, model := queries(t), filepath.Join(t.TempDir(), "model")
	interruptEarly(t, "query", "train", "--recipe", "basic", "--dataset", data, "--structure",
		"simple", "--dim", "4", "--epochs", "100000000", "--out", model)
	object(t, "query", "eval", "--model", model, "--dataset", data)
}

// TestFolderBeforeName: a folder of queries here is preferred to data with the same name, with a
// note.
func TestFolderBeforeName(t *testing.T) {
	data, graph := t.TempDir(), smallGraph(t)
	t.Setenv("AUTOBLM_DATA", data)
	t.Chdir(t.TempDir())
	for folder, hops := range map[string]string{filepath.Join(data, "q"): "3", "q": "2"} {
		object(t, "query", "sample", "--dataset", graph, "--hops", hops, "--count", "20", "--out", folder)
	}
	status, _, stderr := invoke(t.Context(), "query", "train", "--dataset", "q", "--structure",
		"simple", "--hops", "2", "--dim", "4", "--epochs", "1", "--out", "m")
	if status != cli.Done || strings.Count(stderr, "q is the folder ") != 1 ||
		strings.Contains(stderr, "were drawn") {
		t.Errorf("status %d, %q", status, stderr)
	}
	if err := os.Rename(graph, "umls"); err != nil {
		t.Fatal(err)
	}
	standIn(t, "umls")
	for _, arguments := range [][]string{
		{"dataset", "info", "umls"},
		{"train", "--dataset", "umls", "--structure", "simple", "--dim", "4", "--epochs", "1", "--out",
			"m2"},
		{"eval", "--dataset", "umls", "--model", "m2"},
		{"search", "--recipe", "basic", "--dataset", "umls", "--budget", "6", "--dim", "4", "--epochs",
			"1", "--out", "s"},
	} {
		if status, _, stderr := invoke(t.Context(), arguments...); status != cli.Done ||
			strings.Count(stderr, "umls is the folder ") != 1 {
			t.Errorf("%v: status %d, %q", arguments, status, stderr)
		}
	}
}

// TestStudyFindsItsDataByTheirName, not in a folder here with that name.
func TestStudyFindsItsDataByTheirName(t *testing.T) {
	standIn(t, "umls")
	t.Chdir(t.TempDir())
	quick := []string{"--budget", "6", "--dim", "4", "--epochs", "1", "--out", "s"}
	object(t, append([]string{"search", "--recipe", "basic", "--dataset", "umls"}, quick...)...)
	if err := os.WriteFile("one.txt", []byte("a\tr\tb\na\tr\tc\nb\tr\tc\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	object(t, "dataset", "split", "one.txt", "--out", "umls")
	object(t, "study", "resume", filepath.Join("s", "study.db"), "--budget", "7")
	if status, _, stderr := invoke(t.Context(), "predict", "--model", filepath.Join("s", "model"),
		"--head", "e10", "--relation", "near"); status != cli.Done ||
		strings.Contains(stderr, "not marked") {
		t.Errorf("status %d, %q", status, stderr)
	}
}
