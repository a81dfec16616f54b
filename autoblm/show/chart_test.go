package show

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/google/go-cmp/cmp"
)

func TestLearningCurve(t *testing.T) {
	got := LearningCurve("ComplEx", []kge.Validation{{Epoch: 5, MRR: 0.1}, {Epoch: 10, MRR: 0.3}})
	want := plot.Series{Name: "ComplEx", Points: []plot.Point{{X: 5, Y: 0.1}, {X: 10, Y: 0.3}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
