package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// finishedStudy returns a small finished search with all stages, and its JSON.
func finishedStudy(t *testing.T, graph string) (file string, printed map[string]any) {
	t.Helper()
	dir := t.TempDir()
	printed = object(t, searchIn(dir, graph), "--tune 2 --final 2 --final-dims 8 --final-epochs 2")
	return filepath.Join(dir, "study.db"), printed
}

func TestStudyList(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	t.Chdir(dir)
	has(t, object(t, "study list"), fields{"studies.#": 0})
	object(t, searchIn(filepath.Join(dir, "deep"), graph))
	content := readFile(t, "deep", "study.db")
	damaged := writeFile(t, content[:len(content)/2], dir, "damaged.db")
	o := object(t, "study list")
	has(t, o, fields{"studies.#": 2})
	has(t, get(o, "studies.0"), fields{
		"path": "damaged.db", "state": "unreadable", "dataset": nil, "valid": nil,
	})
	has(t, get(o, "studies.1"), fields{
		"path": filepath.Join("deep", "study.db"), "state": "finished", "dataset": "small",
		"algorithm": "autoblm+", "k": 4, "dim": 8, "trained": 10, "budget": 10,
	})
	contains(t, get(o, "studies.0.note").(string), "damaged")
	stdout, stderr := succeed(t, "study list deep", damaged)
	contains(t, stdout, "finished", "unreadable", "  10  ")
	contains(t, stderr, "is damaged")
}

func TestStudyShow(t *testing.T) {
	file, printed := finishedStudy(t, smallGraph(t))
	shown := object(t, "study show", file)
	for _, field := range []string{"dataset", "algorithm", "budget", "best", "baselines", "tuned",
		"finals", "seconds"} {
		same(t, field, shown[field], printed[field])
	}
	proposed, best := 0.0, 0.0
	for _, r := range shown["rounds"].([]any) {
		proposed += number(t, r, "proposed") - number(t, r, "repeats")
		mrr := number(t, r, "best_mrr")
		if mrr < best {
			t.Errorf("the best MRR so far falls from %v to %v", best, mrr)
		}
		best = mrr
	}
	if proposed != 10 || best != number(t, printed, "best.0.valid_mrr") {
		t.Errorf("the rounds proposed %v structures, the best of MRR %v: %v", proposed, best,
			shown["rounds"])
	}
	text, _ := succeed(t, "study show --verbose", file)
	contains(t, text, "study finished · small · autoblm+ · 10 structures", "training dim",
		"Recipes tried on SimplE", "round", "QuatE", "Best structures with other recipes",
		shown["fingerprint"].(string))
}

// TestStudyShowCountsLostTrials next to diverged ones.
func TestStudyShowCountsLostTrials(t *testing.T) {
	var text strings.Builder
	r, p := &search.Result{}, task.Presentation{}
	details := studyDetails{
		Outcome: study.OutcomeOf(study.About{}, r, p), Trials: study.Counts{All: 3, Complete: 1, Failed: 2},
	}
	details.printDetails(&text, r, p)
	contains(t, text.String(), "3 trials in total: 1 complete, 2 diverged or lost, 0 unfinished")
}

func TestStudyExport(t *testing.T) {
	file, _ := finishedStudy(t, smallGraph(t))
	contents, err := study.Read(file)
	must(t, err)
	text, _ := succeed(t, "study export --csv", file)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(contents.Trials)+1 {
		t.Fatalf("%d lines for %d trials, %v", len(lines), len(contents.Trials), err)
	}
	out := t.TempDir() + "/trials.csv"
	has(t, object(t, "study export --csv", file, "--out", out), fields{"trials": len(contents.Trials)})
	if readFile(t, out) != text {
		t.Error("the file has other lines than those printed")
	}
	o := object(t, "study export", file)
	has(t, o, fields{"rounds.#": len(contents.Rounds)})
	same(t, "trials", o["trials"], contents.Trials)
	for _, wrong := range []string{"", "--csv --json", "--json --out " + out} {
		fail(t, cli.Misuse, "--csv", "study export", file, wrong)
	}
}

