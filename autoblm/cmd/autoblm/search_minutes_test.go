package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchDeadline: the same command and study resume give the same result; more minutes
// continue.
func TestSearchDeadline(t *testing.T) {
	folder := t.TempDir()
	search := "search --minutes 0.03 --dataset " + smallGraph(t) + " --out " + folder
	first := object(t, search)
	resume := "study resume " + folder
	for _, again := range []string{search, resume} {
		o := object(t, again)
		has(t, o, fields{"resumed": first["trained"]})
		o["resumed"], o["study"] = first["resumed"], first["study"]
		same(t, again, o, first)
	}
	has(t, object(t, "study show", folder), fields{"state": "finished"})
	for _, best := range first["best"].([]any) {
		number(t, best, "rung")
	}
	fail(t, cli.Misuse, "give more --minutes", resume, "--budget 99")
	fail(t, cli.Misuse, "give more --minutes", resume, "--minutes 0.02")
	_, stderr := succeed(t, resume, "--minutes 0.06")
	contains(t, stderr, "plan")
}

// TestReportWithoutValidation: a search of a graph without validation triples has a report.
func TestReportWithoutValidation(t *testing.T) {
	folder := t.TempDir()
	facts := writeFile(t, "a\tr\tb\nb\tr\tc\nc\tr\ta\n", folder, "facts.tsv")
	succeed(t, "search --minutes 0.01 --dataset", facts, "--out", folder+"/found")
	succeed(t, "report --study", folder+"/found", "--out", folder+"/report.html")
	if strings.Contains(readFile(t, folder, "report.html"), "are not available") {
		t.Error("the page lacks what needs only train")
	}
}

// TestSearchWithoutTime keeps a baseline.
func TestSearchWithoutTime(t *testing.T) {
	for _, minutes := range []string{"0.0001", "1e-320"} {
		folder := t.TempDir()
		has(t, object(t, "search --minutes", minutes, "--dataset", smallGraph(t), "--out", folder),
			fields{"trained": 0, "kept.from": "baseline"})
		object(t, "predict --head e10 --relation near --model", folder)
	}
}

// TestTimedSearchesBeginWithDefault: searches of all tasks, chunks and stages train the default model
// first, with the given flags, and keep a model.
func TestTimedSearchesBeginWithDefault(t *testing.T) {
	graph, paths, nodes := smallGraph(t), queries(t), kinds(t, nil)
	for _, flags := range []string{
		"--k 2 --dataset " + graph,
		"--k 3 --retrain-seeds 0 --dataset " + graph,
		"--task query --dataset " + paths,
		"--task classify --layers 1 --runs 1 --dataset " + nodes,
		"--model rotate --budget 2 --dataset " + graph,
		"--task query --model rotate --budget 2 --dataset " + paths,
	} {
		folder := t.TempDir()
		o := object(t, "search --minutes 0.02 --dim 24 --epochs 2", flags, "--out", folder)
		if o["kept"] == nil {
			t.Errorf("%s keeps no model", flags)
		}
		contents, err := study.Read(filepath.Join(folder, studyName))
		must(t, err)
		first := contents.Trials[0]
		isModel := strings.Contains(flags, "--model")
		if first.Stage != task.Default || first.State != task.Complete ||
			first.Name != map[bool]string{false: "complex"}[isModel] ||
			first.Recipe.Training.Dim != 24 || first.Recipe.Training.Epochs != 2 {
			t.Errorf("%s began with %+v", flags, first)
		}
		succeed(t, "study show", folder)
		if isModel { // a report needs structures
			continue
		}
		succeed(t, "report --study", filepath.Join(folder, studyName), "--out", filepath.Join(folder, "report.html"))
	}
}
