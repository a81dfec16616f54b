package strategy

import (
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// BenchmarkProposal measures a round of 64 candidates with eight chunks after 16 trials: drawing,
// filtering, and selecting 8 with the predictor.
func BenchmarkProposal(b *testing.B) {
	predictor := surrogate.DefaultSettings()
	o := Options{
		K: structure.MaxK, Candidates: 64, RoundSize: 8, Parents: 8, Predictor: &predictor, Seed: 1,
	}
	score := func(x float64) *float64 { return &x }
	for _, s := range []Strategy{Evolutionary{}, Progressive{}, Random{}, TPE{}} {
		b.Run(s.Name(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			first, err := s.Propose(o, 1, nil, 8, rng)
			if err != nil {
				b.Fatal(err)
			}
			var history []task.Trial
			for i, a := range first.Structures {
				history = append(history, task.Trial{
					Structure: a, State: task.Complete, Score: score(float64(i)),
				})
			}
			for b.Loop() {
				if _, err := s.Propose(o, 2, history, 64, rng); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
