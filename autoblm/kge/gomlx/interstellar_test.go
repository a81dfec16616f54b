package gomlx

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestLargestNormOfTwoVectors checks that a largest norm applies to each of the two vectors of an
// entity of Interstellar.
func TestLargestNormOfTwoVectors(t *testing.T) {
	s, d := kge.DefaultSettings(), completion.Data(enginetest.RandomGraph(20, 2, 60, 1))
	s.Dim, s.MaxNorm, s.WalkHops = 8, 0.5, 2
	m := kge.Member{Form: form.CellWN18RR.Form(), Seed: 1, LearningRate: 0.5}
	p, err := newEngine(t, Settings{Backend: backend.Go}).NewPopulation(d, s, []kge.Member{m})
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Epoch(t.Context(), d.Batches(s, 1), []float64{0.5})
	require.NoError(t, err)
	trained, err := p.Parameters(0)
	require.NoError(t, err)
	both := 0 // entities whose vectors both have the largest norm
	for entity := range d.Entities {
		row, atLimit := trained.Entity(int32(entity)), 0
		for _, vector := range [][]float32{row[:4], row[4:]} {
			squares := 0.0
			for _, x := range vector {
				squares += float64(x) * float64(x)
			}
			if squares > 0.25*1.0001 {
				t.Errorf("a vector of entity %d has the squared norm %v", entity, squares)
			}
			if squares > 0.25*0.9999 {
				atLimit++
			}
		}
		if atLimit == 2 {
			both++
		}
	}
	if both == 0 {
		t.Error("no entity has two vectors of the largest norm")
	}
}
