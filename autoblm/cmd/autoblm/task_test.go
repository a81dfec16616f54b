package main

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
)

const smallSearch = " --k 4 --budget 6 --candidates 8 --round-size 4 --parents 4 " +
	"--predictor none --epochs 2 "

// TestSearchForQueriesJSON searches, resumes, and uses the model of a search for queries.
func TestSearchForQueriesJSON(t *testing.T) {
	data, out := queries(t), t.TempDir()
	o := object(t, "search --recipe basic --task query --hops 2 --dim 8", smallSearch,
		"--dataset", data, "--out", out)
	has(t, o, fields{"task": "query", "trained": 6, "baselines.#": 5})
	best := get(o, "best.0")
	number(t, best, "test_mrr")
	contents, err := study.Read(filepath.Join(out, studyName))
	must(t, err)
	if s := contents.About.Settings; !s.Training.Reciprocal || s.Training.Batch != 512 || s.N3 != 0 {
		t.Errorf("the defaults are those of completion: %+v", s)
	}
	trained := object(t, "query train --recipe basic --dim 8 --epochs 2 --structure",
		get(best, "structure").(string), "--dataset", data, "--out", out+"/again")
	has(t, trained, fields{"valid.mrr": number(t, best, "valid_mrr")})
	eval := "query eval --dataset " + data + " --model " + out
	ranked := object(t, eval+"/model", "--split valid")
	has(t, ranked, fields{"hops": 2})
	if number(t, ranked, "valid.mrr") < number(t, best, "valid_mrr") {
		t.Errorf("the model of the search ranks %v, the best structure has %v", ranked, best)
	}
	has(t, object(t, "study resume --budget 10", out),
		fields{"resumed": 6, "trained": 10, "task": "query"})
	if object(t, "study best", out, "--out", out+"/best")["structure"] == nil {
		t.Error("the best model has no structure")
	}
	has(t, object(t, eval+"/best"), fields{"hops": 2})
	resumesByCommand(t, out)
}

func TestSearchForClassesJSON(t *testing.T) {
	out := t.TempDir()
	flags := " --dim 8 --layers 1 --runs 1 --no-self-loops --norm relation --seen-by 2 --dataset " +
		kinds(t, nil)
	search := "search --recipe basic --task classify " + flags + smallSearch + " --out "
	o := object(t, search+out)
	has(t, o, fields{"task": "classify", "trained": 6, "best.0.valid_mrr": nil})
	trained := object(t, "classify train --epochs 2 --structure", get(o, "best.0.structure").(string),
		flags)
	has(t, trained, fields{
		"cv_accuracy":   number(t, o, "best.0.cv_accuracy"),
		"test_accuracy": number(t, o, "best.0.test_accuracy"),
	})
	reference := object(t, search+t.TempDir(), "--engine gomlx")
	same(t, "baselines on gomlx", reference["baselines"], o["baselines"])
	has(t, object(t, "study resume --budget 10", out), fields{"resumed": 6, "trained": 10})
	stdout, _ := succeed(t, "study show --verbose", out)
	contains(t, stdout, "CV accuracy")
	if strings.Contains(stdout, "valid MRR") {
		t.Errorf("shown: %s", stdout)
	}
	resumesByCommand(t, out)
}

// resumesByCommand runs the command of a study again.
func resumesByCommand(t *testing.T, folder string) {
	t.Helper()
	contents, err := study.Read(filepath.Join(folder, studyName))
	must(t, err)
	command := append(slices.Clone(contents.About.Command), "--budget 10 --study", folder)
	has(t, object(t, command...), fields{"resumed": 10, "trained": 10})
}

// TestMissingQueriesAreSampled: missing queries are sampled with a note, the same ones each time.
func TestMissingQueriesAreSampled(t *testing.T) {
	graph := smallGraph(t)
	train := "query train --dataset " + graph + quick
	_, stderr := succeed(t, train)
	if strings.Count(stderr, "drew queries of 1 hop and 2 hops") != 1 {
		t.Error(stderr)
	}
	first := object(t, train)
	number(t, first, "test.mrr")
	same(t, "again", object(t, train)["test"], first["test"])
	has(t, object(t, "search --recipe basic --task query --dim 8 --dataset", graph, "--out",
		t.TempDir(), smallSearch), fields{"trained": 6})
}

// TestQueriesOnGoMLX checks that queries train, rank and search on GoMLX as on the native engine.
func TestQueriesOnGoMLX(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	train := "query train --dataset " + graph + quick
	native := number(t, object(t, train, "--engine cpu"), "valid.mrr")
	o := object(t, train, "--backend go --out", dir+"/model")
	if mrr := number(t, o, "valid.mrr"); math.Abs(mrr-native) > 0.02 {
		t.Errorf("validation MRR %v, on the native engine %v", mrr, native)
	}
	queries := t.TempDir() + "/queries"
	succeed(t, "query sample --hops 2 --dataset", graph, "--out", queries)
	eval := "query eval --split valid --model " + dir + "/model --dataset " + queries
	ranked, want := object(t, eval, "--backend go"), object(t, eval, "--engine cpu")
	if got, want := number(t, ranked, "valid.mrr"), number(t, want, "valid.mrr"); math.Abs(got-want) > 1e-3 {
		t.Errorf("ranked with MRR %v, on the native engine %v", got, want)
	}
	found := object(t, "search --recipe basic --task query --dim 8 --backend go --dataset", graph,
		"--out", dir+"/search", smallSearch)
	has(t, found, fields{"trained": 6, "failed": 0})
}

func TestTaskRefusals(t *testing.T) {
	search := "search --recipe basic --out " + t.TempDir() + "/out "
	graph, data := smallGraph(t), kinds(t, nil)
	query := search + "--task query --dataset " + graph
	classes := search + "--task classify --dataset " + data
	refuse(t, []refusal{
		{cli.Misuse, "--task", search + "--task conjure"},
		{cli.Misuse, "no recipe n3 for --task query",
			search + "--task query --dataset fb15k-237 --recipe n3"},
		{cli.Misuse, "the recipe has frequency, which only completion supports", query + " --frequency 0.1"},
		{cli.Misuse, "queries do not train with conve-4-4-3", query + " --model conve-4-4-3"},
		{cli.Misuse, "has no backend", query + " --engine cpu --backend go"},
		{cli.Misuse, "hops is 0: it must be from 1 to 99", query + " --hops 0"},
		{cli.Misuse, "classify train --tune", classes + " --tune 2"},
		{cli.Misuse, "set halving to 0", classes + " --halving 1"},
		{cli.Misuse, "has no backend", classes + " --engine cpu --backend go"},
		{cli.Misuse, "dim is 6", classes + " --dim 6"},
		{cli.Misuse, "classification does not use batch, which is 7: leave it out", classes + " --batch 7"},
		{cli.Misuse, "does not use n3, which is 0.1", classes + " --n3 0.1"},
		{cli.Misuse, "does not use optimizer, which is adam", classes + " --optimizer adam"},
		{cli.Misuse, "does not use init, which is xavier", classes + " --init xavier"},
		{cli.Misuse, "(--dura sets --entity-l2 and --products)", classes + " --dura 0.1"},
		{cli.Misuse, "does not use frequency", classes + " --frequency 0.1"},
		{cli.Misuse, "--ensemble is for completion, not --task query", query + " --ensemble 4 --retrain-seeds 2"},
		{cli.Misuse, "--retrain-splits is for completion", classes + " --retrain-splits 2 --retrain-seeds 2"},
		{cli.Failed, "small", search + "--task classify --dataset " + graph},
	})
}
