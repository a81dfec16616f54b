package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestControlCharactersAreEscaped in all names from data and folders that commands print.
func TestControlCharactersAreEscaped(t *testing.T) {
	const bell = "\x1b]0;mine\a\u009b2J\u202e\x7f"
	g := enginetest.Graph()
	for _, labels := range [][]string{g.Entities, g.Relations} {
		for i := range labels {
			labels[i] += bell
		}
	}
	dir := t.TempDir()
	graph, model := filepath.Join(dir, "small"+bell), filepath.Join(dir, "model"+bell)
	if err := datasets.WriteFolder(g, graph); err != nil {
		t.Fatal(err)
	}
	study, page := filepath.Join(dir, "s"+bell+".db"), filepath.Join(dir, "page.html")
	train := []string{"--dim", "8", "--epochs", "1", "--structure", "simple"}
	for _, line := range [][]string{
		append([]string{"train", "--dataset", graph, "--out", model}, train...),
		{"eval", "--model", model, "--by", "relation"},
		{"predict", "--model", model, "--head", g.Entities[0], "--relation", g.Relations[0]},
		{"predict", "--model", model, "--head", "nobody" + bell, "--relation", g.Relations[0]},
		append([]string{"train", "--dataset", graph, "--seed", "2", "--out", model + "2"}, train...),
		{"ensemble", model, model + "2", "--dataset", graph, "--out", model + "s"},
		{"ensemble", model, model, "--dataset", graph, "--out", model + "s"},
		{"predict", "--model", model + "s", "--head", g.Entities[0], "--relation", g.Relations[0]},
		{"dataset", "info", graph},
		{"dataset", "info", graph + "2"},
		{"search", "--recipe", "basic", "--dataset", graph, "--study", study, "--out",
			filepath.Join(dir, "out"), "--budget", "2", "--candidates", "4", "--round-size", "2", "--dim",
			"8", "--epochs", "1", "--batch", "64", "--predictor", "none"},
		{"study", "show", study}, {"study", "list", dir}, {"study", "export", "--csv", study},
		{"report", "--study", study, "--out", page},
		append([]string{"query", "train", "--dataset", graph}, train...),
		{"train", "--dataset", graph, "--" + bell}, {"train" + bell},
	} {
		for _, asJSON := range [][]string{nil, {"--json"}} {
			_, stdout, stderr := invoke(t.Context(), append(line, asJSON...)...)
			if at := strings.IndexFunc(stdout+stderr, func(r rune) bool {
				return r != '\n' && r != '\t' &&
					unicode.IsControl(r) || r == 0x202e
			}); at >= 0 {
				t.Errorf("%q prints %.80q", line, (stdout + stderr)[max(0, at-40):])
			}
		}
	}
	status, stdout, stderr := invoke(t.Context(), "predict", "--model", model, "--head", g.Entities[0],
		"--relation", g.Relations[0])
	if want := `\x1b]0;mine\a\u009b2J\u202e\u007f`; status != cli.Done ||
		!strings.Contains(stdout, "("+strings.TrimSuffix(g.Entities[0], bell)+want+", ") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil || strings.ContainsFunc(string(text), func(r rune) bool {
		return r != '\n' &&
			r != '\t' && unicode.IsControl(r) || r == 0x202e
	}) ||
		!strings.Contains(string(text), `small\x1b]0;mine`) {
		t.Errorf("the page obeys, or does not name the graph: %v", err)
	}
}
