package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestReportJSON(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	out := filepath.Join(t.TempDir(), "new", "report.html")
	o := object(t, "report", "--study", file, "--out", out)
	if o["dataset"] != "small" || o["algorithm"] != "autoblm+" || o["note"] != nil ||
		len(o["verdict"].([]any)) == 0 {
		t.Errorf("report: %v", o)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"AutoBLM&#43; on small", "By relation pattern", "mirrors",
		"autoblm study resume " + file + " --budget 20", "autoblm report --study " + file} {
		if !strings.Contains(string(page), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, picture := range o["pictures"].([]any) {
		if info, err := os.Stat(picture.(string)); err != nil || info.Size() == 0 {
			t.Errorf("%v was not written: %v", picture, err)
		}
	}
	status, stdout, stderr := invoke(t.Context(), "report", "--study", file, "--out", out)
	if status != cli.Done || !strings.Contains(stdout, "The report is "+out) {
		t.Errorf("the text of a report: status %d, %q, %q", status, stdout, stderr)
	}
}

func TestReportOfDataThatMoved(t *testing.T) {
	graph := smallGraph(t)
	file, _ := finishedStudy(t, graph)
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(graph, moved); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "report.html")
	o := object(t, "report", "--study", file, "--out", out)
	if note, _ := o["note"].(string); !strings.Contains(note, "open the data of the study") {
		t.Errorf("the note is %v", o["note"])
	}
	if page, _ := os.ReadFile(out); !strings.Contains(string(page), "open the data of the study") ||
		strings.Contains(string(page), "mirrors") {
		t.Error("the page does not say that the data are gone")
	}
	o = object(t, "report", "--study", file, "--out", out, "--dataset", moved)
	page, _ := os.ReadFile(out)
	if o["note"] != nil || !strings.Contains(string(page), "mirrors") ||
		!strings.Contains(string(page), "--dataset "+moved) {
		t.Errorf("the page of the moved data lacks their relations: %v", o["note"])
	}
	for _, wrong := range []string{"world", filepath.Join(t.TempDir(), "nowhere")} {
		if status, _, stderr := invoke(t.Context(), "report", "--study", file, "--out", out, "--dataset",
			wrong); status != cli.Failed || strings.Count(stderr, "\n") != 1 {
			t.Errorf("with the data set %s: status %d, %q", wrong, status, stderr)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	for _, arguments := range [][]string{{"report"},
		{"report", "--study", filepath.Join(t.TempDir(), "none.db")}} {
		if status, _, stderr := invoke(t.Context(), arguments...); status == cli.Done ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q", arguments, status, stderr)
		}
	}
}

// TestReportOfOtherTasks: reports of queries and classes have measurements on the data, or say why
// not.
func TestReportOfOtherTasks(t *testing.T) {
	for task, c := range map[string]struct {
		data, chance, not string
		flags             []string
	}{
		"query": {queries(t), "validation queries is uncertain", "triples", []string{"--hops", "2"}},
		"classify": {kinds(t, nil), "nodes held out is uncertain", "MRR",
			[]string{"--layers", "1", "--runs", "1"}},
	} {
		t.Run(task, func(t *testing.T) {
			dir := t.TempDir()
			object(t, slices.Concat([]string{"search", "--recipe", "basic", "--task", task, "--dataset",
				c.data, "--dim", "8", "--out", dir}, c.flags, smallSearch)...)
			file, out := filepath.Join(dir, studyName), filepath.Join(dir, "report.html")
			page := func(more ...string) (map[string]any, string) {
				t.Helper()
				o := object(t, append([]string{"report", "--study", file, "--out", out}, more...)...)
				content, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				_, body, _ := strings.Cut(string(content), "<body>")
				return o, body
			}
			o, body := page()
			verdict := asText(t, o["verdict"])
			if o["task"] != task || o["note"] != nil || !strings.Contains(verdict, c.chance) ||
				strings.Contains(verdict+body, c.not) || len(o["pictures"].([]any)) == 0 {
				t.Errorf("report: %v", o)
			}
			if !strings.Contains(body, " --task "+task+" ") {
				t.Error("the page has no command for the same search")
			}
			moved := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(c.data, moved); err != nil {
				t.Fatal(err)
			}
			if o, body = page(); !strings.Contains(asText(t, o["note"]), "open the data of the study") ||
				!strings.Contains(body, "open the data of the study") || strings.Contains(body, "uncertain") {
				t.Errorf("of data that moved: %v", o)
			}
			if o, body = page("--dataset", moved); o["note"] != nil || !strings.Contains(body, c.chance) ||
				!strings.Contains(body, "--dataset "+moved) {
				t.Errorf("of the moved data: %v", o)
			}
			if status, _, stderr := invoke(t.Context(), "report", "--study", file, "--out", out, "--dataset",
				filepath.Join(dir, "nowhere")); status != cli.Failed || strings.Count(stderr, "\n") != 1 {
				t.Errorf("with data that are not there: status %d, %q", status, stderr)
			}
		})
	}
}
