package search

import (
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// guess predicts the candidates' validation MRR from the trials, or returns
// nil when the settings want no predictor or there is no trial to learn from.
func guess(s Settings, trials []Trial, candidates []structure.Structure, seed uint64) ([]float64, error) {
	if s.Predictor == nil || len(trials) == 0 {
		return nil, nil
	}
	structures := make([]structure.Structure, len(trials))
	scores := make([]float64, len(trials))
	for i, t := range trials {
		structures[i], scores[i] = t.Structure, t.MRR()
	}
	fitted, err := predictor.Fit(*s.Predictor, structures, scores, seed)
	if err != nil {
		return nil, err
	}
	return fitted.Predict(candidates)
}
