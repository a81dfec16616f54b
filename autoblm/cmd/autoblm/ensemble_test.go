package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// seeds trains three seeds and keeps them all, and a model of another form.
func seeds(t *testing.T, graph string) (folders []string, other string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "seeds")
	trained := object(t, "train", "--dataset", graph, "--structure", "simple", "--dim", "16",
		"--epochs", "15", "--batch", "32", "--members", "3", "--seed", "4", "--keep-members", "--out",
		out)
	for i, member := range trained["members"].([]any) {
		folder := member.(map[string]any)["out"].(string)
		folders = append(folders, folder)
		if want := filepath.Join(out, []string{"seed-4", "seed-5", "seed-6"}[i]); folder != want {
			t.Errorf("member %d is in %s, want %s", i, folder, want)
		}
		ranked := object(t, "eval", "--model", folder, "--dataset", graph)
		if got, want := asText(t, ranked["test"]),
			asText(t, member.(map[string]any)["test"]); got != want {
			t.Errorf("%s has %s, its training says %s", folder, got, want)
		}
	}
	other = filepath.Join(filepath.Dir(out), "other")
	object(t, "train", "--dataset", graph, "--model", "transe", "--dim", "8", "--epochs", "10",
		"--out", other)
	return folders, other
}

func mrr(evaluation any) float64 {
	return evaluation.(map[string]any)["both"].(map[string]any)["mrr"].(float64)
}

