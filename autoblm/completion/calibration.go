package completion

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Calibration turns the scores of a predictor into probabilities: the chance that an answer which
// the graph lacks is a fact. It is fitted to validation triples, by [Calibrate], so it counts facts
// that no split has as false.
type Calibration struct {
	// Queries and Facts are the numbers of validation queries and of their answers.
	Queries int `json:"queries"`
	Facts   int `json:"facts"`
	// Data is the fingerprint of the data that it was fitted to, with the ids of the model.
	Data string `json:"data"`
	// All is the map of all relations together.
	All ProbabilityMap `json:"all"`
	// Threshold is the least evidence of a true triple, for relations without a threshold.
	Threshold float64 `json:"threshold"`
	// Relations has the maps and thresholds of relations, by label.
	Relations map[string]RelationCalibration `json:"relations"`
}

// RelationCalibration holds what one relation has of its own.
type RelationCalibration struct {
	// Tails and Heads are the maps of queries for tails and heads; nil for that of all relations.
	Tails *ProbabilityMap `json:"tails,omitempty"`
	Heads *ProbabilityMap `json:"heads,omitempty"`
	// Threshold is the least evidence of a true triple; nil for that of all relations.
	Threshold *float64 `json:"threshold,omitempty"`
}

// ProbabilityMap turns evidence into a probability, by one of two maps. It never decreases.
type ProbabilityMap struct {
	Isotonic *eval.Isotonic `json:"isotonic,omitempty"`
	Logistic *eval.Logistic `json:"logistic,omitempty"`
}

// at returns the probability.
func (m ProbabilityMap) at(evidence float64) float64 {
	if m.Logistic != nil {
		return m.Logistic.At(evidence)
	}
	return m.Isotonic.At(evidence)
}

// evidence returns the logarithm of an answer's share of the softmax, times the number of known
// answers to the query plus one: the model divides the whole among the known answers and those that
// are missing. So evidence compares across queries, unlike scores and shares.
func evidence(logShare float64, known int) float64 {
	return logShare + math.Log(float64(1+known))
}

// probability returns the probability of an answer at an end of a relation.
func (c *Calibration) probability(relation string, forHeads bool, evidence float64) float64 {
	own := c.Relations[relation].Tails
	if forHeads {
		own = c.Relations[relation].Heads
	}
	if own != nil {
		return own.at(evidence)
	}
	return c.All.at(evidence)
}

// WithCalibration returns the predictor with another calibration, which Save also writes.
func WithCalibration(p Predictor, c *Calibration) Predictor {
	switch p := p.(type) {
	case Single:
		p.Calibration = c
		return p
	case *Single:
		return WithCalibration(*p, c)
	case *Ensemble:
		calibrated := *p
		calibrated.Calibration = c
		return &calibrated
	}
	return p
}

// CalibrationOf returns the calibration of a predictor, nil for none.
func CalibrationOf(p Predictor) *Calibration { return p.calibration() }

// isCalibrated reports whether answers have probabilities: those among the candidates that they
// were fitted to.
func (a *Answerer) isCalibrated(o PredictOptions) bool {
	return o.Shares && !o.AnyKind && o.Among == nil && a.graph != nil && a.predictor.calibration() != nil
}

// HasOtherCalibration reports whether the answers with some options have probabilities that were
// fitted to other data than the graph of the answerer.
func (a *Answerer) HasOtherCalibration(o PredictOptions) bool {
	return a.isCalibrated(o) && a.predictor.calibration().Data != a.graph.Fingerprint()
}

// probability returns the probability of an answer to a question. A known one has none: the model
// has learnt it.
func (a *Answerer) probability(q question, id int32, logShare float64, known []int32) *float64 {
	if _, isKnown := slices.BinarySearch(known, id); isKnown {
		return nil
	}
	relation := a.model.RelationLabels[q.relation]
	p := a.predictor.calibration().probability(relation, q.forHeads, evidence(logShare, len(known)))
	return &p
}

// IsOf reports whether the calibration was fitted to the triples of g that a model knows.
func (c *Calibration) IsOf(m *kge.Model, g *datasets.Graph) bool {
	aligned, _, err := AlignKnown(m, g)
	return err == nil && c.Data == aligned.Fingerprint()
}
