package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
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
	contains(t, stdout, ",probability,known\n")
	if strings.Contains(stdout, ",,") {
		t.Errorf("a triple has no probability:\n%s", stdout)
	}

	must(t, os.Remove(file)) // eval writes the same again
	o := object(t, "eval --dataset world --model "+dir)
	has(t, o, fields{"probabilities.queries": get(o, "probabilities.queries")})
	if got := readFile(t, file); got != kept {
		t.Errorf("eval wrote another calibration")
	}
	if e := number(t, o, "probabilities.ece"); e <= 0 || e > 0.1 {
		t.Errorf("the calibration error is %v", e)
	}
	stdout, _ = succeed(t, "eval --dataset world --model "+dir)
	contains(t, stdout, "probabilities  error 0.0")

	verdicts := map[string]any{}
	for _, tail := range []string{"Spain", "Fiji"} {
		line := "predict --model " + dir + " --head Portugal --relation borders --tail " + tail
		verdicts[tail] = get(object(t, line), "answers.0.verdict")
		stdout, _ = succeed(t, line)
		contains(t, stdout, fmt.Sprintf("The model calls the triple %v.", verdicts[tail]))
	}
	same(t, "verdicts", verdicts, map[string]any{"Spain": true, "Fiji": false})
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
