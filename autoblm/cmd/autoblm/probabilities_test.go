package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestProbabilities: train keeps probabilities, which predict shows and eval measures, and another
// model in the same folder does not take them over.
func TestProbabilities(t *testing.T) {
	dir := t.TempDir()
	train := "train --dataset world --dim 32 --epochs 12 --structure complex --out " + dir
	object(t, train)
	file := dir + "/calibration.json"
	kept := readFile(t, file)
	ask := "predict --model " + dir + " --head Portugal --relation borders --top 0"
	for _, a := range object(t, ask)["answers"].([]any) {
		p, has := a.(map[string]any)["probability"].(float64)
		if has == get(a, "known").(bool) || p < 0 || p > 1 {
			t.Errorf("%v", a)
		}
	}
	stdout, _ := succeed(t, ask)
	contains(t, stdout, "probability")
	stdout, _ = succeed(t, ask, "--any")
	contains(t, stdout, "share")
	stdout, _ = succeed(t, "predict --all --top 3 --format csv --model "+dir)
	contains(t, stdout, ",probability,known,verdict\n")
	if strings.Count(stdout, ",,false,") != 3 {
		t.Errorf("triples have probabilities, although their queries may lack no answer:\n%s", stdout)
	}

	must(t, os.Remove(file)) // eval writes the same again
	o := object(t, "eval --dataset world --model "+dir)
	if got := readFile(t, file); got != kept {
		t.Errorf("eval wrote another calibration")
	}
	if e := number(t, o, "probabilities.ece"); e <= 0 || e > 0.1 {
		t.Errorf("the calibration error is %v", e)
	}
	stdout, _ = succeed(t, "eval --dataset world --model "+dir)
	contains(t, stdout, "probabilities  error 0.0", " queries\n", "with a constant probability")

	verdicts := map[string]any{}
	for _, tail := range []string{"Spain", "Fiji"} {
		line := "predict --model " + dir + " --head Portugal --relation borders --tail " + tail
		verdicts[tail] = get(object(t, line), "answers.0.verdict")
		stdout, _ = succeed(t, line)
		contains(t, stdout, fmt.Sprintf("The model classifies this triple as %v ", verdicts[tail]))
	}
	same(t, "verdicts", verdicts, map[string]any{"Spain": true, "Fiji": false})
	queries := writeFile(t, "Portugal\tborders\tFiji\nPortugal\tborders\t?\n", t.TempDir(), "q.tsv")
	stdout, _ = succeed(t, "predict --model "+dir+" --top 1 --format csv --queries "+queries)
	lines := strings.Split(stdout, "\n")
	if !strings.HasSuffix(lines[1], ",false,false") || !strings.HasSuffix(lines[2], ",") {
		t.Errorf("the verdict of the first triple only is false:\n%s", stdout)
	}
	stdout, _ = succeed(t, "predict --model "+dir+" --top 1 --queries "+queries)
	contains(t, stdout, "called false")
	mixed := writeFile(t, "Portugal\tborders\t?\nFiji\t?\tPortugal\n", t.TempDir(), "q.tsv")
	stdout, _ = succeed(t, "predict --model "+dir+" --top 1 --known drop --queries "+mixed)
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n")[2:] {
		cells := strings.Fields(line) // a relation has a share, and an entity also a probability
		if want := map[string]int{"Portugal": 7, "Fiji": 6}[cells[0]]; len(cells) != want {
			t.Errorf("%d cells, not %d, in\n%s", len(cells), want, stdout)
		}
	}
	classify := "eval --classify --dataset world --model " + dir
	first := object(t, classify)
	has(t, first, fields{"classified.true": 243.0, "classified.false": 243.0, "classified.given": false})
	same(t, "one seed", get(object(t, classify), "classified"), get(first, "classified"))
	second := object(t, classify, "--seed 2")
	if number(t, first, "classified.roc_auc") == number(t, second, "classified.roc_auc") {
		t.Error("another seed draws the same triples")
	}
	if a := number(t, first, "classified.accuracy"); a < 0.6 || a > 1 {
		t.Errorf("the accuracy is %v", a)
	}

	other := t.TempDir()
	object(t, "train --no-eval --dataset world --dim 8 --epochs 1 --structure simple --out "+other)
	must(t, os.WriteFile(other+"/calibration.json", []byte(kept), 0o666))
	ask = strings.Replace(ask, dir, other, 1)
	stdout, _ = succeed(t, ask)
	if strings.Contains(stdout, "probability") {
		t.Errorf("a model has the probabilities of another:\n%s", stdout)
	}
	object(t, "search --recipe basic --dataset world --out "+other+"/found"+quickSearch)
	stdout, _ = succeed(t, strings.Replace(ask, other, other+"/found", 1))
	contains(t, stdout, "probability")
}