func TestStudyBest(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	dir := filepath.Dir(file)
	for flags, folder := range map[string]string{
		"": filepath.Join(dir, "model"), " --out " + dir + "/best": dir + "/best",
	} {
		has(t, object(t, "study best", file, flags), fields{"out": folder})
		for _, name := range []string{"model.json", "entities.npy", "relations.npy"} {
			if readFile(t, folder, name) != readFile(t, dir, "out", "model", name) {
				t.Errorf("%s is not that of the search", name)
			}
		}
	}
	text, _ := succeed(t, "study best --verbose", file, "--out", t.TempDir())
	contains(t, text, "┌", "heads")
	fail(t, cli.Failed, "no model yet", "study best", interruptedStudy(t, graph, t.TempDir()))
}

// interruptedStudy returns a study whose search was interrupted before its first training.
func interruptedStudy(t *testing.T, graph, dir string) (file string) {
	t.Helper()
	status, _, stderr := invoke(cancelled(t), searchIn(dir, graph))
	if status != cli.Failed || !strings.Contains(stderr, "interrupted") {
		t.Fatalf("status %d, %q", status, stderr)
	}
	return filepath.Join(dir, "study.db")
}

// TestStudyResume: an interrupted search resumes from its study and ends with the same result; a
// finished one trains nothing.
func TestStudyResume(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	whole := object(t, searchIn(t.TempDir(), graph))
	file := interruptedStudy(t, graph, dir)
	sameResult := func(got, want map[string]any) {
		t.Helper()
		for _, field := range []string{"dataset", "algorithm", "k", "dim", "budget", "trained", "failed",
			"stopped", "best", "baselines"} {
			same(t, field, got[field], want[field])
		}
	}
	first := object(t, "study resume", file)
	sameResult(first, whole)
	has(t, first, fields{"resumed": 0})
	readFile(t, dir, "model", "model.json") // next to the study

	again := object(t, "study resume", file, "--out", t.TempDir())
	sameResult(again, whole)
	has(t, again, fields{"resumed": 10, "seconds": first["seconds"]})

	before := object(t, "study export", file)["trials"].([]any)
	more := object(t, "study resume", file, "--budget 14")
	has(t, more, fields{"trained": 14, "resumed": 10})
	after := object(t, "study export", file)["trials"].([]any)
	if len(after) != len(before)+4 {
		t.Fatalf("with a larger budget, there are %d trials where %d were", len(after), len(before))
	}
	same(t, "the trials before", after[:len(before)], before)
	sameResult(object(t, "study resume", file), more)
	fail(t, cli.Misuse, "unknown backend", "study resume --backend=abacus", file)
}

func TestStudyResumeOfDataThatMoved(t *testing.T) {
	graph := smallGraph(t)
	file := interruptedStudy(t, graph, t.TempDir())
	moved := t.TempDir() + "/elsewhere"
	must(t, os.Rename(graph, moved))
	contains(t, fail(t, cli.Failed, "--dataset", "study resume", file), graph)
	fail(t, cli.Failed, "world has other data", "study resume --dataset world", file)
	has(t, object(t, "study resume --dataset", moved, file), fields{"trained": 10})
	object(t, "study resume", file) // it knows now
}

