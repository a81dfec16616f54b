package completion

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Query is a triple with one missing part, which is "": it asks for heads, relations or tails.
// Without a missing part, it asks for the score and the rank of the triple.
type Query struct {
	Head     string `json:"head,omitempty" nullable:"true" doc:"Label of the head."`
	Relation string `json:"relation,omitempty" nullable:"true" doc:"Label of the relation."`
	Tail     string `json:"tail,omitempty" nullable:"true" doc:"Label of the tail."`
}

// MarshalJSON writes a missing part as null.
func (q Query) MarshalJSON() ([]byte, error) {
	optional := func(label string) *string {
		if label == "" {
			return nil
		}
		return &label
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // as of the labels of answers
	err := encoder.Encode(struct {
		Head     *string `json:"head"`
		Relation *string `json:"relation"`
		Tail     *string `json:"tail"`
	}{optional(q.Head), optional(q.Relation), optional(q.Tail)})
	return text.Bytes(), err
}

// PredictOptions say which answers [Predictor.Predict] returns. The zero value returns all entities
// of the right kind that are not known answers.
type PredictOptions struct {
	// Known says what to do with answers that the graph has: drop them (the default), mark them,
	// or keep them without marks.
	Known eval.KnownAnswers
	// Top is the maximum number of answers; 0 returns all.
	Top int
	// AnyKind makes all entities candidates. Otherwise these are the entities at that end of the
	// relation in the facts of the graph, and those that share a declared type with one of them,
	// without the given entity unless the relation has facts with one entity at both ends. Without a
	// graph, or without such facts, all are candidates.
	AnyKind bool
	// Among, unless nil, restricts the entities that answer a query to these. Queries for relations
	// ignore it.
	Among []string
	// Shares sets the shares of answers, and the probabilities if the predictor is calibrated. With
	// AnyKind, Among or without a graph there are no probabilities. The softmax is over the
	// candidates, the known answers and the given entity.
	Shares bool
}

// errUnclear means that a query lacks two parts.
var errUnclear = errors.New("a query needs two of head, relation and tail")

// check returns an error if a query lacks two parts.
func (q Query) check() error {
	missing := 0
	for _, part := range []string{q.Head, q.Relation, q.Tail} {
		if part == "" {
			missing++
		}
	}
	if missing > 1 {
		return errUnclear
	}
	return nil
}

// relationID returns the id of a relation. The error suggests similar labels.
func relationID(m *kge.Model, relation string) (int32, error) {
	at := slices.Index(m.RelationLabels, relation)
	if at < 0 {
		has := "; it has "
		near := enum.DidYouMean(enum.Near(m.RelationLabels, relation))
		if near != "" {
			has = " It has "
		}
		return 0, fmt.Errorf("the model has no relation %q%s%s%s",
			relation, near, has, labels.List(m.RelationLabels))
	}
	return int32(at), nil
}

// score implements [Predictor.Score].
func score(p Predictor, head, relation, tail string) (float64, error) {
	m := p.Models()[0]
	r, err := relationID(m, relation)
	if err != nil {
		return 0, err
	}
	h, err := labels.Entity(m.EntityLabels, head)
	if err != nil {
		return 0, err
	}
	t, err := labels.Entity(m.EntityLabels, tail)
	if err != nil {
		return 0, err
	}
	return p.scores(question{given: h, relation: r}, nil)(t), nil
}

// question asks for the tails of a head and a relation, or for the heads of a tail if forHeads.
type question struct {
	given, relation int32
	forHeads        bool
	other           int32 // the tail, if the query has one in addition to the head
}

// path returns the question as a path of one hop.
func (q question) path() kge.Question {
	relation := 2 * q.relation
	if q.forHeads {
		relation++
	}
	return kge.Question{Anchor: q.given, Path: []int32{relation}}
}

// scores returns a model's scores of candidates, in float64 (paper, Equation 7). A model with
// reciprocal relations scores the reversed triple for heads. kept, which may be nil, has matrices of
// relations. The function is not safe for concurrent use.
func (q question) scores(m *kge.Model, kept *kge.CoreMatrices) func(id int32) float64 {
	relations := len(m.RelationLabels)
	switch {
	case m.Structure.K() == 0:
		return m.ScorerWith(kept, q.path(), relations)
	case q.forHeads && m.Reciprocal:
		return m.TripleScorer(q.given, q.relation+int32(relations), false)
	}
	return m.TripleScorer(q.given, q.relation, q.forHeads)
}

// TailScores returns the model's scores, in float64, of the tails of a head and a relation (paper,
// Equation 7). The function is not safe for concurrent use.
func TailScores(m *kge.Model, head, relation int32) func(tail int32) float64 {
	return question{given: head, relation: relation}.scores(m, nil)
}

// compareAnswers orders answers by score, the best first.
func compareAnswers(a, b eval.Answer) int { return cmp.Compare(b.Score, a.Score) }