// TestEnsemble selects, saves and uses an ensemble.
func TestEnsemble(t *testing.T) {
	graph := smallGraph(t)
	folders, other := seeds(t, graph)
	out := filepath.Join(t.TempDir(), "ensemble")
	made := object(t, append([]string{"ensemble", "--dataset", graph, "--out", out, "--folds", "3",
		other}, folders...)...)
	members, choice := made["members"].([]any), made["choice"].(map[string]any)
	held := choice["held_out"].([]any)
	if made["candidates"] != 4.0 || made["out"] != out || made["held_out"] != held[len(members)-1] ||
		choice["folds"] != 3.0 {
		t.Errorf("%v", made)
	}
	best := made["best"].(map[string]any)
	for _, m := range members {
		alone := m.(map[string]any)
		ranked := object(t, "eval", "--model", alone["folder"].(string), "--dataset", graph)
		if alone["test_mrr"] != mrr(ranked["test"]) ||
			alone["valid_mrr"].(float64) > best["valid_mrr"].(float64) {
			t.Errorf("%v, alone %v; the best %v", alone, ranked, best)
		}
	}
	for _, split := range []string{"valid", "test"} {
		ranked := object(t, "eval", "--model", out, "--dataset", graph, "--split", split)
		if got, want := asText(t, ranked[split]), asText(t, made[split]); got != want ||
			ranked["members"] != float64(len(members)) || ranked["structure"] != nil ||
			ranked["precision"] != "float32" {
			t.Errorf("%s: eval has %v, ensemble had %s", split, ranked, want)
		}
	}

	// All of them, whatever their order, and what is there twice once.
	slices.Reverse(folders)
	all := object(t, append([]string{"ensemble", "--dataset", graph, "--out", out, "--all", other},
		folders...)...)
	slices.Reverse(folders)
	whole := filepath.Join(filepath.Dir(out), "whole")
	status, stdout, stderr := invoke(t.Context(),
		append([]string{"ensemble", "--dataset", graph, "--out", whole, "--all", other, folders[0]},
			folders...)...)
	if status != cli.Done || !strings.Contains(stdout,
		"an ensemble of 4 models, all of them") || strings.Count(stderr, "counts once") != 1 {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if len(all["members"].([]any)) != 4 || all["choice"] != nil || all["held_out"] != nil {
		t.Errorf("all: %v", all)
	}
	first, err := completion.LoadEnsemble(out)
	if err != nil {
		t.Fatal(err)
	}
	again, err := completion.LoadEnsemble(whole)
	if err != nil || asText(t, []any{first.Valid, first.Test}) != asText(t,
		[]any{again.Valid, again.Test}) {
		t.Errorf("another order, other ranks: %v", err)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 5 {
		t.Errorf("the ensemble that took the place of another is of %v, %v", entries, err)
	}

	// An ensemble stands for its members.
	part := object(t, "ensemble", "--dataset", graph, "--out",
		filepath.Join(filepath.Dir(out), "part"), "--size", "1", whole, folders[1])
	if part["candidates"] != 4.0 || len(part["members"].([]any)) != 1 {
		t.Errorf("among an ensemble: %v", part)
	}

	// It is asked as a model is, and text says what it is.
	asked := []string{"predict", "--model", whole, "--head", "e10", "--relation", "near", "--top", "0"}
	answers := object(t, asked...)["answers"].([]any)
	g := enginetest.Graph()
	predicted, err := again.Predict(completion.Query{Head: "e10", Relation: "near"}, g, 0,
		eval.MarkKnown)
	if err != nil || len(answers) != len(g.Entities) {
		t.Fatal(len(answers), err)
	}
	for i, a := range answers {
		if a := a.(map[string]any); a["entity"] != predicted[i].Entity ||
			a["score"] != predicted[i].Score || a["known"] != (predicted[i].Known == eval.Yes) {
			t.Errorf("answer %d is %v, want %+v", i, a, predicted[i])
		}
	}
	if status, stdout, stderr := invoke(t.Context(), "eval", "--model", whole, "--dataset", graph,
		"--by", "relation"); status != cli.Done ||
		!strings.Contains(stdout, "an ensemble of 4 models: ") || !strings.Contains(stdout, "near") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	status, stdout, stderr = invoke(t.Context(),
		append([]string{"ensemble", "--dataset", graph, "--out", out, other}, folders...)...)
	if status != cli.Done || !strings.Contains(stdout, "held out") ||
		!strings.Contains(stdout, "The ensemble is in "+out) ||
		!strings.Contains(stdout, "selected from 4 by validation") || stderr != "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestEnsembleRefusals(t *testing.T) {
	graph := smallGraph(t)
	folders, other := seeds(t, graph)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	object(t, append([]string{"ensemble", "--dataset", graph, "--all", "--out", at("ensemble")},
		folders...)...)
	object(t, "train", "--dataset", "world", "--structure", "simple", "--dim", "4", "--epochs", "1",
		"--out", at("world"))
	if err := os.CopyFS(at("torn"), os.DirFS(at("ensemble"))); err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Glob(at("torn/member-*/entities.npy"))
	if err != nil || len(inside) != 3 {
		t.Fatal(inside, err)
	}
	if err := os.Remove(inside[1]); err != nil {
		t.Fatal(err)
	}
	noValid := *enginetest.Graph()
	noValid.Valid = nil
	if err := datasets.WriteFolder(&noValid, at("no-valid")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	ensemble := func(more ...string) []string {
		return append([]string{"ensemble", "--dataset", graph, "--out", at("new")}, more...)
	}
	for name, c := range map[string]struct {
		status    int
		says      []string
		arguments []string
	}{
		"no model":        {cli.Misuse, []string{"model"}, ensemble()},
		"one model":       {cli.Misuse, []string{"needs two models"}, ensemble(other)},
		"one model twice": {cli.Misuse, []string{"needs two models"}, ensemble(other, other)},
		"size 0": {cli.Misuse, []string{"size is 0"},
			ensemble("--size", "0", folders[0], other)},
		"one fold": {cli.Misuse, []string{"folds is 1"},
			ensemble("--folds", "1", folders[0], other)},
		"no folder": {cli.Failed, []string{at("empty"), "no model.json"},
			ensemble(folders[0], at("empty"))},
		"of other graphs": {cli.Failed, []string{folders[0] + " and " + at("world"),
			"only one of them has the entity", "on one graph"}, ensemble(folders[0], at("world"))},
		"a torn ensemble": {cli.Failed, []string{"a member of the ensemble",
			filepath.Base(filepath.Dir(inside[1]))}, ensemble(folders[0], at("torn"))},
		"eval of a torn ensemble": {cli.Failed, []string{"a member of the ensemble"},
			[]string{"eval", "--model", at("torn"), "--dataset", graph}},
		"predict with a torn one": {cli.Failed, []string{"a member of the ensemble"},
			[]string{"predict", "--model", at("torn"), "--head", "e10", "--relation", "near"}},
		"nothing to choose by": {cli.Failed, []string{"no valid triples"},
			[]string{"ensemble", "--dataset", at("no-valid"), "--out", at("new"), folders[0], other}},
		"bfloat16": {cli.Misuse, []string{"float32 or auto"},
			[]string{"eval", "--model", at("ensemble"), "--dataset", graph, "--precision", "bfloat16"}},
		"queries": {cli.Failed, []string{"ensemble of 3 models", "not one model"},
			[]string{"query", "predict", "--model", at("ensemble"), "--anchor", "e10", "--path", "near"}},
		"classes": {cli.Failed, []string{at("ensemble")},
			[]string{"classify", "predict", "--model", at("ensemble"), "--node", "e10"}},
		"an entity that is none": {cli.Failed, []string{"nobody"},
			[]string{"predict", "--model", at("ensemble"), "--head", "nobody", "--relation", "near"}},
	} {
		status, stdout, stderr := invoke(t.Context(), c.arguments...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		last := lines[len(lines)-1]
		for _, says := range c.says {
			if !strings.Contains(last, says) {
				t.Errorf("%s: %q does not say %q", name, stderr, says)
			}
		}
		if status != c.status || stdout != "" || len(lines) > 2 {
			t.Errorf("%s: status %d, want %d; %q, %q", name, status, c.status, stdout, stderr)
		}
		if _, err := os.Stat(at("new")); err == nil {
			t.Fatalf("%s: something was made", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, stderr := invoke(ctx, ensemble(folders...)...)
	if _, err := os.Stat(at("new")); status != cli.Failed || stdout != "" ||
		!strings.Contains(stderr, "interrupted before there was a result to save") || err == nil {
		t.Errorf("interrupted: status %d, %q, %q", status, stdout, stderr)
	}
	o := object(t, "ensemble", "--dataset", at("no-valid"), "--all", "--out", at("blind"), folders[0],
		other)
	if o["valid"] != nil || o["best"] != nil || o["test"] == nil || len(o["members"].([]any)) != 2 {
		t.Errorf("without validation: %v", o)
	}
}
