package completion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Query asks for the missing end of a triple: either Head or Tail is "".
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

// Predict lists the top answers to a query, best first; top < 1 lists all.
// g tells which answers are known, and may be nil when that does not matter.
func (m *Model) Predict(q Query, g *datasets.Graph, top int, known KnownAnswers) ([]Answer, error) {
	if (q.Head == "") == (q.Tail == "") {
		return nil, fmt.Errorf("a query has either a head or a tail, and asks for the other")
	}
	relation := slices.Index(m.RelationLabels, q.Relation)
	if relation < 0 {
		return nil, fmt.Errorf("the model has no relation %q%s; it has %s",
			q.Relation, labels.DidYouMean(labels.Near(m.RelationLabels, q.Relation)), labels.Listed(m.RelationLabels))
	}
	given, err := labels.Entity(m.EntityLabels, cmp.Or(q.Head, q.Tail))
	if err != nil {
		return nil, err
	}
	score := m.Score
	if q.Head == "" {
		score = m.HeadScore
	}
	triple := func(candidate int32) datasets.Triple {
		t := datasets.Triple{Head: given, Relation: int32(relation), Tail: candidate}
		if q.Head == "" {
			t.Head, t.Tail = t.Tail, t.Head
		}
		return t
	}
	isKnown, err := m.knownAnswers(g, triple(given), q.Head != "")
	if err != nil {
		return nil, err
	}
	of := func(id int32) (float64, Known) {
		if g == nil {
			return score(triple(id)), NotLookedUp
		}
		return score(triple(id)), KnownIf(isKnown, id)
	}
	return BestAnswers(m.EntityLabels, of, top, known), nil
}

// knownAnswers are the sorted ids that answer the query in g, which is taken
// to t's tails when forTails is set and to its heads otherwise.
func (m *Model) knownAnswers(g *datasets.Graph, t datasets.Triple, forTails bool) ([]int32, error) {
	if g == nil {
		return nil, nil
	}
	aligned, err := m.Align(g)
	if err != nil {
		return nil, err
	}
	if forTails {
		return aligned.Known().Tails(t.Head, t.Relation), nil
	}
	return aligned.Known().Heads(t.Relation, t.Tail), nil
}
