package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// searchedFolder returns the folder and the JSON of a small search.
func searchedFolder(t *testing.T) (folder string, found map[string]any) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "found")
	found = object(t, "search", "--recipe", "basic", "--dataset", smallGraph(t), "--budget", "4",
		"--round-size", "2", "--parents", "2", "--dim", "8", "--epochs", "2", "--out", folder)
	return folder, found
}

// TestFoldersOfSearches: the folder of a search stands for its model and its study.
func TestFoldersOfSearches(t *testing.T) {
	folder, found := searchedFolder(t)
	graph := smallGraph(t)
	model, file := filepath.Join(folder, "model"), filepath.Join(folder, "study.db")
	g := enginetest.Graph()
	entity, relation := g.Entities[g.Train[0].Head], g.Relations[g.Train[0].Relation]
	for _, same := range [][2][]string{
		{{"eval", "--dataset", graph, "--model", folder}, {"eval", "--dataset", graph, "--model", model}},
		{{"eval", "--dataset", graph, "--model", folder},
			{"eval", "--dataset", graph, "--model", filepath.Join(model, "model.json")}},
		{{"predict", "--head", entity, "--relation", relation, "--model", folder},
			{"predict", "--head", entity, "--relation", relation, "--model", model}},
		{{"query", "predict", "--anchor", entity, "--path", relation, "--known", "keep", "--model",
			folder}, {"query", "predict", "--anchor", entity, "--path", relation, "--known", "keep",
			"--model", model}},
		{{"study", "show", folder}, {"study", "show", file}},
		{{"study", "export", folder}, {"study", "export", file}},
		{{"study", "best", folder}, {"study", "best", file}},
		{{"report", "--study", folder, "--out", filepath.Join(folder, "a.html")},
			{"report", "--study", file, "--out", filepath.Join(folder, "a.html")}},
	} {
		a, b := object(t, same[0]...), object(t, same[1]...)
		delete(a, "seconds")
		delete(b, "seconds")
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%v says %v, %v says %v", same[0], a, same[1], b)
		}
	}
	if resumed := object(t, "study", "resume", folder, "--budget", "6"); resumed["trained"] != 6.0 ||
		resumed["out"] != folder {
		t.Errorf("gone on with, it has %v", resumed)
	}
	again := object(t, "search", "--recipe", "basic", "--dataset", graph, "--budget", "6",
		"--round-size", "2", "--parents", "2", "--dim", "8", "--epochs", "2", "--out", folder, "--study",
		folder)
	if again["resumed"] != 6.0 || again["study"] != file {
		t.Errorf("the same search has %v", again)
	}

	// Whose model it is.
	kept := found["kept"].(map[string]any)
	best := object(t, "study", "best", folder)
	if kept["from"] != "found" && kept["from"] != "baseline" ||
		(kept["name"] != nil) != (kept["from"] == "baseline") {
		t.Errorf("kept is %v", kept)
	}
	if now := object(t, "study", "show",
		folder)["kept"].(map[string]any); now["structure"] != best["structure"] ||
		now["from"] != best["from"] {
		t.Errorf("study best has the model of %v, %v, and study show says %v", best["structure"],
			best["from"], now)
	}
}

// TestIncompleteFolders: errors about the folder of a search name the fix.
func TestIncompleteFolders(t *testing.T) {
	folder, _ := searchedFolder(t)
	graph := smallGraph(t)
	says := func(want string, arguments ...string) {
		t.Helper()
		if status, stdout, stderr := invoke(t.Context(), arguments...); status != cli.Failed ||
			stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %q, %q; want %q", arguments, status, stdout, stderr, want)
		}
	}
	// A model beside the one of the search.
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(folder, "model"))); err != nil {
		t.Fatal(err)
	}
	says("name "+filepath.Join(folder, "model.json")+" or "+filepath.Join(folder, "model"), "eval",
		"--dataset", graph, "--model", folder)
	object(t, "eval", "--dataset", graph, "--model", filepath.Join(folder, "model.json"))
	if err := os.RemoveAll(filepath.Join(folder, "model")); err != nil {
		t.Fatal(err)
	}
	object(t, "eval", "--dataset", graph, "--model", folder)
	if err := os.Remove(filepath.Join(folder, "model.json")); err != nil {
		t.Fatal(err)
	}
	says("autoblm study best "+folder, "eval", "--dataset", graph, "--model", folder)
	object(t, "study", "best", folder)
	object(t, "eval", "--dataset", graph, "--model", folder)
	if err := os.Remove(filepath.Join(folder, "study.db")); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"study", "show", folder}, {"study", "best", folder},
		{"report", "--study", folder}, {"search", "--study", folder}} {
		says("autoblm study list "+folder, command...)
	}
}
