package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestReportJSON(t *testing.T) {
	file, _ := finishedStudy(t, smallGraph(t))
	out := t.TempDir() + "/new/report.html"
	report := "report --study " + file + " --out " + out
	o := object(t, report)
	has(t, o, fields{"dataset": "small", "algorithm": "autoblm+", "note": nil})
	if number(t, o, "verdict.#") == 0 {
		t.Errorf("report: %v", o)
	}
	contains(t, readFile(t, out), "AutoBLM+ on small", "By relation pattern", "mirrors",
		"autoblm study resume "+file+" --budget 20", "autoblm report --study "+file)
	for _, picture := range o["pictures"].([]any) {
		if readFile(t, picture.(string)) == "" {
			t.Errorf("%v is empty", picture)
		}
	}
	stdout, _ := succeed(t, report)
	contains(t, stdout, "page", out+"\n")
}

// TestReportWithoutResults: the answer of a report without any result says so.
func TestReportWithoutResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), studyName)
	about, err := study.Describe(&completion.Task{Graph: enginetest.Graph()}, strategy.Evolutionary{},
		search.BasicSettings())
	must(t, err)
	empty, err := study.Open(file, about)
	must(t, err)
	must(t, empty.Close())
	stdout, _ := succeed(t, "report --study", file, "--out", t.TempDir()+"/report.html")
	contains(t, stdout, "No structure has a result yet.")
}

// TestReportOfDataThatMoved: without its data a report says so, and --dataset names their place.
func TestReportOfDataThatMoved(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	file, _ := finishedStudy(t, graph)
	moved, out := dir+"/elsewhere", dir+"/report.html"
	must(t, os.Rename(graph, moved))
	report := "report --study " + file + " --out " + out
	const gone = "open the data of the study"
	contains(t, object(t, report)["note"].(string), gone)
	page := readFile(t, out)
	contains(t, page, gone)
	if strings.Contains(page, "mirrors") {
		t.Error("the page has relations of data that are gone")
	}
	has(t, object(t, report, "--dataset", moved), fields{"note": nil})
	contains(t, readFile(t, out), "mirrors", "--dataset "+moved)
	refuse(t, []refusal{
		{cli.Failed, "world has other data", report + " --dataset world"},
		{cli.Failed, "nowhere", report + " --dataset " + dir + "/nowhere"},
		{cli.Misuse, "--study", "report"},
		{cli.Failed, "none.db", "report --study " + dir + "/none.db"},
	})
}

// TestReportOfOtherTasks: reports of queries and classes have measurements on the data, or say why
// not.
func TestReportOfOtherTasks(t *testing.T) {
	for task, c := range map[string]struct{ data, chance, not, flags string }{
		"query":    {queries(t), "validation queries is uncertain", "triples", "--hops 2"},
		"classify": {kinds(t, nil), "nodes held out is uncertain", "MRR", "--layers 1 --runs 1"},
	} {
		t.Run(task, func(t *testing.T) {
			dir := t.TempDir()
			object(t, "search --recipe basic --task", task, "--dataset", c.data, "--dim 8 --out", dir,
				c.flags, smallSearch)
			page := func(flags string) (map[string]any, string) {
				t.Helper()
				o := object(t, "report --study", dir, "--out", dir+"/report.html", flags)
				_, data, _ := strings.Cut(readFile(t, dir, "report.html"), `id="page">`)
				data, _, _ = strings.Cut(data, "</script>")
				return o, data
			}
			o, body := page("")
			has(t, o, fields{"task": task, "note": nil})
			verdict := asText(t, o["verdict"])
			contains(t, verdict, c.chance)
			contains(t, body, " --task "+task+" ")
			if strings.Contains(verdict+body, c.not) || number(t, o, "pictures.#") == 0 {
				t.Errorf("report: %v", o)
			}
			moved := filepath.Join(t.TempDir(), "elsewhere")
			must(t, os.Rename(c.data, moved))
			o, body = page("")
			contains(t, asText(t, o["note"]), "open the data of the study")
			if !strings.Contains(body, "open the data of the study") || strings.Contains(body, "uncertain") {
				t.Errorf("of data that moved: %v", o)
			}
			o, body = page("--dataset " + moved)
			has(t, o, fields{"note": nil})
			contains(t, body, c.chance, "--dataset "+moved)
		})
	}
}