// TestProbabilitiesOfOtherData: eval keeps the probabilities of the training data, in the folders of
// all commands, and fits others for its own output.
func TestProbabilitiesOfOtherData(t *testing.T) {
	dir := t.TempDir()
	world, err := datasets.Open("world")
	must(t, err)
	other := &datasets.Graph{Entities: world.Entities, Relations: world.Relations,
		Train: world.Train, Valid: world.Test, Test: world.Valid}
	must(t, datasets.WriteFolder(other, dir+"/other/world"))
	succeed(t, "train --dataset world --out "+dir+"/a", quick)
	succeed(t, "train --dataset world --out "+dir+"/b --seed 2", quick)
	succeed(t, "ensemble --all --dataset world --out "+dir+"/both", dir+"/a", dir+"/b")
	succeed(t, "search --recipe basic --dataset world --out "+dir+"/found", quickSearch)
	const message = "belong to other data"
	for folder, model := range map[string]string{"a": "a", "both": "both", "found": "found/model"} {
		file := dir + "/" + model + "/calibration.json"
		kept := readFile(t, file)
		eval := "eval --model " + dir + "/" + folder + " --dataset "
		_, stderr := succeed(t, eval+"world")
		if strings.Contains(stderr, message) {
			t.Errorf("%s has probabilities of other data: %s", folder, stderr)
		}
		_, stderr = succeed(t, eval+dir+"/other/world")
		contains(t, stderr, message)
		if readFile(t, file) != kept {
			t.Errorf("eval replaced the probabilities of %s", folder)
		}
		ask := "predict --head Portugal --relation borders --model " + dir + "/" + folder
		for flags, warns := range map[string]bool{
			"": false, "--dataset " + dir + "/other/world": true, "--any --dataset " + dir + "/other/world": false,
		} {
			_, stderr := succeed(t, ask, flags)
			if strings.Contains(stderr, "fitted to other data") != warns {
				t.Errorf("%s %s: %q", folder, flags, stderr)
			}
		}
	}
	must(t, os.Remove(dir+"/a/calibration.json"))
	succeed(t, "eval --model "+dir+"/a --dataset "+dir+"/other/world")
	if isFile(dir + "/a/calibration.json") {
		t.Error("eval kept probabilities of other data")
	}
	p, err := completion.Load(dir + "/b")
	must(t, err)
	others, err := completion.Calibrate(t.Context(), p, cpu.New(1), other)
	must(t, err)
	own := readFile(t, dir+"/b/calibration.json")
	must(t, completion.SaveCalibration(completion.WithCalibration(p, others), dir+"/b"))
	if readFile(t, dir+"/b/calibration.json") == own {
		t.Fatal("both graphs give the same probabilities")
	}
	succeed(t, "eval --model "+dir+"/b --dataset world")
	if readFile(t, dir+"/b/calibration.json") != own {
		t.Error("eval left the probabilities of other data in place")
	}
}

// TestFalseTriplesFirst: malformed false triples, and missing validation triples, are errors before a
// training, a search or a ranking.
func TestFalseTriplesFirst(t *testing.T) {
	dir := smallGraph(t)
	model := t.TempDir() + "/m"
	succeed(t, "train --out "+model+" --dataset "+dir, quick)
	g, err := datasets.Open(dir)
	must(t, err)
	without := t.TempDir() + "/without"
	split := &datasets.Graph{Entities: g.Entities, Relations: g.Relations, Train: g.Train, Test: g.Test}
	must(t, datasets.WriteFolder(split, without))
	fail(t, 2, "needs validation triples", "eval --classify --model "+model+" --dataset "+without)

	writeFile(t, "nobody\tnothing\n", dir, "valid_neg.txt")
	other := t.TempDir() + "/other"
	fail(t, 1, "valid_neg.txt:1", "train --out "+other+" --dataset "+dir, quick)
	if _, err := os.Stat(other); err == nil {
		t.Error("the training began")
	}
	fail(t, 1, "valid_neg.txt:1", "ensemble --dataset "+dir, model)
	found := t.TempDir() + "/found"
	fail(t, 1, "valid_neg.txt:1", "search --recipe basic --dataset "+dir+" --out "+found, quickSearch)
	if _, err := os.Stat(found); err == nil {
		t.Error("the search began")
	}
}
