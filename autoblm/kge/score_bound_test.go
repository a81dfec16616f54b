package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestBoundOfTranslatedModels checks that a translation of 0 adds one rounding per hop to the bound
// of the model without it.
func TestBoundOfTranslatedModels(t *testing.T) {
	d := completion.Data(enginetest.SmallGraph())
	m := kge.Member{Structure: structure.MustParse("quate"), Seed: 1}
	s := kge.Settings{Dim: 16, InitScale: 1, Reciprocal: true}
	plain := kge.Initialize(d, s, m)
	s.Translate = true
	moved := kge.Initialize(d, s, m)
	copy(moved.Entities, plain.Entities)
	copy(moved.Relations, plain.Relations)
	clear(moved.More[0])
	q := kge.Question{Anchor: 1, Path: []int32{0, 3}}
	of := func(p kge.Parameters) float64 { return kge.NewScoreBound(p, len(d.Relations)).Of(q) }
	roundings := 16 + 16 + 2*(4+8.0)
	closeTo(t, "ratio of the bounds", of(moved)/of(plain)-1, 2/roundings)
}
