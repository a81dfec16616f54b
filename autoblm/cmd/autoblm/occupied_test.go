package main

import (
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// TestOccupiedFolders: a command does not write results where they would replace or hide others,
// and repeating the same command still works.
func TestOccupiedFolders(t *testing.T) {
	graph, paths, classes := smallGraph(t), queries(t), kinds(t, nil)
	t.Chdir(t.TempDir())
	data := " --dataset " + graph
	commands := map[string]string{
		"train":       "train" + data + quick + "--out ",
		"timed":       "train --structure simple --dim 8 --minutes 1" + data + " --out ",
		"query-train": "query train --hops 2 --dataset " + paths + quick + "--out ",
		"classes": "classify train --structure distmult --dim 4 --epochs 2 --runs 1 --dataset " +
			classes + " --out ",
		"search":       "search --recipe basic" + data + quickSearch + "--out ",
		"ensemble":     "ensemble --all train seed-2" + data + " --out ",
		"study best":   "study best search --out ",
		"study resume": "study resume search --budget 3 --out ",
	}
	object(t, commands["train"], "seed-2 --seed 2")
	for _, name := range []string{"train", "timed", "query-train", "classes", "search", "ensemble"} {
		object(t, commands[name], name)
		object(t, commands[name], name) // repeats it
	}
	before := map[string]string{}
	occupied := []string{"train", "timed", "query-train", "classes", "ensemble"}
	for _, dir := range occupied {
		before[dir] = readFile(t, dir, "model.json")
	}
	for name, line := range commands {
		for dir, has := range map[string]string{
			"train": "it has a model (SimplE, d 8, small)", "classes": "it has a model (classifier",
			"ensemble": "it has a model (ensemble of 2, small)", "search": "it has a search",
			graph: "it has a data set", paths: "it has a data set", classes: "it has a data set",
		} {
			isMember := name == "ensemble" && dir == "train"
			isLonger := name == "timed" && dir == "train" // which it continues
			if dir != name && !isMember && !isLonger && !strings.HasPrefix(name, "study") || dir == graph {
				stderr := fail(t, cli.Failed, has, line+dir)
				contains(t, stderr, "use another --out, or remove it")
			}
		}
	}
	fail(t, cli.Failed, "it has a model", commands["train"]+"train --seed 2")
	fail(t, cli.Failed, "it has a model", commands["timed"]+"timed --seed 2")
	fail(t, cli.Failed, "it has a model", commands["study best"]+"train")
	fail(t, cli.Failed, "it has a model", commands["study resume"]+"train")
	for dir, has := range map[string]string{"train": "it has a model (SimplE", "search": "it has a search"} {
		fail(t, cli.Failed, has, "dataset import", writeFile(t, "a\tr\tb\n", "facts.tsv"), "--out", dir)
	}
	object(t, commands["train"], "seed-3 --seed 3")
	fail(t, cli.Failed, "it has a model", "ensemble --all train seed-3 --out ensemble"+data)
	for _, dir := range occupied {
		if readFile(t, dir, "model.json") != before[dir] {
			t.Errorf("the model in %s was replaced", dir)
		}
	}
	entries, err := os.ReadDir(graph)
	must(t, err)
	if len(entries) != 3 {
		t.Errorf("the data are among %v", entries)
	}
}

// TestImportBesideOtherData: an import does not hide data of another form.
func TestImportBesideOtherData(t *testing.T) {
	facts := writeFile(t, "a\tr\tb\nb\tr\ta\n", t.TempDir(), "facts.tsv")
	dir := t.TempDir()
	writeFile(t, "<a> <r> <b> .\n", dir, "facts.nt")
	writeFile(t, "<a>\tk\n", dir, "classes.tsv")
	fail(t, cli.Failed, "it has a data set", "dataset import", facts, "--out", dir)
}

// TestLogOfAnotherRun: a training does not replace the log of another run.
func TestLogOfAnotherRun(t *testing.T) {
	line := "train --log log.csv --dataset " + smallGraph(t) + quick + "--out "
	t.Chdir(t.TempDir())
	object(t, line, "m")
	object(t, line, "m")
	before := readFile(t, "log.csv")
	fail(t, cli.Failed, "use another --log, or remove it", line, "other --seed 2")
	if readFile(t, "log.csv") != before {
		t.Error("the log was replaced")
	}
}

// TestLeftoverOfAKill checks that the temporary file of a killed process occupies no folder, and
// that a model which cannot be read does.
func TestLeftoverOfAKill(t *testing.T) {
	train := "train --dataset " + smallGraph(t) + quick + "--out "
	t.Chdir(t.TempDir())
	writeFile(t, "", "x[1]", checkpointPrefix+"123456789abc")
	fail(t, cli.Failed, "it has an interrupted training", train+"x[1]")
	writeFile(t, "", "killed", checkpointPrefix+"123456789abc.autoblm-7")
	object(t, train, "killed")
	writeFile(t, "", "killed", checkpointPrefix+"123456789abc")
	fail(t, cli.Failed, "of an interrupted training, which its command resumes", train+"killed --seed 9")
	must(t, os.Remove("killed/"+checkpointPrefix+"123456789abc"))
	writeFile(t, "{", "damaged", modelfolder.Description)
	fail(t, cli.Failed, "it has a model (damaged)", train+"damaged")
	fail(t, cli.Failed, "it has a model", "model export --format npy --model killed --out killed")
}
