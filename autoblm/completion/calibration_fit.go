package completion

import (
	"context"
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Evidence is counted in bins of equal width. Less than the lowest counts as the lowest.
const (
	lowestEvidence = -16
	binsPerUnit    = 8
	evidenceBins   = (8 - lowestEvidence) * binsPerUnit
)

// folds is the number of parts of the cross-validation that chooses the kind of each map.
const folds = 5

// minFacts is the number of facts below which a relation uses the map of all relations. A threshold
// of its own also needs as many false triples.
const minFacts = 10

// binCount counts candidates, and the facts among them.
type binCount struct{ all, facts uint32 }

// binCounts counts the candidates of each fold by evidence.
type binCounts [folds][evidenceBins]binCount

// ErrNoQueries means that a split has no queries to fit or measure probabilities.
var ErrNoQueries = errors.New("the model knows no validation or test triple to calibrate with")

// Calibrate fits probabilities to the validation triples of g. The candidates of each query that
// train and test lack are scored as [Answerer.Predict] does, and those of valid count as true. So
// test triples do not count as false, and are not used otherwise. Each end of a relation has an
// isotonic or logistic map of its own, or uses that of all relations, whichever has the smallest
// Brier score in a cross-validation over queries. Large graphs are sampled, so it takes seconds, or
// minutes with millions of candidates. The result depends only on p and g.
func Calibrate(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph,
) (*Calibration, error) {
	aligned, _, err := AlignKnown(p.Models()[0], g)
	if err != nil {
		return nil, err
	}
	if len(aligned.Valid) == 0 {
		return nil, ErrNoQueries
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byEnd, queries, err := countEvidence(ctx, p, engine, aligned)
	if err != nil {
		return nil, err
	}
	c := fitMaps(byEnd, aligned.Relations)
	c.Queries, c.Data = queries, aligned.Fingerprint()
	all, _, err := judge(ctx, p, engine, g, "valid", 1, (*Answerer).affordable)
	if err != nil {
		return nil, err
	}
	c.addThresholds(all, aligned.Relations)
	return c, nil
}

// countEvidence counts the candidates of validation queries at each end of a relation, and returns
// the number of queries.
func countEvidence(
	ctx context.Context, p Predictor, engine kge.Engine, g *datasets.Graph,
) (map[end]*binCounts, int, error) {
	h, err := newHeldOut(p, engine, g, g.Valid, g.Test)
	if err != nil {
		return nil, 0, err
	}
	defer h.answerer.Close()
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	h.limit(maxWork)
	byEnd := map[end]*binCounts{}
	err = h.each(ctx, func(i int, candidates []candidate) {
		e := h.queries[i].end()
		if byEnd[e] == nil {
			byEnd[e] = new(binCounts)
		}
		fold := &byEnd[e][i%folds]
		for _, c := range candidates {
			bin := &fold[binOf(c.evidence)]
			bin.all++
			if c.isFact {
				bin.facts++
			}
		}
	})
	return byEnd, len(h.queries), err
}

// binOf returns the bin of evidence.
func binOf(evidence float64) int {
	if !(evidence > lowestEvidence) { // or NaN
		return 0
	}
	return int(min((evidence-lowestEvidence)*binsPerUnit, evidenceBins-1))
}

// fitMaps fits the maps to the counts at the ends of relations.
func fitMaps(byEnd map[end]*binCounts, relations []string) *Calibration {
	all := new(binCounts)
	for _, counts := range byEnd {
		for fold := range counts {
			for bin, n := range counts[fold] {
				all[fold][bin].all += n.all
				all[fold][bin].facts += n.facts
			}
		}
	}
	c := &Calibration{Relations: map[string]RelationCalibration{}}
	c.All = *all.choose(nil)
	shared := [folds]ProbabilityMap{}
	for fold := range shared {
		shared[fold] = all.fit(fold, c.All.Isotonic != nil)
	}
	for e, counts := range byEnd {
		facts := 0
		for fold := range counts {
			for _, n := range counts[fold] {
				facts += int(n.facts)
			}
		}
		c.Facts += facts
		if facts < minFacts {
			continue
		}
		own := counts.choose(&shared)
		r := c.Relations[relations[e.relation]]
		if e.isHead {
			r.Heads = own
		} else {
			r.Tails = own
		}
		c.Relations[relations[e.relation]] = r
	}
	return c
}

// choose returns the better of an isotonic and a logistic map, or nil if the maps of all relations,
// by the fold that they were not fitted to, are better than both.
func (b *binCounts) choose(shared *[folds]ProbabilityMap) *ProbabilityMap {
	var isotonic, logistic, all float64
	for fold := range folds {
		isotonic += b.squares(fold, b.fit(fold, true))
		logistic += b.squares(fold, b.fit(fold, false))
		if shared != nil {
			all += b.squares(fold, shared[fold])
		}
	}
	if shared != nil && all <= min(isotonic, logistic) {
		return nil
	}
	best := b.fit(-1, isotonic < logistic)
	return &best
}

// squares returns the sum of squared errors of a map in a fold.
func (b *binCounts) squares(fold int, m ProbabilityMap) (sum float64) {
	for bin, n := range b[fold] {
		if n.all > 0 {
			p := m.at(centre(bin))
			sum += float64(n.facts)*(1-p)*(1-p) + float64(n.all-n.facts)*p*p
		}
	}
	return sum
}

// fit returns a map that is fitted to all folds but one, which is -1 for none.
func (b *binCounts) fit(without int, isIsotonic bool) ProbabilityMap {
	var x, y, weight []float64
	facts, all := 0.0, 0.0
	for bin := range evidenceBins {
		var n binCount
		for fold := range folds {
			if fold != without {
				n.all += b[fold][bin].all
				n.facts += b[fold][bin].facts
			}
		}
		if n.all == 0 {
			continue
		}
		x, y = append(x, centre(bin)), append(y, float64(n.facts)/float64(n.all))
		weight = append(weight, float64(n.all))
		facts, all = facts+float64(n.facts), all+float64(n.all)
	}
	if !isIsotonic {
		logistic := eval.FitLogistic(x, y, weight)
		logistic.Slope = max(0, logistic.Slope)
		return ProbabilityMap{Logistic: &logistic}
	}
	isotonic := smooth(x, y, weight, facts/max(all, 1))
	return ProbabilityMap{Isotonic: &isotonic}
}

// smooth fits an isotonic map, whose blocks count one more candidate that is a fact with the
// probability of all. So no probability is 0 or 1.
func smooth(x, y, weight []float64, mean float64) eval.Isotonic {
	if len(x) == 0 {
		return eval.Isotonic{X: []float64{0}, Y: []float64{0}}
	}
	raw := eval.FitIsotonic(x, y, weight)
	blocks := map[float64]float64{} // weight by value
	for i := range x {
		blocks[raw.At(x[i])] += weight[i]
	}
	smoothed := make([]float64, len(x))
	for i := range x {
		value := raw.At(x[i])
		n := blocks[value]
		smoothed[i] = (value*n + mean) / (n + 1)
	}
	return eval.FitIsotonic(x, smoothed, weight)
}

// centre returns the middle of a bin.
func centre(bin int) float64 { return lowestEvidence + (float64(bin)+0.5)/binsPerUnit }
