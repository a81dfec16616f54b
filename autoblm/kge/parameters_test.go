package kge_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

func TestMixedShapesAreRefused(t *testing.T) {
	g := enginetest.Graph()
	draw := func(g *datasets.Graph, m kge.Member, dim int, reciprocal bool) kge.Parameters {
		s := kge.Settings{Dim: dim, InitScale: 1, Reciprocal: reciprocal}
		return kge.Initialize(completion.Data(g), s, m)
	}
	simple := kge.Member{Structure: structure.MustParse("simple"), Seed: 1}
	two := kge.Member{Structure: structure.MustParse("1,0;0,2")}
	p := draw(g, simple, 8, false)
	entities := append(slices.Clone(g.Entities), "one more")
	more := &datasets.Graph{Entities: entities, Relations: g.Relations}
	if err := kge.CheckSameShape([]kge.Parameters{p, draw(g, simple, 8, false)}); err != nil {
		t.Error(err)
	}
	for name, models := range map[string][]kge.Parameters{
		"no models":      nil,
		"another dim":    {p, draw(g, simple, 12, false)},
		"another entity": {p, draw(more, simple, 8, false)},
		"another K":      {p, draw(g, two, 8, false)},
		"reverses":       {p, draw(g, simple, 8, true)},
		"another form":   {p, draw(g, kge.Member{Form: form.TransE}, 8, false)},
	} {
		if kge.CheckSameShape(models) == nil {
			t.Errorf("no error for %s", name)
		}
	}
}
