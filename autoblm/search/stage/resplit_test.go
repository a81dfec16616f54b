package stage

import (
	"context"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// resplitTask is a task whose data favor DistMult, and whose other splits favor ComplEx.
type resplitTask struct {
	entriesTask
	split int
}

func (resplitTask) Supports() task.Capabilities { return task.Capabilities{Resplits: true} }

func (d resplitTask) Resplit(number int) task.Task { d.split = number; return d }

func (d resplitTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) (left []task.Artifact, err error) {
	for i := range trials {
		score := 0.1
		switch a := trials[i].Structure; {
		case d.split == 0 && a == structure.MustParse("distmult"):
			score = 0.5
		case a == structure.MustParse("complex"):
			score = 0.4
		}
		trials[i].State, trials[i].Score = task.Complete, &score
		left = append(left, artifactOf(trials[i]))
	}
	onProgress(1)
	return left, nil
}

// TestSplitsDecide: a structure that only one split favors is not the best over several splits, and its
// model is not kept.
func TestSplitsDecide(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Predictor, s.RetrainSeeds = 8, nil, 2
	for splits, want := range map[int]string{0: "distmult", 3: "complex"} {
		s.RetrainSplits = splits
		r, err := Run(t.Context(),
			search.Problem{Task: resplitTask{}, Strategy: strategy.Random{}, Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Retrained[0].Name; got != want {
			t.Errorf("by %d other splits the best is %q, want %s", splits, got, want)
		}
		if checkKept(t, r); r.Kept.Name != want {
			t.Errorf("%d other splits: kept %+v, want %s", splits, r.Kept, want)
		}
		for _, again := range r.Retrained {
			if len(again.Trials) != 2 || len(again.Splits) != splits {
				t.Errorf("%s has %d seeds and %d splits", again.Structure, len(again.Trials),
					len(again.Splits))
			}
			numbers := map[int]bool{}
			for _, trial := range again.Splits {
				numbers[trial.Split] = true
			}
			if len(numbers) != splits {
				t.Errorf("%s has splits %v", again.Structure, numbers)
			}
		}
		if i := slices.IndexFunc(r.Trials,
			func(t task.Trial) bool { return t.Split > 0 && t.Stage != task.Resplit }); i >= 0 {
			t.Errorf("%+v", r.Trials[i])
		}
	}
}
