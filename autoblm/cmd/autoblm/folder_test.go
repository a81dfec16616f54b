package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchesOfTheSameSecond: each search has its own folder.
func TestSearchesOfTheSameSecond(t *testing.T) {
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	taken := map[string]bool{}
	for after := range 300 { // others began in each second to come
		began := time.Now().Add(time.Duration(after) * time.Second)
		dir := filepath.Join(outFolder, filepath.Base(graph)+began.Format("-20060102-150405"))
		must(t, os.MkdirAll(dir, 0o700))
		taken[dir] = true
	}
	for range 2 {
		out := object(t, "search --recipe basic --dataset", graph, quickSearch)["out"].(string)
		if taken[out] || !isFile(filepath.Join(out, studyName)) {
			t.Errorf("%s is another's, or has no study", out)
		}
		taken[out] = true
	}
}

// TestModelsWithoutOut: without --out each training has its own folder, and latest is the newest.
func TestModelsWithoutOut(t *testing.T) {
	graph, classes, paths := smallGraph(t), kinds(t, nil), queries(t)
	t.Chdir(t.TempDir())
	commands := []string{
		"train --structure simple --dim 8 --epochs 1 --dataset " + graph,
		"train --structure complex --dim 8 --epochs 1 --members 2 --keep-members --dataset " + graph,
		"query train --hops 2 --structure complex --dim 8 --epochs 1 --dataset " + paths,
		"classify train --structure complex --dim 8 --epochs 1 --runs 1 --dataset " + classes,
	}
	kept := map[string]string{}
	for _, line := range append(commands, commands...) {
		out := object(t, line)["out"].(string)
		if kept[out] != "" {
			t.Errorf("%s: %s has a model already", line, out)
		}
		kept[out] = readFile(t, out, "model.json")
		if now := readFile(t, outFolder, latestName, "model.json"); now != kept[out] {
			t.Errorf("%s: latest is not %s", line, out)
		}
		if isFile(filepath.Join(out, ".lock")) {
			t.Errorf("%s is still locked", out)
		}
	}
	for out, description := range kept {
		if readFile(t, out, "model.json") != description {
			t.Errorf("the model in %s was replaced", out)
		}
	}
	models, err := filepath.Glob(outFolder + "/train-*/model.json")
	must(t, err)
	ensemble := "ensemble --all --dataset " + graph + " " + filepath.Dir(models[0]) + " " +
		filepath.Dir(models[1])
	first, second := object(t, ensemble)["out"], object(t, ensemble)["out"]
	if first == second {
		t.Errorf("both ensembles are in %v", first)
	}
	has(t, object(t, "eval --dataset "+graph+" --model "+outFolder+"/latest"), fields{"members": 2})
}

// TestTwoProcesses: two trainings at a time have two folders, one --out is refused, and each
// training resumes in its folder.
func TestTwoProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not locked there")
	}
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	long := "train --structure complex --dim 16 --epochs 1000000 --patience 0 --save-every 0s " +
		"--dataset " + graph
	unfinished := func() []string {
		found, _ := filepath.Glob(outFolder + "/*/training-*")
		return slices.DeleteFunc(found, func(name string) bool { return filepath.Ext(name) != "" })
	}
	for n := range 2 {
		command := startProgram(t, long)
		ended := make(chan struct{})
		go func() { _ = command.Wait(); close(ended) }()
		defer func() { _ = command.Process.Kill(); <-ended }()
		waitUntil(func() bool { return len(unfinished()) > n }, ended)
	}
	folders := unfinished()
	if len(folders) != 2 {
		t.Fatalf("unfinished trainings: %v", folders)
	}
	for _, command := range []string{long, "search --dataset " + graph} {
		fail(t, cli.Failed, "in use by process", command, "--out", filepath.Dir(folders[0]))
	}
}

// TestResumedWithoutOut: an interrupted training resumes in its folder.
func TestResumedWithoutOut(t *testing.T) {
	line := "train --structure complex --dim 16 --patience 0 --dataset " + smallGraph(t)
	long := line + " --save-every 0s --epochs 100000"
	t.Chdir(t.TempDir())
	interrupt(t, outFolder+"/*", long)
	folders, err := filepath.Glob(outFolder + "/train-*")
	must(t, err)
	if len(folders) != 1 {
		t.Fatalf("folders %v", folders)
	}
	if out := object(t, line, "--epochs 1")["out"]; out == folders[0] {
		t.Errorf("another training is in %v", out)
	}
	contains(t, interrupt(t, folders[0], long), "resuming the training in "+folders[0])
}

// TestLeftoversOfCommands: a command removes the temporary files of a killed run.
func TestLeftoversOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is an hour old is removed there")
	}
	graph := smallGraph(t)
	t.Chdir(t.TempDir())
	for out, c := range map[string]struct{ left, line string }{
		"split":   {".split.autoblm-1/test.txt", "dataset import " + graph + "/train.txt"},
		"queries": {".queries.autoblm-1/entities.txt", "query sample --hops 2 --dataset " + graph},
		"model":   {"model/.model.json.autoblm-1", "train --dataset " + graph + quick},
		"found": {"found/.model.autoblm-1/model.json",
			"search --recipe basic --dataset " + graph + quickSearch},
	} {
		writeFile(t, "half", c.left)
		fail(t, cli.Failed, "", "dataset info", filepath.Dir(c.left)) // is no data set
		object(t, c.line, "--out", out)
		for _, path := range []string{c.left, filepath.Dir(c.left)} {
			if _, err := os.Stat(path); err == nil && path != out {
				t.Errorf("%s: %s is there still", out, path)
			}
		}
	}
}

// TestPathsWithoutAModel: the error says what a path is, and what to do.
func TestPathsWithoutAModel(t *testing.T) {
	graph, study := smallGraph(t), "study"
	t.Chdir(t.TempDir())
	failInterrupted(t, "interrupted", "search --recipe basic --out", study, "--dataset", graph,
		quickSearch)
	must(t, os.Mkdir("empty", 0o755))
	writeFile(t, "", "stopped", checkpointPrefix+"123456789abc")
	writeFile(t, "", "file")
	for path, want := range map[string]string{
		"none":    "there is no such folder; name the --out of a training or of a search",
		"file":    "it is a file; name the folder of the model",
		study:     "the search there has no model yet; " + shellCommand(nil) + " study resume study resumes it",
		graph:     "it is a data set; train a model on it with autoblm train --dataset ",
		"stopped": "the training there was interrupted before it had a model; its command resumes it",
		"empty":   "the folder has no model.json",
	} {
		for _, line := range []string{
			"predict --head a --relation r --model " + path, "eval --dataset " + graph + " --model " + path,
			"ensemble --dataset " + graph + " " + path + " " + path,
			"query predict --anchor a --path r --model " + path, "classify eval --model " + path,
		} {
			fail(t, cli.Failed, "cannot open the model "+path+": "+want, line)
		}
	}
}
