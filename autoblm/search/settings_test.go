package search_test

import (
	"errors"
	"strings"
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

// TestRetrainDims checks that dimensions which the structures cannot have are refused before the search.
func TestRetrainDims(t *testing.T) {
	s := search.BasicSettings()
	s.RetrainSeeds, s.RetrainDims = 1, []int{32, 64}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s.RetrainDims = []int{32, 30}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "retrain-dims has 30") {
		t.Errorf("30 numbers in 4 chunks: %v", err)
	}
}

// TestFixedTraining checks that a task with fixed training refuses what would change it.
func TestFixedTraining(t *testing.T) {
	if err := search.BasicSettings().CheckFixedTraining(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*search.Settings){
		"dims":   func(s *search.Settings) { s.RetrainDims = []int{64} },
		"epochs": func(s *search.Settings) { s.RetrainEpochs = 9 },
		"steps":  func(s *search.Settings) { s.RetrainSteps = 9 },
		"rungs":  func(s *search.Settings) { s.Halving = 1 },
		"final":  func(s *search.Settings) { s.Final = search.DefaultFinal() },
	} {
		s := search.BasicSettings()
		change(&s)
		if err := s.CheckFixedTraining(); !errors.Is(err, search.ErrFixedTraining) {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.WithFixedTraining().CheckFixedTraining(); err != nil {
			t.Errorf("%s, removed: %v", name, err)
		}
	}
}
