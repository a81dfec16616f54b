package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestPenaltiesThatNeedAStructure: groups of N3 divide the chunks, and IVR needs the tensor of a
// structure that says all of the score.
func TestPenaltiesThatNeedAStructure(t *testing.T) {
	bilinear := kge.DefaultMember(structure.MustParse("complex"))
	plain, moving := kge.DefaultSettings(), kge.DefaultSettings()
	moving.Reciprocal, moving.Translate = true, true
	translated := bilinear
	translated.Form = form.Translated
	transE := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.3}
	for _, c := range []struct {
		name   string
		s      kge.Settings
		m      kge.Member
		w      kge.Weights
		reason string // empty if the weights are allowed
	}{
		{"pairs", plain, bilinear, kge.Weights{N3: 0.1, N3Block: 2}, ""},
		{"all chunks", plain, bilinear, kge.Weights{EntityN3: 0.1, N3Block: 4}, ""},
		{"pairs of a moved head", moving, bilinear, kge.Weights{N3: 0.1, N3Block: 2}, ""},
		{"a moved head", moving, translated, kge.Weights{}, ""},
		{"no reverses", plain, translated, kge.Weights{}, "set reciprocal"},
		{"threes", plain, bilinear, kge.Weights{N3: 0.1, N3Block: 3}, "n3-block is 3: it must divide"},
		{"too many", plain, bilinear, kge.Weights{N3: 0.1, N3Block: 8}, "which is 4"},
		{"less than none", plain, bilinear, kge.Weights{N3Block: -2}, "n3-block is -2"},
		{"no chunks", plain, transE, kge.Weights{N3: 0.1, N3Block: 2}, "chunks of transe, which is 1"},
		{"ivr", plain, bilinear, kge.Weights{IVR: 0.1, IVRProducts: 0.2, IVRPower: 2.25}, ""},
		{"ivr of products", plain, bilinear, kge.Weights{IVRProducts: 0.2}, ""},
		{"ivr without chunks", plain, transE, kge.Weights{IVR: 0.1}, "not for transe: leave ivr"},
		{"ivr of a moved head", moving, bilinear, kge.Weights{IVR: 0.1}, "not for translated: leave ivr"},
		{"no quarter", plain, bilinear, kge.Weights{IVR: 0.1, IVRPower: 2.1}, "ivr-power is 2.1"},
		{"too low", plain, bilinear, kge.Weights{IVR: 0.1, IVRPower: 1.5}, "ivr-power is 1.5"},
		{"too high", plain, bilinear, kge.Weights{IVR: 0.1, IVRPower: 4.25}, "ivr-power is 4.25"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.m.Weights = c.w
			if err := c.s.ValidateFor(c.m); c.reason == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err, c.reason)
			}
		})
	}
}
