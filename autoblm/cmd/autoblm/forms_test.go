package main

import (
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestForms trains, ranks, saves, loads and queries a model of every form.
func TestForms(t *testing.T) {
	graph := smallGraph(t)
	for _, f := range form.All()[1:] {
		model := filepath.Join(t.TempDir(), "model")
		trained := object(t, "train", "--dataset", graph, "--model", f.String(), "--dim", "8", "--epochs",
			"6", "--batch", "32", "--out", model)
		if trained["model"] != f.String() || trained["structure"] != nil || trained["engine"] != "cpu" {
			t.Errorf("%v: %v", f, trained)
		}
		if loss := trained["loss"].([]any); loss[len(loss)-1].(float64) >= loss[0].(float64) {
			t.Errorf("%v does not learn: %v", f, loss)
		}
		ranked := object(t, "eval", "--model", model, "--dataset", graph)
		got, want := ranked["test"].(map[string]any)["both"].(map[string]any),
			trained["test"].(map[string]any)["both"].(map[string]any)
		if !maps.Equal(got, want) || ranked["model"] != f.String() {
			t.Errorf("%v: eval of the saved model has %v, train had %v", f, got, want)
		}
		answers := object(t, "predict", "--model", model, "--dataset", graph, "--head", "e00",
			"--relation", "near", "--top", "0")["answers"].([]any)
		for i := range answers[1:] {
			if answers[i].(map[string]any)["score"].(float64) < answers[i+1].(map[string]any)["score"].(float64) {
				t.Errorf("%v: answer %d scores below the next", f, i+1)
			}
		}
		if len(answers) != 37 {
			t.Errorf("%v: %d answers, want every entity", f, len(answers))
		}
	}
	for says, more := range map[string][]string{
		"either --structure or --model":    {"--model", "transe", "--structure", "complex"},
		"use engine cpu":                   {"--model", "transe", "--engine", "gomlx", "--backend", "go"},
		"transe has no dropout":            {"--model", "transe", "--dropout", "0.1"},
		"transe has no pairs of chunks":    {"--model", "transe", "--n3", "0.1", "--n3-moduli"},
		`unknown model "translation": use`: {"--model", "translation"},
	} {
		if status, _, stderr := invoke(t.Context(),
			append([]string{"train", "--dataset", graph, "--dim", "8"}, more...)...); status == cli.Done ||
			!strings.Contains(stderr, says) {
			t.Errorf("%v: status %d, %q", more, status, stderr)
		}
	}
}

// TestSearchForARecipe: a search for a form without structures tries recipes, and resuming with a
// larger budget gives the same trials.
func TestSearchForARecipe(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	search := func(name, budget string) map[string]any {
		out := filepath.Join(dir, name)
		return object(t, "search", "--recipe", "basic", "--dataset", graph, "--model", "transe", "--dim",
			"8", "--epochs", "3", "--budget", budget, "--out", out)
	}
	search("pieces", "4")
	pieces, whole := search("pieces", "8"), search("whole", "8")
	best := whole["best"].([]any)
	if !reflect.DeepEqual(pieces["best"], whole["best"]) || len(best) != 8 ||
		pieces["resumed"] != 4.0 || len(whole["baselines"].([]any)) != 0 {
		t.Errorf("in pieces %v\nat once %v", pieces, whole)
	}
	rates := map[any]bool{}
	for _, b := range best {
		trial := b.(map[string]any)
		rates[trial["learning_rate"]] = true
		if trial["model"] != "transe" || trial["structure"] != nil {
			t.Errorf("%v", trial)
		}
	}
	if len(rates) != 8 {
		t.Errorf("%d learning rates in 8 trials", len(rates))
	}
	ranked := object(t, "eval", "--model", filepath.Join(dir, "whole", "model"), "--dataset", graph)
	if mrr := ranked["test"].(map[string]any)["both"].(map[string]any)["mrr"]; mrr != best[0].(map[string]any)["test_mrr"] {
		t.Errorf("the model kept has a test MRR of %v, the best trial %v", mrr, best[0])
	}
	study := filepath.Join(dir, "whole", "study.db")
	if o := object(t, "study", "best", study, "--out",
		filepath.Join(dir, "best")); o["form"] != "transe" || o["structure"] != nil {
		t.Errorf("study best: %v", o)
	}
	if status, _, stderr := invoke(t.Context(), "report", "--study", study, "--out",
		filepath.Join(dir, "page.html")); status != cli.Failed ||
		!strings.Contains(stderr, "study show") {
		t.Errorf("report: status %d, %q", status, stderr)
	}
	if status, _, stderr := invoke(t.Context(), "search", "--recipe", "basic", "--dataset", graph,
		"--model", "transe", "--tune", "3", "--out", dir); status != cli.Misuse ||
		!strings.Contains(stderr, "no structure") {
		t.Errorf("with stages: status %d, %q", status, stderr)
	}
}
