package stage

import (
	"context"
	"fmt"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// scoredTask is a task whose trials have scores by a function and their numbers as artifacts.
type scoredTask struct {
	entriesTask
	score func(task.Trial) float64
}

func (g scoredTask) Train(
	_ context.Context,
	trials []task.Trial,
	onProgress func(float64),
) (left []task.Artifact, err error) {
	for i := range trials {
		score := g.score(trials[i])
		trials[i].State, trials[i].Score = task.Complete, &score
		left = append(left, artifactOf(trials[i]))
	}
	onProgress(1)
	return left, nil
}

func artifactOf(t task.Trial) task.Files {
	return task.Files{"number": []byte(fmt.Sprint(t.Number))}
}

// TestBestIsKept: the artifact of the best trial is stored, of a found structure or a baseline.
func TestBestIsKept(t *testing.T) {
	settings := search.BasicSettings()
	settings.Budget = 24
	for what, score := range map[string]func(task.Trial) float64{
		"found":  func(t task.Trial) float64 { return float64(t.Number) },
		"named":  func(t task.Trial) float64 { return 1 / float64(t.Number) },
		"middle": func(t task.Trial) float64 { return -float64((t.Number-11)*(t.Number-11)) + 100 },
	} {
		r, err := Run(
			t.Context(),
			search.Problem{
				Task:     scoredTask{score: score},
				Strategy: strategy.Random{},
				Settings: settings,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		want := task.BestFirst(r.Trials)[0]
		if r.Kept == nil || r.Kept.Number != want.Number ||
			string(r.Artifact.(task.Files)["number"]) != fmt.Sprint(want.Number) {
			t.Errorf("%s: the artifact is %s, kept %+v, want trial %d", what, r.Artifact, r.Kept,
				want.Number)
		}
		if (what == "named") != (want.Name != "") {
			t.Errorf("%s: the best is trial %d, %q: the test is wrong", what, want.Number,
				want.Name)
		}
	}
}
