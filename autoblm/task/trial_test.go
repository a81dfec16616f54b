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
