package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// entries is a task as small as they come: a structure is the better the more entries it
// has, whatever the data.
type entries struct {
	task.Base
	data string
}

func (e entries) Identity() (task.Identity, error) {
	return task.Identity{Task: "entries", Dataset: e.data, Fingerprint: e.data, Source: e.data}, nil
}

func (entries) Check() error { return nil }

func (entries) Train(_ context.Context, trials []task.Trial, _ func(float64)) ([]task.Artifact,
	error) {
	left := make([]task.Artifact, len(trials))
	for i := range trials {
		n := float64(trials[i].Structure.Nonzeros())
		trials[i].State, trials[i].Score = task.Complete, &n
		trials[i].Details = fmt.Appendf(nil, `{"filled":%v}`, n/16)
		left[i] = task.Files{"model.json": fmt.Appendf(nil, `{"structure":%q}`, trials[i].Structure)}
	}
	return left, nil
}

func (entries) Presentation() task.Presentation {
	return task.Presentation{Metric: "entries"}
}

// TestANewTask: a registered task is all that the program needs to search on it and report on it.
func TestANewTask(t *testing.T) {
	before := autoblm.Tasks
	t.Cleanup(func() { autoblm.Tasks = before })
	autoblm.Tasks = append(before[:len(before):len(before)], autoblm.Registration{
		Name: "entries", Purpose: "entries of a structure",
		Open: func(_ context.Context, source string, _ json.RawMessage,
			_ autoblm.Compute) (*autoblm.OpenTask, error) {
			return &autoblm.OpenTask{Task: entries{data: source}, Close: func() {}}, nil
		},
		Presentation: func(json.RawMessage) (task.Presentation, error) {
			return entries{}.Presentation(),
				nil
		},
	})
	t.Chdir(t.TempDir())
	file := filepath.Join("out", "study.db")
	search := []string{"search", "--recipe", "basic", "--task", "entries", "--dataset", "any",
		"--candidates", "16", "--round-size", "4", "--parents", "4", "--predictor", "none", "--out",
		"out"}
	printed := object(t, append(search, "--budget", "12")...)
	best := printed["best"].([]any)[0].(map[string]any)
	s := structure.MustParse(best["structure"].(string))
	if n := float64(s.Nonzeros()); printed["task"] != "entries" || printed["metric"] != "entries" ||
		best["valid_entries"] != n || best["score"] != n || best["valid_mrr"] != nil {
		t.Errorf("the search printed %v, whose best is %v", printed, best)
	}
	if status, stdout, stderr := invoke(t.Context(),
		append(search, "--budget", "12")...); status != cli.Done ||
		!strings.Contains(stdout, "test entries") || !strings.Contains(stdout, s.String()) ||
		strings.Contains(stdout, "MRR") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	listed := object(t, "study", "list")["studies"].([]any)[0].(map[string]any)
	if listed["metric"] != "entries" || listed["best_score"] != best["score"] ||
		listed["best_mrr"] != nil {
		t.Errorf("listed as %v", listed)
	}
	shown := object(t, "study", "show", file)
	if round := shown["rounds"].([]any)[0].(map[string]any); shown["metric"] != "entries" ||
		round["best_score"] == nil || round["best_mrr"] != nil {
		t.Errorf("shown as %v", shown)
	}
	exported := object(t, "study", "export", file)["trials"].([]any)[0].(map[string]any)
	if exported["filled"] != exported["score"].(float64)/16 {
		t.Errorf("exported as %v", exported)
	}
	kept := printed["kept"].(map[string]any) // QuatE fills its matrix
	if kept["from"] != "baseline" || kept["name"] != "quate" || kept["score"] != 16.0 {
		t.Errorf("kept is %v", kept)
	}
	if got := object(t, "study", "best", file, "--out",
		"model"); got["structure"] != kept["structure"] || got["from"] != "baseline" {
		t.Errorf("the best is %v, want %v", got, kept)
	}
	for _, folder := range []string{"model", filepath.Join("out", "model")} {
		if text, err := os.ReadFile(filepath.Join(folder, "model.json")); err != nil ||
			!strings.Contains(string(text), kept["structure"].(string)) {
			t.Errorf("%s has %s, %v", folder, text, err)
		}
	}
	if resumed := object(t, "study", "resume", file, "--budget", "20"); resumed["resumed"] != 12.0 ||
		resumed["trained"] != 20.0 {
		t.Errorf("resumed: %v", resumed)
	}
	report := object(t, "report", "--study", file)
	if verdict := fmt.Sprint(report["verdict"]); report["task"] != "entries" ||
		!strings.Contains(verdict, "entries") || strings.Contains(verdict, "MRR") {
		t.Errorf("the report says %v", report)
	}
}
