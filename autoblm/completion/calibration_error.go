package completion

import (
	"context"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// listedAnswers is the number of answers of each query whose probabilities are measured. The others
// are nearly all false, with probabilities near 0, so they would make the errors small.
const listedAnswers = 10

// CalibrationError compares probabilities with test triples.
type CalibrationError struct {
	// Queries is the number of queries of test triples. Answers is the number of their best answers
	// that train and valid lack, at most ten for each, and Facts of those that test has.
	Queries int `json:"queries"`
	Answers int `json:"answers"`
	Facts   int `json:"facts"`
	// ECE is the expected calibration error, in 15 groups of equal size, and Brier the Brier score.
	ECE   float64 `json:"ece"`
	Brier float64 `json:"brier"`
	// Constant is the Brier score if all had the same probability, that of the facts among them.
	Constant float64 `json:"brier_of_constant"`
}

// MeasureCalibration measures the probabilities of a calibrated predictor on the queries of the
// test triples of g. Large graphs are sampled as in [Calibrate].
func MeasureCalibration(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph,
) (*CalibrationError, error) {
	calibration := p.calibration()
	if calibration == nil {
		return nil, errors.New("the predictor has no probabilities")
	}
	aligned, _, err := AlignKnown(p.Models()[0], g)
	if err != nil {
		return nil, err
	}
	if len(aligned.Test) == 0 {
		return nil, ErrNoQueries
	}
	h, err := newHeldOut(p, engine, aligned, aligned.Test, aligned.Valid)
	if err != nil {
		return nil, err
	}
	defer h.answerer.Close()
	h.limit(maxWork)
	byQuery := make([][]eval.Decision, len(h.queries))
	err = h.each(ctx, func(i int, candidates []candidate) {
		e := h.queries[i].end()
		relation := aligned.Relations[e.relation]
		for _, c := range listed(candidates) {
			p := calibration.probability(relation, e.isHead, c.evidence)
			byQuery[i] = append(byQuery[i], eval.Decision{Score: p, IsTrue: c.isFact})
		}
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(byQuery...)
	if len(all) == 0 {
		return nil, ErrNoQueries
	}
	e := &CalibrationError{Queries: len(h.queries), Answers: len(all)}
	for _, d := range all {
		if d.IsTrue {
			e.Facts++
		}
	}
	share := float64(e.Facts) / float64(e.Answers)
	e.ECE, e.Brier = eval.CalibrationError(all), eval.Brier(all)
	e.Constant = share * (1 - share)
	return e, nil
}

// listed returns the best candidates, which predict lists.
func listed(candidates []candidate) []candidate {
	best := make([]candidate, 0, listedAnswers+1)
	for _, c := range candidates {
		if len(best) == listedAnswers && c.evidence <= best[listedAnswers-1].evidence {
			continue
		}
		at := len(best) // after equal ones, as in predict
		for at > 0 && best[at-1].evidence < c.evidence {
			at--
		}
		best = slices.Insert(best, at, c)
		best = best[:min(listedAnswers, len(best))]
	}
	return best
}
