package kge_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestHop compares the scores of a hop with those of the model, and its gradients with difference
// quotients, for all forms.
func TestHop(t *testing.T) {
	const step = 1e-3
	d := completion.Data(enginetest.RandomGraph(5, 2, 9, 1))
	members := enginetest.Members()
	for _, c := range []form.Cell{
		form.CellWN18RR, form.CellFB15k237,
		{3, 4, 9, 1, 2, 1, 1, 1, 1, 1, 1}, {1, 11, 15, 0, 1, 0, 1, 0, 1, 0, 1}, {0, 6, 4, 2, 0, 1, 0, 1, 0, 1, 0},
	} {
		members[c.Form().String()] = kge.Member{Form: c.Form(), Seed: 2, LearningRate: 1}
	}
	members["rsn"] = kge.Member{Form: form.RSN, Seed: 2, LearningRate: 1}
	for name, m := range members {
		for path := range int32(12) {
			s := kge.DefaultSettings()
			s.Dim, s.InitScale, s.Reciprocal = 2*max(2, m.Structure.K()), 0.7, path >= 4
			s.Translate = path >= 8 && m.Form == form.Bilinear
			s.BatchNorm = path >= 8 && m.Form.Partitions() > 0
			if m.Form == form.RSN {
				s.WalkHops = 3
			}
			if s.ValidateFor(m) != nil {
				continue
			}
			p := kge.Initialize(d, s, m)
			if p.Form.HasNorm() {
				drawNorms(p)
			}
			q := kge.Question{Anchor: 1, Path: []int32{path % 4}}
			score := func() float64 { return p.Scorer(q, 2)(3) }
			hop := p.NewHop(nil, q, 2)
			closeTo(t, fmt.Sprintf("%s: score", name), hop.Score(3), score())
			if s.Reciprocal && m.Form == form.Bilinear {
				row := q.Path[0]/2 + 2*(q.Path[0]%2)
				closeTo(t, name+": score of a triple", p.TripleScorer(1, row, false)(3), score())
			}
			byAnchor, byAnswer := hop.Gradients(3)
			for entity, gradient := range map[int32][]float64{1: byAnchor, 3: byAnswer} {
				for i, got := range gradient {
					x := &p.Entity(entity)[i]
					middle := *x
					*x = middle + step
					above, high := score(), float64(*x)
					*x = middle - step
					below, low := score(), float64(*x)
					*x = middle
					what := fmt.Sprintf("%s, path %d: coordinate %d of entity %d", name, path, i, entity)
					closeTo(t, what, got, (above-below)/(high-low))
				}
			}
		}
	}
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-3*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
