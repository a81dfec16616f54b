package search_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
)

// TestSpacesForPaths checks that a search on paths for the settings of a model varies nothing that only
// triples have, whether its space is given or not.
func TestSpacesForPaths(t *testing.T) {
	for _, f := range []form.Form{form.Block(4), form.RotatE, form.TransE} {
		of := search.BasicSettings()
		of.Model = f
		given := of
		given.Space = search.ModelSpace(f)
		for name, s := range map[string]search.Settings{"the default": of, "a given": given} {
			space := s.WithoutRelationPrediction().SpaceOf(f)
			for _, l := range space.Lines() {
				switch l.Flag {
				case "relation-prediction", "negatives", "margin", "adversarial-temperature", "subsampling":
					t.Errorf("%v: %s space has values of %s", f, name, l.Flag)
				}
			}
			if len(space.Dims) == 0 {
				t.Errorf("%v: %s space has no dimensions", f, name)
			}
		}
	}
	if s := search.DefaultSettings().WithoutRelationPrediction(); s.Space != nil {
		t.Error("a search for structures has a space for a model")
	}
}
