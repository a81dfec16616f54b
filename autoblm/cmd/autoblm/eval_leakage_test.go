package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// warningsIn returns the warnings in JSON that contain a text.
func warningsIn(result any, text string) (found []string) {
	for _, w := range get(result, "warnings").([]any) {
		if strings.Contains(w.(string), text) {
			found = append(found, w.(string))
		}
	}
	return found
}

// TestTrainedOnTest: a model that was trained on evaluated triples of another split of its facts is
// evaluated with a warning that counts them.
func TestTrainedOnTest(t *testing.T) {
	t.Chdir(t.TempDir())
	copyFolder(t, "a", smallGraph(t))
	all := readFile(t, "a/train.txt") + readFile(t, "a/valid.txt") + readFile(t, "a/test.txt")
	succeed(t, "dataset split", writeFile(t, all, "all.txt"), "--seed 7 --allow-leakage --out b")
	isTrained := map[string]bool{}
	for line := range strings.Lines(readFile(t, "a/train.txt")) {
		isTrained[line] = true
	}
	leaked := func(split string) string {
		lines := slices.Collect(strings.Lines(readFile(t, "b", split+".txt")))
		all := len(lines)
		lines = slices.DeleteFunc(lines, func(line string) bool { return !isTrained[line] })
		return fmt.Sprintf("%d of %d %s triples (", len(lines), all, split)
	}
	const text = "are training triples of the model, such as ("
	check := func(what string, result any, splits ...string) {
		t.Helper()
		found := warningsIn(result, text)
		if len(found) != min(1, len(splits)) {
			t.Fatalf("%s: %q", what, found)
		}
		for _, split := range splits {
			if !strings.Contains(found[0], leaked(split)) {
				t.Errorf("%s: %q has not %q", what, found[0], leaked(split))
			}
		}
	}
	succeed(t, "train --dataset a --no-eval --out m", quick)
	succeed(t, "train --dataset a --no-eval --seed 2 --out m2", quick)
	own := object(t, "eval --model m")
	check("its own data", own)
	has(t, object(t, "eval --model m --dataset a"), fields{"test": own["test"]})
	check("test", object(t, "eval --model m --dataset b"), "test")
	check("train", object(t, "eval --model m --split train --dataset b"))
	check("grown data", object(t, "eval --model m --fold-in --dataset b"), "test")
	check("ensemble", object(t, "ensemble m m2 --out e --dataset b"), "valid", "test")
	check("eval of an ensemble", object(t, "eval --model e --split valid --dataset b"), "valid")
	_, stderr := succeed(t, "eval --model m --dataset b")
	contains(t, flat(stderr), leaked("test"), "are training triples of the model")

	// What a model continues from counts too.
	fail(t, cli.Failed, "use the folder of one of them", "train --from e --no-eval --dataset b")
	check("train --from", object(t, "train --from m --epochs 1 --no-eval --out n --dataset b"),
		"valid", "test")
	check("a continued model", object(t, "eval --model n --dataset b"), "test")

	// Without the data of the training, this is unknown.
	const unknown = "whether the model was trained on test triples of "
	writeFile(t, readFile(t, "a/train.txt")+"new\tnear\te00\n", "a", "train.txt")
	fail(t, cli.Failed, "has changed since the training", "eval --model m")
	for line, count := range map[string]int{
		"eval --model m --dataset b": 1, "eval --model e --dataset b": 1, "eval --model n --dataset b": 0,
		"eval --model m --dataset a": 1, "eval --model m --fold-in": 0,
	} {
		if found := warningsIn(object(t, line), unknown); len(found) != count {
			t.Errorf("%s: %q", line, found)
		}
	}
}
