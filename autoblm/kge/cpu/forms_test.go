package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestArithmeticHasDeclaredCapabilities compares each measure with what its form declares.
func TestArithmeticHasDeclaredCapabilities(t *testing.T) {
	for _, f := range append(form.All(), form.Translated, form.Core(2).WithNorm(),
		form.DefaultConvE.Form(), form.CellWN18RR.Form()) {
		a, found := arithmeticOf(f)
		if !found {
			t.Error(checkForm(f))
			continue
		}
		measure := a.newMeasure(4)
		_, products := measure.(tiles.Products)
		_, predictsRelations := a.newHop(nil, structure.MustParse("1"), 4).(relationAsker)
		if f.Partitions() > 0 { // a coreAsker asks instead of the hop
			predictsRelations = !f.HasNorm()
		}
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