func TestStudyFolder(t *testing.T) {
	for file, want := range map[string]string{"runs/x/study.db": "runs/x", "study.db": ".",
		"runs/umls.db": "runs/umls-out", "plain": "plain-out"} {
		if got := (studyFile{filepath.FromSlash(file)}).folder(); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// TestStudyInUse: commands read a study while a search runs. A second search names the process.
func TestStudyInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SQLite locks the study for the whole search there")
	}
	dir := t.TempDir()
	file, search := filepath.Join(dir, "study.db"), searchIn(dir, smallGraph(t))
	other := startProgram(t, search, "--epochs 3000 --batch 8")
	defer func() { _ = other.Process.Kill() }()
	begun := func() bool { contents, err := study.Read(file); return err == nil && contents.Best != nil }
	for deadline := time.Now().Add(time.Minute); !begun(); {
		if time.Now().After(deadline) {
			t.Fatal("the other process trained nothing")
		}
		time.Sleep(10 * time.Millisecond)
	}
	who := fmt.Sprintf("process %d", other.Process.Pid)
	shown := object(t, "study show", file)
	has(t, shown, fields{"state": "running", "note": "in use by " + who})
	list := object(t, "study list", dir)
	has(t, list, fields{"studies.#": 1, "studies.0.state": "running",
		"studies.0.note": get(shown, "note"), "studies.0.budget": 10})
	succeed(t, "study export --csv", file)
	object(t, "study best", file, "--out", dir+"/best")
	object(t, "report --study", file, "--out", dir+"/page.html")
	for _, line := range []string{"study resume " + file + " --out " + dir + "/other", search} {
		fail(t, cli.Failed, "in use by "+who, line)
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	has(t, object(t, "study show", file), fields{"state": "interrupted", "note": nil})
}

// TestStudyKeepsTheRecipe: a resumed search uses all settings of its recipe.
func TestStudyKeepsTheRecipe(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	flags := "--reciprocal --dura 0.01 --relation-prediction 0.5 --dropout 0.1 --init-scale 0.01 " +
		"--max-norm 2 "
	whole := object(t, searchIn(t.TempDir(), graph), flags)
	status, _, _ := invoke(cancelled(t), searchIn(dir, graph), flags)
	file := filepath.Join(dir, "study.db")
	resumed := object(t, "study resume", file, "--out", dir+"/out")
	if status != cli.Failed {
		t.Errorf("the search was not interrupted: status %d", status)
	}
	same(t, "the best of a resumed search", resumed["best"], whole["best"])
	best := object(t, "study best", file, "--out", dir+"/best")
	ranked := object(t, "eval --model", dir+"/best", "--dataset", graph)
	same(t, "test", ranked["test"], best["test"])
	plain := object(t, searchIn(t.TempDir(), graph))
	if asText(t, plain["best"]) == asText(t, whole["best"]) {
		t.Error("the recipe changed nothing")
	}
}

// TestStudyOnAnotherEngine: trials of several engines are mixed only with --mix-engines, and are
// marked.
func TestStudyOnAnotherEngine(t *testing.T) {
	dir := t.TempDir()
	file, search := filepath.Join(dir, "study.db"), searchIn(dir, smallGraph(t))+"--k 2 --budget "
	const elsewhere = "--engine gomlx --backend go"
	object(t, search, "4 --engine cpu")
	before := object(t, "study export", file)["trials"]
	object(t, search, "4", elsewhere)
	for _, more := range []string{"study resume " + file + " --budget ", search} {
		stderr := fail(t, cli.Failed, "results of gomlx (go)", more, "6", elsewhere)
		contains(t, stderr, "engine cpu ("+kernel.Sets()[0].Name+")", "--mix-engines")
	}
	same(t, "the trials after refusals", object(t, "study export", file)["trials"], before)
	has(t, object(t, "study show", file), fields{"engines.#": 1})

	has(t, object(t, "study resume --mix-engines --budget 6", file, elsewhere),
		fields{"engines.#": 2, "trained": 6})
	for _, line := range []string{"study show ", "report --out " + dir + "/page.html --study "} {
		stdout, _ := succeed(t, line, file)
		contains(t, stdout, "Several engines, cpu (")
	}
	by := map[any]int{}
	for _, trial := range object(t, "study export", file)["trials"].([]any) {
		by[get(trial, "engine")]++
	}
	if by["cpu"] != len(before.([]any)) || by["gomlx"] != 2 {
		t.Errorf("trials by their engines: %v", by)
	}
	fail(t, cli.Failed, "engine gomlx (go)", "study resume --budget 8 --engine cpu", file)
}
