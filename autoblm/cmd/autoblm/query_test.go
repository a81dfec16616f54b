package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// queries samples queries from the small graph.
func queries(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "queries")
	o := object(t, "query sample --hops 2,3 --count 60 --dataset", smallGraph(t), "--out", dir)
	has(t, o, fields{"drawn.#": 6}) // two lengths in three splits
	for _, each := range o["drawn"].([]any) {
		if n := number(t, each, "queries"); n < 1 || n > 60 {
			t.Errorf("60 queries are %v", each)
		}
	}
	return dir
}

func TestQueryTrainAndEvalJSON(t *testing.T) {
	data, model := queries(t), t.TempDir()+"/model"
	train := "query train --dim 8 --batch 16 --dataset " + data + " --out " + model
	eval := "query eval --dataset " + data + " --model " + model
	o := object(t, train, "--structure simple --hops 2 --epochs 8")
	has(t, o, fields{"task": "query", "model": "bilinear", "hops": 2, "loss.#": 8})
	if number(t, o, "loss.7") >= number(t, o, "loss.0") {
		t.Errorf("query train: %v", o)
	}
	has(t, object(t, eval), fields{"hops": 2, "test": o["test"]})
	has(t, object(t, eval, "--split valid"), fields{"valid": o["valid"]})

	// Paths may be longer than those of the training, and then that is said.
	stdout, stderr := succeed(t, eval, "--hops 3")
	contains(t, stderr, "has 3 hops, the training of the model had up to 2 hops")
	contains(t, stdout, "3 hops")

	// Left to itself, eval ranks the paths that a model is for, not the longest that it
	// was trained on.
	must(t, os.RemoveAll(model))
	o = object(t, train, "--structure simple --hops 2 --with 1,3 --epochs 2")
	has(t, object(t, eval), fields{"hops": 2, "test": o["test"], "trained_hops": []int{1, 2, 3}})

	for _, kind := range []string{"transe", "diag", "gqe", "q2b"} {
		must(t, os.RemoveAll(model))
		o := object(t, train, "--model", kind, "--hops 3 --with 1,2 --epochs 2 --optimizer adam",
			"--lr 0.01")
		has(t, o, fields{"model": kind, "structure": nil, "hops": 3})
		has(t, object(t, eval), fields{"test": o["test"]})
	}
	fail(t, cli.Misuse, "use autoblm query eval", "eval --model", model)
}

// TestQueryNegatives: distance models use all entities by default, and a default margin with
// negatives.
func TestQueryNegatives(t *testing.T) {
	data := queries(t)
	loss := func(flags string) string {
		o := object(t, "query train --model q2b --dim 8 --epochs 1 --max-steps 1 --lr 0.01 --dataset",
			data, flags)
		return asText(t, o["loss"])
	}
	all, drawn := loss(""), loss("--negatives 16")
	same(t, "without negatives", loss("--negatives 0"), all)
	same(t, "the margin of Query2box", loss("--negatives 16 --margin 0.48"), drawn)
	if drawn == all || loss("--negatives 16 --margin 0") == drawn {
		t.Error("the negatives or the margin make no difference")
	}
}

// TestQuerySampleOfOneHop: all queries of one hop are kept, also if fewer are requested.
func TestQuerySampleOfOneHop(t *testing.T) {
	sample := "query sample --split train --dataset " + smallGraph(t) + " --out " + t.TempDir()
	_, stderr := succeed(t, sample+"/few --hops 1,2 --count 5")
	contains(t, stderr, " train paths of 1 hop are kept, as they are the graph")
	_, stderr = succeed(t, sample+"/many --hops 1 --count 1000000")
	if strings.Contains(stderr, "only") {
		t.Error(stderr)
	}
	if _, stderr := succeed(t, sample+"/all --hops 1,2"); strings.Contains(stderr, "are kept") {
		t.Errorf("without --count: %q", stderr)
	}
}

// TestQuerySampleKeepsQueries: existing queries stay, and missing ones are sampled.
func TestQuerySampleKeepsQueries(t *testing.T) {
	data, whole := queries(t), t.TempDir()+"/whole"
	must(t, os.Remove(filepath.Join(data, "train-2p.txt.gz")))
	_, stderr := succeed(t, "query train --dataset", data, quick)
	contains(t, stderr, "drew queries of 2 hops")
	object(t, "query sample --hops 2 --split train --dataset", data, "--out", whole)
	if _, stderr := succeed(t, "query train --dataset", whole, quick); strings.Contains(stderr, "drew") {
		t.Errorf("with drawn queries: %q", stderr)
	}
	for _, name := range []string{"test-2p.txt.gz", "valid-3p.txt.gz"} {
		if readFile(t, whole, name) != readFile(t, data, name) {
			t.Errorf("%s is not as it was", name)
		}
	}
}

