package search

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// guess predicts the candidates' scores from the trials, or returns
// nil when the settings want no predictor or there is no trial to learn from.
func guess(s Settings, trials []task.Trial, candidates []structure.Structure, seed uint64) ([]float64, error) {
	if s.Predictor == nil || len(trials) == 0 {
		return nil, nil
	}
	structures := make([]structure.Structure, len(trials))
	scores := make([]float64, len(trials))
	for i, t := range trials {
		structures[i], scores[i] = t.Structure, t.ScoreOrZero()
	}
	fitted, err := predictor.Fit(*s.Predictor, structures, scores, seed)
	if err != nil {
		return nil, err
	}
	return fitted.Predict(candidates)
}

// pick takes the most promising candidates by a predictor fitted to the
// history, or the first ones where there is no predictor or nothing to fit.
func pick(s Settings, history []task.Trial, candidates []structure.Structure, want int, rng *rand.Rand) (Proposal, error) {
	seed := rng.Uint64()
	want = min(want, s.P, len(candidates))
	guesses, err := guess(s, bestFirst(history), candidates, seed)
	if err != nil {
		return Proposal{}, err
	}
	if guesses == nil {
		return Proposal{Structures: candidates[:want]}, nil
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(guesses[b], guesses[a]) })
	var p Proposal
	for _, i := range order[:want] {
		p.Structures, p.Guesses = append(p.Structures, candidates[i]), append(p.Guesses, guesses[i])
	}
	return p, nil
}
