package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// searchedFolder returns a small search, its folder and its JSON.
func searchedFolder(t *testing.T, graph string) (line, folder string, found map[string]any) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "found")
	line = "search --recipe basic --dataset " + graph + " --round-size 2 --parents 2 --dim 8 " +
		"--epochs 2 --out " + folder
	return line, folder, object(t, line, "--budget 4")
}

// TestFoldersOfSearches: the folder of a search stands for its model and its study.
func TestFoldersOfSearches(t *testing.T) {
	graph := smallGraph(t)
	line, folder, found := searchedFolder(t, graph)
	model, file := filepath.Join(folder, "model"), filepath.Join(folder, "study.db")
	g := enginetest.Graph()
	entity, relation := g.Entities[g.Train[0].Head], g.Relations[g.Train[0].Relation]
	eval := "eval --dataset " + graph + " --model "
	for _, c := range [][2]string{
		{eval, model},
		{"predict --head " + entity + " --relation " + relation + " --model ", model},
		{"query predict --known keep --anchor " + entity + " --path " + relation + " --model ", model},
		{"study show ", file},
		{"study export ", file},
		{"study best ", file},
		{"report --out " + folder + "/a.html --study ", file},
	} {
		a, b := object(t, c[0], folder), object(t, c[0], c[1])
		delete(a, "seconds")
		delete(b, "seconds")
		same(t, c[0], a, b)
	}
	has(t, object(t, "study resume --budget 6", folder), fields{"trained": 6, "out": folder})
	has(t, object(t, line, "--budget 6 --study", folder), fields{"resumed": 6, "study": file})

	// Whose model it is.
	best := object(t, "study best", folder)
	from := get(found, "kept.from")
	if from != "found" && from != "baseline" ||
		(get(found, "kept.name") != nil) != (from == "baseline") {
		t.Errorf("kept is %v", found["kept"])
	}
	has(t, object(t, "study show", folder),
		fields{"kept.structure": best["structure"], "kept.from": best["from"]})
}

// TestIncompleteFolders: errors about the folder of a search name the fix.
func TestIncompleteFolders(t *testing.T) {
	graph := smallGraph(t)
	_, folder, _ := searchedFolder(t, graph)
	eval := "eval --dataset " + graph + " --model " + folder
	must(t, os.RemoveAll(filepath.Join(folder, "model")))
	refuse(t, []refusal{{cli.Failed, "autoblm study best " + folder, eval}})
	object(t, "study best", folder)
	object(t, eval)
	must(t, os.Remove(filepath.Join(folder, "study.db")))
	for _, command := range []string{"study show ", "study best ", "report --study ",
		"search --study "} {
		refuse(t, []refusal{{cli.Failed, "autoblm study list " + folder, command + folder}})
	}
}