func TestQueryRefusals(t *testing.T) {
	data, graph := queries(t), smallGraph(t)
	broken := func(file, line string) string {
		dir := filepath.Join(t.TempDir(), "broken")
		copyFolder(t, dir, data)
		must(t, os.Remove(filepath.Join(dir, file+".gz")))
		writeFile(t, line+"\n", dir, file)
		return "query train --dataset " + dir + quick
	}
	train := "query train --dim 8 --epochs 1 --dataset " + data
	stdout, _ := succeed(t, train, "--out", t.TempDir()+"/m")
	contains(t, stdout, "ComplEx") // the default
	sample := "query sample --out " + t.TempDir() + "/new --dataset " + graph
	refuse(t, []refusal{
		{cli.Misuse, "--structure or --model", train + " --structure simple --model gqe"},
		{cli.Misuse, "trance", train + " --model trance"},
		{cli.Misuse, "dropout", train + " --model transe --dropout 0.1"},
		{cli.Misuse, "products", train + " --model transe --products 0.1"},
		{cli.Failed, "diverged", train + " --structure simple --lr 1e38 --epochs 3"},
		{cli.Failed, "test-2p.txt:1: unknown entity 999", broken("test-2p.txt", "999\t0,1\t1\t2")},
		{cli.Failed, "test-2p.txt:1: unknown relation 998", broken("test-2p.txt", "1\t0,998\t1\t2")},
		{cli.Failed, "valid-2p.txt:1: a query without answers",
			broken("valid-2p.txt", "1\t0,1\t\t2")},
		{cli.Failed, "move it to", broken("train-2p.txt", "1\t0,1,0\t1")},
		{cli.Failed, "query train --dataset", "query eval --dataset " + data + " --model " + data},
		{cli.Failed, "already holds queries",
			"query sample --hops 2 --dataset " + data + " --out " + data},
		{cli.Misuse, "hops is 0: it must be from 1 to 99", sample + " --hops 0"},
		{cli.Misuse, "hops is 2 and 2: give each once", sample + " --hops 2,2"},
		{cli.Misuse, "split is test and test: give each once", sample + " --hops 2 --split test,test"},
		{cli.Misuse, "split", sample + " --hops 2 --split tests"},
	})
}

// TestQueryHelpNamesItsModels checks that the help names just the models that paths can train.
func TestQueryHelpNamesItsModels(t *testing.T) {
	help, _ := succeed(t, "query train --help-all")
	if strings.Contains(help, "batch-norm") {
		t.Error("no path is trained with batch normalization, but the help has it")
	}
	list := help[strings.Index(help, "--model="):strings.Index(help, "\n\nTraining")]
	for _, name := range form.Names()[1:] {
		isNamed := regexp.MustCompile(`\b` + name + `\b`).MatchString(list)
		model := strings.NewReplacer("-C", "-2", "-K", "-2", "-NUMBERS", "-wn18rr").Replace(name)
		var f form.Form
		must(t, f.UnmarshalText([]byte(model)))
		if _, isNeural := f.Neural(); isNamed == isNeural {
			t.Errorf("%s is named: %v, want %v:\n%s", name, isNamed, !isNeural, list)
		}
	}
}

func TestInterruptedQueryTrainingKeepsItsModel(t *testing.T) {
	data, model := queries(t), t.TempDir()+"/model"
	interruptEarly(t, "query train --recipe basic --structure simple --dim 4 --epochs 100000000",
		"--dataset", data, "--out", model)
	object(t, "query eval --model", model, "--dataset", data)
}

// TestFolderBeforeName: a folder of queries here is preferred to data with the same name, with a
// note.
func TestFolderBeforeName(t *testing.T) {
	data, graph := t.TempDir(), smallGraph(t)
	t.Setenv("AUTOBLM_DATA", data)
	t.Chdir(t.TempDir())
	sample := "query sample --count 20 --dataset " + graph
	object(t, sample, "--hops 3 --out", data+"/q")
	object(t, sample, "--hops 2 --out q")
	_, stderr := succeed(t, "query train --dataset q --hops 2 --out m", quick)
	if strings.Count(stderr, "q is the folder ") != 1 || strings.Contains(stderr, "drew") {
		t.Error(stderr)
	}
	must(t, os.Rename(graph, "umls"))
	standIn(t, "umls")
	for _, line := range []string{
		"dataset info umls",
		"train --dataset umls --out m2" + quick,
		"eval --dataset umls --model m2",
		"search --recipe basic --dataset umls --out s" + quickSearch,
	} {
		if _, stderr := succeed(t, line); strings.Count(stderr, "umls is the folder ") != 1 {
			t.Errorf("%s: %q", line, stderr)
		}
	}
}

// TestStudyFindsItsDataByTheirName, not in a folder here with that name.
func TestStudyFindsItsDataByTheirName(t *testing.T) {
	standIn(t, "umls")
	t.Chdir(t.TempDir())
	object(t, "search --recipe basic --dataset umls --out s", quickSearch)
	writeFile(t, "a\tr\tb\na\tr\tc\nb\tr\tc\n", "one.txt")
	object(t, "dataset import one.txt --out umls")
	object(t, "study resume s/study.db --budget 3")
	_, stderr := succeed(t, "predict --head e10 --relation near --model s/model")
	if strings.Contains(stderr, "not marked") {
		t.Error(stderr)
	}
}

// TestNextPathHasTheHopsOfTheTraining: the suggested command works and asks for a path as long as
// those of the training.
func TestNextPathHasTheHopsOfTheTraining(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	stdout, stderr := succeed(t, "query train --hops 2 --out m --dataset", graph, quick)
	if strings.Count(stderr, "drew queries of 1 hop and 2 hops") != 1 {
		t.Errorf("notices %q", stderr)
	}
	_, next, _ := strings.Cut(flat(strings.ReplaceAll(stdout, "\\\n", "")), " query predict ")
	_, path, _ := strings.Cut(next, " --path ")
	if strings.Count(path, ",") != 1 {
		t.Errorf("the suggested path is %q", path)
	}
	succeed(t, "query predict", next)

	object(t, "query sample --hops 1,2 --count 20 --out q --dataset", graph)
	stdout, _ = succeed(t, "query eval --model m --dataset q")
	_, path, _ = strings.Cut(flat(strings.ReplaceAll(stdout, "\\\n", "")), " --path ")
	if strings.Count(path, ",") != 1 {
		t.Errorf("after ranking 2 hops, the suggested path is %q", path)
	}
}
