package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
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
	for name, content := range tables {
		writeFile(t, content, dir, name)
	}
	return dir
}

func TestClassifyTrainJSON(t *testing.T) {
	train := "classify train --dataset " + kinds(t, nil)
	small := train + " --dim 8 --layers 1 --epochs 40 --lr 0.05 --dropout 0 --no-self-loops"
	has(t, object(t, small, "--structure 1,0;0,-2 --runs 3"), fields{
		"dataset": "kinds", "task": "classify", "encoder": "blm", "structure": "1,0;0,-2", "nodes": 26,
		"relations": 2, "edges": 48, "classes": 2, "train": 18, "test": 6, "dim": 8, "layers": 1,
		"cv_accuracy": 1, "test_accuracy": 1, "test_accuracies.#": 3,
	})
	has(t, object(t, small, "--encoder gcn --runs 0"),
		fields{"encoder": "gcn", "structure": nil, "test_accuracies": []any{}})
	for seed := range 4 { // what is given is not drawn
		o := object(t, train, "--structure distmult --epochs 2 --runs 0 --tune 3 --repeats 2",
			"--norm relation --no-self-loops --reverse --seen-by 3 --dim 8 --lr 0.02 --dropout 0",
			"--l2 0.5 --seed", fmt.Sprint(seed))
		has(t, o, fields{
			"norm": "relation", "self_loops": false, "reverse": true, "seen_by": 3, "tuned": 3,
			"repeats": 2, "dim": 8, "learning_rate": 0.02, "dropout": 0, "l2": 0.5,
		})
	}
}

func TestClassifyTrainText(t *testing.T) {
	stdout, _ := succeed(t, "classify train --verbose --dim 8 --structure distmult --epochs 4 --runs 2",
		"--seen-by 3 --dataset", kinds(t, nil))
	contains(t, flat(stdout), "kinds · DistMult · ", "2 runs", "One test node counts 0.167.",
		"nodes 26 relations 2 edges 48 classes 2 training nodes 18 test nodes 6",
		"d 8, 2 layers, norm none, without reverse edges, with self-loops, embeddings for "+
			"entities near 3 labelled nodes")
}

func TestClassifyLenient(t *testing.T) {
	dir := kinds(t, func(files map[string]string) { files["graph.nt"] += "nonsense\n<x:0> <r:0> .\n" })
	train := "classify train --structure distmult --epochs 2 --runs 0 --json --dataset " + dir
	refuse(t, []refusal{{cli.Failed, "graph.nt:49: malformed N-Triples", train}})
	stdout, stderr := succeed(t, train, "--lenient --verbose")
	contains(t, stderr, "skipped 2 malformed lines; the first: ")
	contains(t, stdout, `"edges":48,`, `"skipped":2,`)
}

// TestClassifyNormalize checks that labels that look alike are a warning, that --normalize merges
// them, and that the model opens its graph with merged labels.
func TestClassifyNormalize(t *testing.T) {
	data := kinds(t, func(files map[string]string) {
		files["graph.nt"] += "<x:1\u200b> <r:1> <hub:0> .\n"
	})
	train := "classify train --structure distmult --dim 8 --epochs 2 --runs 1 --dataset " + data
	apart := object(t, train)
	contains(t, fmt.Sprint(apart["warnings"]), "1 node label with a look-alike")
	model := t.TempDir() + "/model"
	merged := object(t, train, "--normalize --out", model)
	has(t, merged, fields{"warnings.#": 0, "nodes": number(t, apart, "nodes") - 1})
	_, stderr := succeed(t, "classify eval --model", model)
	same(t, "warnings of the model's graph", stderr, "")
}

func TestClassifyTrainRefuses(t *testing.T) {
	train := "classify train --dataset " + kinds(t, nil)
	changed := func(name, line string) string {
		dir := kinds(t, func(files map[string]string) { files[name] += line })
		return "classify train --encoder gcn --dataset " + dir
	}
	const unclear = "give either --structure or --encoder"
	refuse(t, []refusal{
		{cli.Misuse, unclear, train + " --structure distmult --encoder gcn"},
		{cli.Misuse, "unknown encoder", train + " --encoder gat"},
		{cli.Misuse, "lr is 0", train + " --encoder gcn --lr 0"},
		{cli.Failed, "dim is 10", train + " --structure distmult --dim 10"},
		{cli.Failed, "the names are aifb", "classify train --dataset nowhere --encoder gcn"},
		{cli.Failed, "testSet.tsv:8: the graph has no node x:99",
			changed("testSet.tsv", "x:99\tkind 0\n")},
		{cli.Failed, `class "odd" has 1 of the training nodes`,
			changed("trainingSet.tsv", "hub:0\todd\n")},
		{cli.Failed, "seen-by is 25: kinds has 24 labelled nodes", train + " --encoder gcn --seen-by 25"},
		{cli.Failed, "training diverged in epoch", train + " --encoder gcn --lr 1e30 --epochs 20"},
	})
}

func TestClassifyInterrupted(t *testing.T) {
	failInterrupted(t, "interrupted", "classify train --encoder gcn --dataset", kinds(t, nil))
}

// TestClassifierDefaults: without a structure, the encoder blm has that of the default model.
func TestClassifierDefaults(t *testing.T) {
	train := "classify train --epochs 1 --runs 0 --dataset " + kinds(t, nil)
	model := object(t, train)
	has(t, model, fields{"encoder": "blm", "structure": structure.MustParse("complex")})
	object(t, "classify predict --node x:3 --model", get(model, "out").(string)) // also without runs
	has(t, object(t, train, "--encoder gcn"), fields{"encoder": "gcn", "structure": nil})
}

// TestMajorityClass: a classifier that is not better than its most frequent class has a warning.
func TestMajorityClass(t *testing.T) {
	g := &rdf.Graph{Classes: []string{"few", "many"}}
	for node, class := range []int32{1, 0, 1, 1} {
		g.Train = append(g.Train, rdf.Label{Node: int32(node), Class: class})
	}
	for accuracy, want := range map[float64]string{
		0.75: "autoblm: warning: valid accuracy 0.750 is not above 0.750, the share of the most " +
			"frequent class (many)\nautoblm: train for more --epochs or --minutes, or try --tune 8\n",
		0.76: "",
	} {
		var stderr bytes.Buffer
		classifySummary{CVAccuracy: accuracy}.warnOfMajority(&output{Stderr: &stderr}, g)
		if got := stderr.String(); got != want {
			t.Errorf("accuracy %v: %q", accuracy, got)
		}
	}
}

// TestRefusedClassifyTraining checks that a graph that cannot be divided leaves no folder.
func TestRefusedClassifyTraining(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, "a,knows,b\nb,knows,c\nc,knows,d\nd,knows,a\n", dir, "facts.csv")
	writeFile(t, "a\tred\nb\tred\nc\tblue\nd\tblue\n", dir, "classes.tsv")
	out := filepath.Join(t.TempDir(), "out")
	fail(t, cli.Failed, "has 3 training nodes: they cannot be divided", "classify train --dataset", dir, "--out", out)
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a folder is left: %v", err)
	}
}
