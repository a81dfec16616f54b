package search

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// graded is a task whose trials leave their number and have the scores of a function.
type graded struct {
	entries
	score func(task.Trial) float64
}

func (g graded) Train(_ context.Context, trials []task.Trial, onProgress func(float64)) (left []task.Artifact, err error) {
	for i := range trials {
		score := g.score(trials[i])
		trials[i].State, trials[i].Score = task.Complete, &score
		left = append(left, leftBy(trials[i]))
	}
	onProgress(1)
	return left, nil
}

func leftBy(t task.Trial) task.Files {
	return task.Files{"number": []byte(fmt.Sprint(t.Number))}
}

// TestTheBestIsKept, found or named, and the result says which.
func TestTheBestIsKept(t *testing.T) {
	settings := Plain()
	settings.Budget = 24
	for what, score := range map[string]func(task.Trial) float64{
		"found":  func(t task.Trial) float64 { return float64(t.Number) },
		"named":  func(t task.Trial) float64 { return 1 / float64(t.Number) },
		"middle": func(t task.Trial) float64 { return -float64((t.Number-11)*(t.Number-11)) + 100 },
	} {
		r, err := Run(t.Context(), Problem{Task: graded{score: score}, Strategy: Random{}, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		want := bestFirst(r.Trials)[0]
		if r.Kept == nil || r.Kept.Number != want.Number || string(r.Artifact.(task.Files)["number"]) != fmt.Sprint(want.Number) {
			t.Errorf("%s: kept %s, said to be of %+v, want that of trial %d", what, r.Artifact, r.Kept, want.Number)
		}
		if (what == "named") != (want.Name != "") {
			t.Errorf("%s: the best is trial %d, %q: the test is wrong", what, want.Number, want.Name)
		}
	}
}

// TestFormerStudiesKeepWhatWasFound: studies of before did not keep named models, so what is
// found next need not be better than these.
func TestFormerStudiesKeepWhatWasFound(t *testing.T) {
	settings := Plain()
	settings.Budget = 12
	const before = 17 // trials, with the five named
	for next, want := range map[float64]int{3: before + 1, 1: before} {
		score := func(t task.Trial) float64 {
			switch {
			case t.Name != "":
				return 5
			case t.Number <= before:
				return 2 * float64(t.Number) / before
			}
			return next - 0.001*float64(t.Number)
		}
		store := &Memory{}
		if _, err := Run(t.Context(), Problem{Task: graded{score: score}, Strategy: Random{}, Settings: settings, Store: store}); err != nil {
			t.Fatal(err)
		}
		for i := range store.trials {
			store.trials[i].Kept = false
		}
		last := slices.IndexFunc(store.trials, func(t task.Trial) bool { return t.Number == before })
		store.best = leftBy(store.trials[last])
		longer := settings
		longer.Budget = 20
		r, err := Run(t.Context(), Problem{Task: graded{score: score}, Strategy: Random{}, Settings: longer, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(r.Artifact.(task.Files)["number"]); got != fmt.Sprint(want) || r.Kept == nil || r.Kept.Number != want {
			t.Errorf("after scores of %v the artifact is that of trial %s, said to be of %+v; want %d", next, got, r.Kept, want)
		}
	}
}
