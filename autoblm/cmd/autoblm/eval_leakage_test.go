package main

import (
	"fmt"
	"os"
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
	succeed(t, "dataset import", writeFile(t, all, "all.txt"), "--seed 7 --allow-leakage --out b")
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
	fail(t, cli.Failed, "use one of the folders in it", "train --from e --no-eval --dataset b")
	check("train --from", object(t, "train --from m --epochs 1 --no-eval --out n --dataset b"),
		"valid", "test")
	check("a continued model", object(t, "eval --model n --dataset b"), "test")
	check("train --init-from", object(t, "train --init-from m --no-eval --out i --dataset b", quick),
		"valid", "test")
	check("a model with its embeddings", object(t, "eval --model i --dataset b"), "test")

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

// TestPathsTrainedOnTest: query eval counts the queries whose answers follow from the training facts
// of a model of another split, and says if it cannot know.
func TestPathsTrainedOnTest(t *testing.T) {
	t.Chdir(t.TempDir())
	copyFolder(t, "a", smallGraph(t))
	all := readFile(t, "a/train.txt") + readFile(t, "a/valid.txt") + readFile(t, "a/test.txt")
	succeed(t, "dataset import", writeFile(t, all, "all.txt"), "--seed 7 --allow-leakage --out b")
	for _, name := range []string{"a", "b"} {
		succeed(t, "query sample --hops 2 --count 60 --dataset", name, "--out", name+"-queries")
	}
	succeed(t, "query train --dataset a-queries --out paths", quick)
	succeed(t, "train --no-eval --dataset a --out triples", quick)
	const leak = "test queries have hard answers that follow from training facts of the model, such as ("
	const unknown = "whether the model was trained on facts behind test queries of "
	for line, want := range map[string][2]int{
		"--model paths --dataset a-queries":            {0, 0},
		"--model paths --dataset b-queries":            {1, 0},
		"--model triples --dataset a-queries --hops 2": {0, 0},
		"--model triples --dataset b-queries --hops 2": {1, 0},
	} {
		o := object(t, "query eval", line)
		if got := [2]int{len(warningsIn(o, leak)), len(warningsIn(o, unknown))}; got != want {
			t.Errorf("%s: %v warnings, want %v: %v", line, got, want, o["warnings"])
		}
	}
	must(t, os.RemoveAll("a-queries"))
	if found := warningsIn(object(t, "query eval --model paths --dataset b-queries"), unknown); len(found) != 1 {
		t.Errorf("without the training data: %q", found)
	}
}
