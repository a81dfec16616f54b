package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// kinds writes an RDF graph whose nodes point at two hubs with the relation of their class.
func kinds(t *testing.T, change func(files map[string]string)) string {
	t.Helper()
	var triples strings.Builder
	tables := map[string]string{"trainingSet.tsv": "node\tlabel\n", "testSet.tsv": "node\tlabel\n"}
	for i := range 24 {
		fmt.Fprintf(&triples, "<x:%d> <r:%d> <hub:0> .\n<x:%d> <r:%d> <hub:1> .\n", i, i%2, i, 1-i%2)
		table := "trainingSet.tsv"
		if i/2%4 == 3 {
			table = "testSet.tsv"
		}
		tables[table] += fmt.Sprintf("x:%d\tkind %d\n", i, i%2)
	}
	tables["graph.nt"] = triples.String()
	if change != nil {
		change(tables)
	}
	dir := filepath.Join(t.TempDir(), "kinds")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range tables {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestClassifyTrainJSON(t *testing.T) {
	dir := kinds(t, nil)
	quick := []string{"classify", "train", "--dataset", dir, "--dim", "8", "--layers", "1", "--epochs",
		"40", "--lr", "0.05", "--dropout", "0", "--no-self-loops"}
	o := object(t, append(quick, "--structure", "1,0;0,-2", "--runs", "3")...)
	for key, want := range map[string]any{
		"dataset": "kinds", "task": "classify", "encoder": "blm", "structure": "1,0;0,-2", "nodes": 26.0,
		"relations": 2.0, "edges": 48.0, "classes": 2.0,
		"train": 18.0, "test": 6.0, "dim": 8.0, "layers": 1.0, "cv_accuracy": 1.0, "test_accuracy": 1.0,
	} {
		if o[key] != want {
			t.Errorf("%s is %v, not %v", key, o[key], want)
		}
	}
	if runs := o["test_accuracies"].([]any); len(runs) != 3 {
		t.Errorf("three runs have the accuracies %v", runs)
	}

	o = object(t, append(quick, "--encoder", "gcn", "--runs", "0")...)
	if runs, ok := o["test_accuracies"].([]any); o["encoder"] != "gcn" || o["structure"] != nil ||
		!ok || len(runs) != 0 {
		t.Errorf("gcn without runs: %v", o)
	}

	for seed := range 4 { // what is given is not drawn
		o = object(t, "classify", "train", "--dataset", dir, "--structure", "distmult", "--epochs", "2",
			"--runs", "0", "--tune", "3", "--seed", fmt.Sprint(seed), "--repeats", "2", "--norm", "relation",
			"--no-self-loops", "--reverse", "--seen-by", "3")
		if o["norm"] != "relation" || o["self_loops"] != false || o["reverse"] != true ||
			o["seen_by"] != 3.0 || o["tuned"] != 3.0 || o["repeats"] != 2.0 {
			t.Errorf("tuning changed what was given: %v", o)
		}
	}
}

func TestClassifyTrainText(t *testing.T) {
	status, stdout, stderr := invoke(t.Context(), "classify", "train", "--dataset", kinds(t, nil),
		"--structure", "distmult", "--dim", "8", "--epochs", "4", "--runs", "2", "--seen-by", "3")
	for _, part := range []string{"kinds: 26 nodes, 2 relations, 48 edges, 2 classes; 18 training and 6 test nodes", "DistMult, d 8, 2 layers, norm none, without reverse edges, with self-loops, embeddings for entities near 3 labelled nodes", "test, mean of 2 runs", "One test node is 16.67 %."} {
		if status != cli.Done || !strings.Contains(stdout, part) {
			t.Errorf("exit status %d, %s without %q: %s", status, stdout, part, stderr)
		}
	}
}

func TestClassifyLenient(t *testing.T) {
	dir := kinds(t, func(files map[string]string) { files["graph.nt"] += "nonsense\n<x:0> <r:0> .\n" })
	arguments := []string{"classify", "train", "--dataset", dir, "--structure", "distmult", "--epochs",
		"2", "--runs", "0", "--json"}
	status, _, stderr := invoke(t.Context(), arguments...)
	if status != cli.Failed || !strings.Contains(stderr, "graph.nt:49: malformed N-Triples") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("a malformed line: exit status %d, %q", status, stderr)
	}
	status, stdout, stderr := invoke(t.Context(), append(arguments, "--lenient")...)
	if status != cli.Done || !strings.Contains(stderr, "skipped 2 malformed lines; the first: ") ||
		!strings.Contains(stdout, `"edges":48,`) || !strings.Contains(stdout, `"skipped":2,`) {
		t.Errorf("a malformed line, leniently: exit status %d, %q, %q", status, stdout, stderr)
	}
}

func TestClassifyTrainRefuses(t *testing.T) {
	good := kinds(t, nil)
	table := func(name, line string) string {
		return kinds(t, func(files map[string]string) { files[name] += line })
	}
	for name, c := range map[string]struct {
		status    int
		want      string
		arguments []string
	}{
		"neither structure nor encoder": {cli.Misuse, "give either --structure or --encoder",
			[]string{"--dataset", good}},
		"both": {cli.Misuse, "give either --structure or --encoder",
			[]string{"--dataset", good, "--structure", "distmult", "--encoder", "gcn"}},
		"blm without a structure": {cli.Misuse, "give either --structure or --encoder",
			[]string{"--dataset", good, "--encoder", "blm"}},
		"unknown encoder": {cli.Misuse, "unknown encoder",
			[]string{"--dataset", good, "--encoder", "gat"}},
		"bad rate": {cli.Misuse, "learning-rate is 0",
			[]string{"--dataset", good, "--encoder", "gcn", "--lr", "0"}},
		"chunks that do not fit": {cli.Failed, "dim is 10",
			[]string{"--dataset", good, "--structure", "distmult", "--dim", "10"}},
		"no such data": {cli.Failed, "the names are aifb",
			[]string{"--dataset", "nowhere", "--encoder", "gcn"}},
		"label of an unknown node": {cli.Failed, "testSet.tsv:8: the graph has no node <x:99>",
			[]string{"--dataset", table("testSet.tsv", "x:99\tkind 0\n"), "--encoder", "gcn"}},
		"one of a class": {cli.Failed, `class "odd" has 1 of the training nodes`,
			[]string{"--dataset", table("trainingSet.tsv", "hub:0\todd\n"), "--encoder", "gcn"}},
		"seen by fewer than none": {cli.Misuse, "seen-by is -1",
			[]string{"--dataset", good, "--encoder", "gcn", "--seen-by=-1"}},
		"seen by more than there are": {cli.Failed, "seen-by is 25: kinds has 24 labelled nodes",
			[]string{"--dataset", good, "--encoder", "gcn", "--seen-by", "25"}},
		"diverges": {cli.Failed, "training diverged in epoch",
			[]string{"--dataset", good, "--encoder", "gcn", "--lr", "1e30", "--epochs", "20"}},
	} {
		status, stdout, stderr := invoke(t.Context(),
			append([]string{"classify", "train"}, c.arguments...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d, %q, %q", name, status, stdout, stderr)
		}
	}
}

func TestClassifyInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	status, stdout, stderr := invoke(ctx, "classify", "train", "--dataset", kinds(t, nil), "--encoder",
		"gcn")
	if status != cli.Failed || stdout != "" || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
}
