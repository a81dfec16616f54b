package stage

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
)

// precise are entries that can be counted in bfloat16, from a dimension on.
type precise struct{ entries }

func (precise) Precision(asked kge.Precision, _ form.Form, dim int) (kge.Precision, error) {
	if asked == kge.AutoPrecision {
		asked = map[bool]kge.Precision{true: kge.Bfloat16, false: kge.Float32}[dim >= 64]
	}
	return asked, nil
}

// TestSettle: what the precision comes to is in the recipe of all trials, also of the stages
// whose dimension is another, and a task that says nothing has float32.
func TestSettle(t *testing.T) {
	settings := search.BasicSettings()
	settings.Training.Precision, settings.Budget = kge.AutoPrecision, 8
	settings.Tune, settings.Final = search.DefaultTune(), search.DefaultFinal()
	settings.Tune.Trials, settings.Final.Trials, settings.Final.Ranges.Dims = 2, 2, []int{8}
	for dim, want := range map[int]kge.Precision{64: kge.Bfloat16, 8: kge.Float32} {
		settings.Training.Dim = dim
		result, err := Run(t.Context(), search.Problem{Task: precise{}, Strategy: strategy.Evolutionary{}, Settings: settings, Store: &search.Memory{}})
		if err != nil {
			t.Fatal(err)
		}
		if result.Recipe.Training.Precision != want {
			t.Errorf("d %d: the recipe has %v", dim, result.Recipe.Training.Precision)
		}
		for _, trial := range result.Trials {
			if trial.Recipe.Training.Precision != want {
				t.Errorf("d %d: trial %d of stage %s has %v", dim, trial.Number, trial.Stage, trial.Recipe.Training.Precision)
			}
		}
	}
	for asked, possible := range map[kge.Precision]bool{kge.Float32: true, kge.AutoPrecision: true, kge.Bfloat16: false} {
		settings.Training.Precision = asked
		settled, err := search.Resolve(entries{}, settings)
		if possible != (err == nil) || possible && settled.Training.Precision != kge.Float32 {
			t.Errorf("%v without a say: %v, %v", asked, settled.Training.Precision, err)
		}
	}
}
