package completion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Query asks for the missing end of a triple. Either Head or Tail is "".
type Query struct{ Head, Relation, Tail string }

// MarshalJSON writes the missing end as null.
func (q Query) MarshalJSON() ([]byte, error) {
	optional := func(label string) *string {
		if label == "" {
			return nil
		}
		return &label
	}
	return json.Marshal(struct {
		Head     *string `json:"head"`
		Relation string  `json:"relation"`
		Tail     *string `json:"tail"`
	}{optional(q.Head), q.Relation, optional(q.Tail)})
}

// PredictOptions say which answers [Predictor.Predict] returns. The zero value returns all entities
// that are not known answers.
type PredictOptions struct {
	// Known says what to do with answers that the graph has: drop them (the default), mark them,
	// or keep them without marks.
	Known eval.KnownAnswers
	// Top is the maximum number of answers; 0 returns all.
	Top int
}

// resolve returns the ids of the given entity and of the relation.
func (q Query) resolve(m *kge.Model) (given, relation int32, err error) {
	if (q.Head == "") == (q.Tail == "") {
		return 0, 0, fmt.Errorf("a query needs either a head or a tail; it asks for the other")
	}
	at := slices.Index(m.RelationLabels, q.Relation)
	if at < 0 {
		near := enum.Near(m.RelationLabels, q.Relation)
		return 0, 0, fmt.Errorf("the model has no relation %q%s; it has %s",
			q.Relation, enum.DidYouMean(near), labels.List(m.RelationLabels))
	}
	given, err = labels.Entity(m.EntityLabels, cmp.Or(q.Head, q.Tail))
	return given, int32(at), err
}

// predict implements [Predictor.Predict].
func predict(p Predictor, g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error) {
	m := p.Models()[0]
	given, relation, err := q.resolve(m)
	if err != nil {
		return nil, err
	}
	var isKnown func(id int32) bool
	if g != nil {
		aligned, err := Align(m, g)
		if err != nil {
			return nil, err
		}
		if q.Head == "" {
			isKnown = eval.In(aligned.Known().Heads(relation, given))
		} else {
			isKnown = eval.In(aligned.Known().Tails(given, relation))
		}
	}
	scores := p.scores(q, given, relation)
	return eval.BestAnswers(m.EntityLabels, scores, isKnown, o.Top, o.Known), nil
}

// score implements [Predictor.Score].
func score(p Predictor, head, relation, tail string) (float64, error) {
	m, q := p.Models()[0], Query{Head: head, Relation: relation}
	given, relationID, err := q.resolve(m)
	if err != nil {
		return 0, err
	}
	id, err := labels.Entity(m.EntityLabels, tail)
	if err != nil {
		return 0, err
	}
	return p.scores(q, given, relationID)(id), nil
}

// scores returns a model's scores of the candidates of the query.
func (q Query) scores(m *kge.Model, given, relation int32) func(id int32) float64 {
	if q.Head == "" {
		return headScores(m, relation, given)
	}
	return TailScores(m, given, relation)
}

// TailScores returns the model's scores, in float64, of the tails of a head and a relation (paper,
// Equation 7).
func TailScores(m *kge.Model, head, relation int32) func(tail int32) float64 {
	if m.Structure.K() == 0 {
		return m.Scorer(kge.Question{Anchor: head, Path: []int32{2 * relation}}, len(m.RelationLabels))
	}
	return func(tail int32) float64 { return m.ScoreTriple(head, relation, tail) }
}

// headScores returns the scores of the heads of a relation and a tail. A model with reciprocal
// relations scores the reversed triple.
func headScores(m *kge.Model, relation, tail int32) func(head int32) float64 {
	switch {
	case m.Structure.K() == 0:
		return m.Scorer(kge.Question{Anchor: tail, Path: []int32{2*relation + 1}}, len(m.RelationLabels))
	case m.Reciprocal:
		return TailScores(m, tail, relation+int32(len(m.RelationLabels)))
	}
	return func(head int32) float64 { return m.ScoreTriple(head, relation, tail) }
}
