package completion

import "encoding/json"

// Evaluations are what a trial tells of its model beside the score: the metrics of
// both splits, nil where a split has nothing to rank.
type Evaluations struct {
	Valid *Evaluation `json:"valid,omitempty"`
	Test  *Evaluation `json:"test,omitempty"`
}

// EvaluationsOf reads them from the details of a trial; those of a task without them
// have neither.
func EvaluationsOf(details json.RawMessage) (e Evaluations) {
	_ = json.Unmarshal(details, &e) // what is no such object has none
	return e
}

// Details are the evaluations as a trial has them.
func (e Evaluations) Details() (json.RawMessage, error) { return json.Marshal(e) }

// Scores are the validation and the test MRR, nil where there is none.
func (e Evaluations) Scores() (valid, test *float64) {
	mrr := func(e *Evaluation) *float64 {
		if e == nil {
			return nil
		}
		return &e.Both.MRR
	}
	return mrr(e.Valid), mrr(e.Test)
}
