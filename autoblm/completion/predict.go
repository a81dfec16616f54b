package completion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/names"
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

// Answer is a candidate for the missing end.
type Answer struct {
	Entity string  `json:"entity"`
	Score  float64 `json:"score"`
	// Rank, from 1, is among the answers that are listed or come below.
	Rank int `json:"rank"`
	// Known is whether the triple is in the graph already. It is not looked up
	// without a graph, or with KeepKnown.
	Known Known `json:"known"`
}

// Known is what is known of an answer being known.
type Known int8

const (
	// NotLookedUp is null in JSON.
	NotLookedUp Known = iota
	// No is false in JSON.
	No
	// Yes is true in JSON.
	Yes
)

func (k Known) String() string { return []string{"not looked up", "no", "yes"}[k] }

// MarshalJSON writes null, false or true.
func (k Known) MarshalJSON() ([]byte, error) {
	return []byte([]string{"null", "false", "true"}[k]), nil
}

// KnownAnswers says what happens to answers that the graph already has.
type KnownAnswers int

const (
	// MarkKnown lists them with the others, marked.
	MarkKnown KnownAnswers = iota
	// DropKnown leaves them out, so that only new facts are listed.
	DropKnown
	// KeepKnown lists them with the others, unmarked.
	KeepKnown
)

var knownNames = []string{"mark", "drop", "keep"}

func (k KnownAnswers) String() string { return names.Of(knownNames, "choice", k) }

// UnmarshalText reads "mark", "drop" or "keep".
func (k *KnownAnswers) UnmarshalText(text []byte) error {
	return names.Unmarshal(knownNames, "choice", k, text)
}

// Predict lists the top answers to a query, best first; top < 1 lists all.
// g tells which answers are known, and may be nil when that does not matter.
func (m *Model) Predict(q Query, g *datasets.Graph, top int, known KnownAnswers) ([]Answer, error) {
	if (q.Head == "") == (q.Tail == "") {
		return nil, fmt.Errorf("a query has either a head or a tail, and asks for the other")
	}
	relation := slices.Index(m.RelationLabels, q.Relation)
	if relation < 0 {
		return nil, fmt.Errorf("the model has no relation %q%s; it has %s", q.Relation, suggestion(m.RelationLabels, q.Relation), listed(m.RelationLabels))
	}
	given := slices.Index(m.EntityLabels, cmp.Or(q.Head, q.Tail))
	if given < 0 {
		return nil, fmt.Errorf("the model has no entity %q%s", cmp.Or(q.Head, q.Tail), suggestion(m.EntityLabels, cmp.Or(q.Head, q.Tail)))
	}
	score := m.Score
	if q.Head == "" {
		score = m.HeadScore
	}
	triple := func(candidate int) datasets.Triple {
		t := datasets.Triple{Head: int32(given), Relation: int32(relation), Tail: int32(candidate)}
		if q.Head == "" {
			t.Head, t.Tail = t.Tail, t.Head
		}
		return t
	}
	isKnown, err := m.knownAnswers(g, triple(given), q.Head != "")
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, 0, len(m.EntityLabels))
	for id, label := range m.EntityLabels {
		_, inGraph := slices.BinarySearch(isKnown, int32(id))
		if inGraph && known == DropKnown {
			continue
		}
		answer := Answer{Entity: label, Score: score(triple(id))}
		switch {
		case g == nil || known == KeepKnown:
		case inGraph:
			answer.Known = Yes
		default:
			answer.Known = No
		}
		answers = append(answers, answer)
	}
	slices.SortStableFunc(answers, func(a, b Answer) int { return cmp.Compare(b.Score, a.Score) })
	for i := range answers {
		answers[i].Rank = i + 1
	}
	if top > 0 && top < len(answers) {
		answers = answers[:top]
	}
	return answers, nil
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
