package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
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

func (entries) Train(
	_ context.Context, trials []task.Trial, _ func(float64),
) ([]task.Artifact, error) {
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
	return task.Presentation{
		Metric: "entries", Settings: []task.Setting{{Name: "entries", Value: 16}},
	}
}

// TestANewTask: a registered task is all that the program needs to search on it and report on it.
func TestANewTask(t *testing.T) {
	before := tasks.All
	t.Cleanup(func() { tasks.All = before })
	tasks.All = append(before[:len(before):len(before)], tasks.Registration{
		Name: "entries", Purpose: "entries of a structure",
		Open: func(_ context.Context, source string, _ json.RawMessage,
			_ autoblm.Compute) (*tasks.OpenTask, error) {
			return &tasks.OpenTask{Task: entries{data: source}, Close: func() {}}, nil
		},
		Presentation: func(json.RawMessage) (task.Presentation, error) {
			return entries{}.Presentation(), nil
		},
	})
	t.Chdir(t.TempDir())
	file := filepath.Join("out", "study.db")
	const search = "search --recipe basic --task entries --dataset any --candidates 16 " +
		"--round-size 4 --parents 4 --predictor none --out out --budget 12"
	printed := object(t, search)
	s := structure.MustParse(get(printed, "best.0.structure").(string))
	has(t, printed, fields{
		"task": "entries", "metric": "entries", "best.0.valid_entries": s.Nonzeros(),
		"best.0.score": s.Nonzeros(), "best.0.valid_mrr": nil,
	})
	stdout, _ := succeed(t, search, "--verbose")
	contains(t, stdout, "test entries", s.String())
	if strings.Contains(stdout, "MRR") {
		t.Error(stdout)
	}
	has(t, object(t, "study list"), fields{
		"studies.0.metric": "entries", "studies.0.kept": "QuatE", "studies.0.valid": 16,
	})
	shown := object(t, "study show", file)
	has(t, shown, fields{"metric": "entries", "rounds.0.best_mrr": nil})
	number(t, shown, "rounds.0.best_score")
	exported := get(object(t, "study export", file), "trials.0")
	has(t, exported, fields{"details.filled": number(t, exported, "score") / 16})
	kept := printed["kept"] // QuatE fills its matrix
	has(t, kept, fields{"from": "baseline", "name": "quate", "score": 16})
	has(t, object(t, "study best", file, "--out model"),
		fields{"structure": get(kept, "structure"), "from": "baseline"})
	for _, folder := range []string{"model", filepath.Join("out", "model")} {
		contains(t, readFile(t, folder, "model.json"), get(kept, "structure").(string))
	}
	has(t, object(t, "study resume", file, "--budget 20"), fields{"resumed": 12, "trained": 20})
	report := object(t, "report --study", file)
	has(t, report, fields{"task": "entries"})
	if verdict := fmt.Sprint(report["verdict"]); !strings.Contains(verdict, "entries") ||
		strings.Contains(verdict, "MRR") {
		t.Errorf("the report says %v", report)
	}
}
