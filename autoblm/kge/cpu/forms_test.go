package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestArithmeticHasDeclaredCapabilities compares each measure with what its form declares.
func TestArithmeticHasDeclaredCapabilities(t *testing.T) {
	for _, f := range form.All() {
		if err := checkForm(f); err != nil {
			t.Error(err)
			continue
		}
		measure := arithmetics[f].newMeasure(4)
		_, products := measure.(tiles.Products)
		_, predictsRelations := arithmetics[f].newHop(nil, structure.MustParse("1"), 4).(mixture)
		got := form.Capabilities{
			StateRows:          measure.RowsPerQuery(),
			Products:           products,
			RelationPrediction: predictsRelations,
		}
		if want := f.Capabilities(); got != want {
			t.Errorf("%v: the engine has %+v, the form declares %+v", f, got, want)
		}
	}
}
