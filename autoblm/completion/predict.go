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

// Predict returns the top answers to a query, best first; top < 1 returns all. g has the known
// answers and may be nil if they do not matter.
func Predict(
	m *kge.Model, q Query, g *datasets.Graph, top int, known eval.KnownAnswers,
) ([]eval.Answer, error) {
	return predict(m, q, g, top, known, func(given, relation int32) func(id int32) float64 {
		return q.scores(m, given, relation)
	})
}

// predict works like Predict, with the scores of any models that have the ids of m.
func predict(
	m *kge.Model, q Query, g *datasets.Graph, top int, known eval.KnownAnswers,
	scores func(given, relation int32) func(id int32) float64,
) ([]eval.Answer, error) {
	if (q.Head == "") == (q.Tail == "") {
		return nil, fmt.Errorf("a query needs either a head or a tail; it asks for the other")
	}
	relation := slices.Index(m.RelationLabels, q.Relation)
	if relation < 0 {
		near := enum.Near(m.RelationLabels, q.Relation)
		return nil, fmt.Errorf("the model has no relation %q%s; it has %s",
			q.Relation, enum.DidYouMean(near), labels.List(m.RelationLabels))
	}
	given, err := labels.Entity(m.EntityLabels, cmp.Or(q.Head, q.Tail))
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
			isKnown = eval.In(aligned.Known().Heads(int32(relation), given))
		} else {
			isKnown = eval.In(aligned.Known().Tails(given, int32(relation)))
		}
	}
	return eval.BestAnswers(m.EntityLabels, scores(given, int32(relation)), isKnown, top, known), nil
}

// scores returns a model's scores of the candidates of the query.
func (q Query) scores(m *kge.Model, given, relation int32) func(id int32) float64 {
	if q.Head == "" {
		return HeadScores(m, relation, given)
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

// HeadScores returns the scores of the heads of a relation and a tail. A model with reciprocal
// relations scores the reversed triple.
func HeadScores(m *kge.Model, relation, tail int32) func(head int32) float64 {
	switch {
	case m.Structure.K() == 0:
		return m.Scorer(kge.Question{Anchor: tail, Path: []int32{2*relation + 1}}, len(m.RelationLabels))
	case m.Reciprocal:
		return TailScores(m, tail, relation+int32(len(m.RelationLabels)))
	}
	return func(head int32) float64 { return m.ScoreTriple(head, relation, tail) }
}
