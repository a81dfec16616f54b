package strategy

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// predict fits the predictor to trials and returns the predicted scores of the candidates. It
// returns nil without a predictor or without trials.
func predict(
	o Options, trials []task.Trial, candidates []structure.Structure, seed uint64,
) ([]float64, error) {
	if o.Predictor == nil || len(trials) == 0 {
		return nil, nil
	}
	structures := make([]structure.Structure, len(trials))
	scores := make([]float64, len(trials))
	for i, t := range trials {
		structures[i], scores[i] = t.Structure, t.ScoreOrZero()
	}
	fitted, err := predictor.Fit(*o.Predictor, structures, scores, seed)
	if err != nil {
		return nil, err
	}
	return fitted.Predict(candidates)
}

// pick proposes the candidates with the highest predicted scores, or the first candidates if there
// are no predictions.
func pick(
	o Options, history []task.Trial, candidates []structure.Structure, want int, rng *rand.Rand,
) (Proposal, error) {
	seed := rng.Uint64()
	want = min(want, o.RoundSize, len(candidates))
	scores, err := predict(o, task.BestFirst(history), candidates, seed)
	if err != nil {
		return Proposal{}, err
	}
	if scores == nil {
		return Proposal{Structures: candidates[:want]}, nil
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var p Proposal
	for _, i := range order[:want] {
		p.Structures = append(p.Structures, candidates[i])
		p.Predictions = append(p.Predictions, scores[i])
	}
	return p, nil
}
