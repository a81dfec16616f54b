package task

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func TestModelName(t *testing.T) {
	rotated := structure.MustParse("0,1,0,0;2,0,0,0;0,0,3,0;0,0,0,4")
	pairs := structure.MustParse("0,1,0,0;2,0,0,0;0,0,0,3;0,0,4,0") // SimplE with other chunks
	for _, c := range []struct {
		trial            Trial
		name, equivalent string
	}{
		{Trial{Name: "complex", Structure: structure.MustParse("complex")}, "ComplEx", ""},
		{Trial{Ensemble: &Selection{Members: []int{4, 7, 9}}}, "ensemble of 3", ""},
		{Trial{Form: form.TransE}, "transe", ""},
		{Trial{Stage: Tuning, Structure: structure.MustParse("simple")}, "SimplE", ""},
		{Trial{Stage: Tuning, Structure: pairs}, "SimplE", ""},
		{Trial{Stage: Searching, Structure: structure.MustParse("simple")}, "structure found", "SimplE"},
		{Trial{Stage: Searching, Structure: rotated}, "structure found", ""},
	} {
		if got := c.trial.ModelName(); got != c.name {
			t.Errorf("%+v: name %q, want %q", c.trial, got, c.name)
		}
		if got := c.trial.Equivalent(); got != c.equivalent {
			t.Errorf("%+v: equivalent to %q, want %q", c.trial, got, c.equivalent)
		}
	}
}

// TestTrainsLike: with blocks, only a structure with the same chunks in each trains like a baseline, and
// the others are still equivalent to it.
func TestTrainsLike(t *testing.T) {
	complexPairs, other := structure.MustParse("complex"), structure.MustParse("1,2,0,0;-2,1,0,0;0,0,3,4;0,0,-4,3")
	if other.Name() != "complex" {
		t.Fatal("the structure is not equivalent to ComplEx")
	}
	for _, c := range []struct {
		structure        structure.Structure
		block            int
		like, equivalent string
	}{
		{complexPairs, 0, "complex", "ComplEx"}, {other, 0, "complex", "ComplEx"},
		{complexPairs, 2, "complex", "ComplEx"}, {other, 2, "", "ComplEx in other blocks"},
		{other, 4, "complex", "ComplEx"},
		{structure.MustParse("1,2,0,0;0,1,0,0;0,0,3,4;0,0,0,3"), 2, "", ""},
	} {
		trial := Trial{Stage: Searching, Structure: c.structure}
		trial.Recipe.N3Block = c.block
		if got := trial.TrainsLike(); got != c.like {
			t.Errorf("%v with blocks of %d trains like %q, want %q", c.structure, c.block, got, c.like)
		}
		if got := trial.Equivalent(); got != c.equivalent {
			t.Errorf("%v with blocks of %d is equivalent to %q, want %q", c.structure, c.block, got, c.equivalent)
		}
		if same := (Trial{Structure: complexPairs}); trial.IsEquivalent(same) != (c.structure.Name() == "complex") {
			t.Errorf("%v is equivalent to ComplEx: %v", c.structure, trial.IsEquivalent(same))
		}
	}
}
