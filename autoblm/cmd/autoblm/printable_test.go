package main

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
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
	folder := filepath.Join(dir, "small"+bell)
	must(t, datasets.WriteFolder(g, folder))
	study, page := dir+"/s"+bell+".db", dir+"/page.html"
	model, graph := dir+"/model"+bell, " --dataset "+folder
	ask := "predict --relation " + g.Relations[0] + " --model " + model + " --head "
	predict := ask + g.Entities[0]
	unprintable := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.IsControl(r) || r == 0x202e
	}
	for _, line := range []string{
		"train --out " + model + quick + graph,
		"eval --by relation --model " + model,
		predict,
		ask + "nobody" + bell,
		"train --seed 2 --out " + model + "2" + quick + graph,
		"ensemble " + model + " " + model + "2 --out " + model + "s" + graph,
		"ensemble " + model + " " + model + " --out " + model + "s" + graph,
		strings.Replace(predict, " --head", "s --head", 1),
		"dataset info " + folder,
		"dataset info " + folder + "2",
		"search --recipe basic --predictor none --study " + study + " --out " + dir + "/out" +
			quickSearch + graph,
		"study show " + study, "study list " + dir, "study export --csv " + study,
		"report --study " + study + " --out " + page,
		"query train" + quick + graph,
		"train --" + bell + graph, "train" + bell,
	} {
		for _, form := range []string{"", "--json"} {
			_, stdout, stderr := invoke(t.Context(), line, form)
			if at := strings.IndexFunc(stdout+stderr, unprintable); at >= 0 {
				t.Errorf("%q prints %.80q", line, (stdout + stderr)[max(0, at-40):])
			}
		}
	}
	stdout, _ := succeed(t, predict)
	contains(t, stdout,
		"("+strings.TrimSuffix(g.Entities[0], bell)+`\x1b]0;mine\a\u009b2J\u202e\u007f, `)
	text := readFile(t, page)
	contains(t, text, `small\x1b]0;mine`)
	if strings.ContainsFunc(text, unprintable) {
		t.Error("the page has control characters")
	}
}
