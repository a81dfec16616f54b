package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestSearchKeepsAnEnsemble: a kept ensemble works like a model, and the study reports it like the
// search.
func TestSearchKeepsAnEnsemble(t *testing.T) {
	graph := smallGraph(t)
	dir := t.TempDir()
	var folder string
	var arguments []string
	var found, final map[string]any
	for seed := 1; final["from"] != "ensemble"; seed++ {
		if seed > 6 {
			t.Fatal("no search keeps an ensemble")
		}
		folder = filepath.Join(dir, fmt.Sprint("found", seed))
		arguments = []string{"search", "--recipe", "basic", "--dataset", graph, "--budget", "6",
			"--round-size", "2", "--parents", "4", "--dim", "8", "--epochs", "4", "--retrain-seeds", "2",
			"--ensemble", "4", "--seed", fmt.Sprint(seed), "--out", folder}
		found = object(t, arguments...)
		final = found["final"].(map[string]any)
	}
	members := final["members"].([]any)
	if n := len(members); n < 2 || n > 4 || final["structure"] != nil ||
		len(final["seeds"].([]any)) != n || final["valid_mrr"] == nil || final["test_mrr"] == nil {
		t.Errorf("final is %v", final)
	}
	for i, m := range members {
		if m := m.(map[string]any); m["structure"] == nil || m["seed"] != final["seeds"].([]any)[i] {
			t.Errorf("member %v of %v", m, final)
		}
	}
	if found["kept"].(map[string]any)["from"] != "ensemble" ||
		found["baseline_final"].(map[string]any)["from"] != "baseline" {
		t.Errorf("kept is %v, the best named %v", found["kept"], found["baseline_final"])
	}
	ensemble, err := completion.LoadEnsemble(filepath.Join(folder, "model"))
	if err != nil || len(ensemble.Members) != len(members) ||
		*ensemble.Choice.Unseen() != final["valid_mrr"] {
		t.Errorf("the folder has %+v, %v", ensemble, err)
	}
	ranked := object(t, "eval", "--dataset", graph, "--model", folder, "--split", "test")
	if ranked["members"] != float64(len(members)) ||
		ranked["test"].(map[string]any)["both"].(map[string]any)["mrr"] != final["test_mrr"] {
		t.Errorf("eval has %v, the search %v", ranked, final)
	}
	object(t, "predict", "--model", folder, "--head", "e10", "--relation", "near")

	shown, again := object(t, "study", "show", folder), object(t, arguments...)
	if !reflect.DeepEqual(shown["final"], final) || !reflect.DeepEqual(again["final"], final) ||
		shown["state"] != "finished" || again["resumed"] != 6.0 {
		t.Errorf("the study has %v, %v, the same search %v, the first %v", shown["state"], shown["final"],
			again["final"], final)
	}
	best := object(t, "study", "best", folder, "--out", filepath.Join(dir, "best"))
	if best["from"] != "ensemble" || len(best["members"].([]any)) != len(members) ||
		best["structure"] != nil {
		t.Errorf("study best has %v", best)
	}
	for _, command := range [][]string{arguments, {"study", "show", folder}} {
		status, stdout, stderr := invoke(t.Context(), command...)
		if status != cli.Done || !strings.Contains(stdout,
			fmt.Sprintf("Kept: an ensemble of %d of these 10 models", len(members))) {
			t.Errorf("%v: status %d, %q, %q", command, status, stdout, stderr)
		}
	}
	page := filepath.Join(dir, "page.html")
	object(t, "report", "--study", folder, "--out", page)
	written, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"An ensemble",
		fmt.Sprintf("The study keeps an ensemble of %d models", len(members)), "--ensemble 4"} {
		if !strings.Contains(string(written), says) {
			t.Errorf("the report does not say %q", says)
		}
	}

	single := object(t, append(arguments, "--ensemble", "0", "--out", filepath.Join(dir, "single"))...)
	if from := single["final"].(map[string]any)["from"]; from != "found" && from != "baseline" {
		t.Errorf("--ensemble 0 has %v", single["final"])
	}
}
