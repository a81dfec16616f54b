package stage

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
)

// bfloat16Task is an entriesTask that supports bfloat16, by default from a dimension on.
type bfloat16Task struct{ entriesTask }

func (bfloat16Task) Precision(partlyPlanned kge.Precision, _ form.Form, dim int) (kge.Precision, error) {
	if partlyPlanned == kge.AutoPrecision {
		partlyPlanned = map[bool]kge.Precision{true: kge.Bfloat16, false: kge.Float32}[dim >= 64]
	}
	return partlyPlanned, nil
}

// TestResolve: the resolved precision is in the recipe of all trials, also of stages with another
// dimension. A task without precisions uses float32.
func TestResolve(t *testing.T) {
	settings := search.BasicSettings()
	settings.Training.Precision, settings.Budget = kge.AutoPrecision, 8
	settings.Tune, settings.Final = search.DefaultTune(), search.DefaultFinal()
	settings.Tune.Trials, settings.Final.Trials, settings.Final.Ranges.Dims = 2, 2, []int{8}
	for dim, want := range map[int]kge.Precision{64: kge.Bfloat16, 8: kge.Float32} {
		settings.Training.Dim = dim
		result, err := Run(
			t.Context(),
			search.Problem{
				Task:     bfloat16Task{},
				Strategy: strategy.Evolutionary{},
				Settings: settings,
				Store:    &search.Memory{},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if result.Recipe.Training.Precision != want {
			t.Errorf("d %d: the recipe has %v", dim, result.Recipe.Training.Precision)
		}
		for _, trial := range result.Trials {
			if trial.Recipe.Training.Precision != want {
				t.Errorf("d %d: trial %d of stage %s has %v", dim, trial.Number, trial.Stage,
					trial.Recipe.Training.Precision)
			}
		}
	}
	for partlyPlanned, possible := range map[kge.Precision]bool{kge.Float32: true, kge.AutoPrecision: true, kge.Bfloat16: false} {
		settings.Training.Precision = partlyPlanned
		settled, err := search.Resolve(entriesTask{}, settings)
		if possible != (err == nil) || possible && settled.Training.Precision != kge.Float32 {
			t.Errorf("%v without a say: %v, %v", partlyPlanned, settled.Training.Precision, err)
		}
	}
}
