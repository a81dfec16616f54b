package eval

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// Answer is a candidate answer to a query: an entity, or a relation. Fields that were not computed
// are zero. Tags describe the fields, also to the users of the server.
type Answer struct {
	Entity      string   `json:"entity,omitempty" doc:"Label of the entity."`
	Relation    string   `json:"relation,omitempty" doc:"Label of the relation, if these are asked for."`
	Score       float64  `json:"score" doc:"Score of the triple with the answer. Only scores of one query compare."`
	Rank        int      `json:"rank" doc:"Rank from 1 among the answers that are not left out."`
	Known       Known    `json:"known" doc:"Whether the data have the answer; null if it is not looked up: without data, or with keep."`
	Share       float64  `json:"share,omitempty" doc:"Share of the softmax over the candidates, the known answers and the entity of the query. That of a relation is the geometric mean of the shares of the head and the tail."`
	Probability *float64 `json:"probability,omitempty" doc:"Chance that an answer which the data lack is a fact."`
	Verdict     *bool    `json:"verdict,omitempty" doc:"Whether a whole triple counts as true, by a threshold of its relation."`
	Because     []Reason `json:"because,omitempty" doc:"Training triples that speak most for the answer, if asked for."`
}

// Reason is a training triple that speaks for an answer.
type Reason struct {
	Head      string  `json:"head" parquet:"head" doc:"Label of the head."`
	Relation  string  `json:"relation" parquet:"relation" doc:"Label of the relation."`
	Tail      string  `json:"tail" parquet:"tail" doc:"Label of the tail."`
	Influence float64 `json:"influence" parquet:"influence" doc:"About how far the score of the answer would fall without the triple."`
}

// Known tells whether the graph already has an answer.
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

var knownJSON = []string{"null", "false", "true"}

// MarshalJSON returns null, false or true.
func (k Known) MarshalJSON() ([]byte, error) { return []byte(knownJSON[k]), nil }

// UnmarshalJSON reads null, false or true.
func (k *Known) UnmarshalJSON(text []byte) error {
	i := slices.Index(knownJSON, string(text))
	if i < 0 {
		return enum.Unknown("value of known", string(text), knownJSON)
	}
	*k = Known(i)
	return nil
}

// KnownAnswers selects what happens to answers that the graph already has.
type KnownAnswers int

const (
	// DropKnown leaves out known answers, so that only new facts are listed.
	DropKnown KnownAnswers = iota
	// MarkKnown lists known answers with the others and marks them.
	MarkKnown
	// KeepKnown lists known answers with the others and does not mark them.
	KeepKnown
)

var knownNames = []string{"drop", "mark", "keep"}

func (k KnownAnswers) String() string { return enum.Name(knownNames, "choice", k) }

// MarshalText returns "drop", "mark" or "keep".
func (k KnownAnswers) MarshalText() ([]byte, error) { return enum.Marshal(knownNames, "choice", k) }

// UnmarshalText reads "drop", "mark" or "keep".
func (k *KnownAnswers) UnmarshalText(text []byte) error {
	return enum.Unmarshal(knownNames, "choice", k, text)
}

// In returns a function that reports whether an id is in an ascending list.
func In(ascending []int32) func(id int32) bool {
	return func(id int32) bool {
		_, found := slices.BinarySearch(ascending, id)
		return found
	}
}

// BestAnswers returns the entities with the highest scores, best first; top < 1 returns all.
// Entities with equal scores keep the order of the labels. Scores are not NaN. isKnown is nil
// if known answers are not looked up, and isCandidate if all entities are candidates.
func BestAnswers(
	labels []string, score func(id int32) float64, isKnown, isCandidate func(id int32) bool,
	top int, known KnownAnswers,
) []Answer {
	answers := make([]Answer, 0, len(labels))
	for i, label := range labels {
		id := int32(i)
		if isCandidate != nil && !isCandidate(id) {
			continue
		}
		answer := Answer{Entity: label, Score: score(id)}
		if isKnown != nil && known != KeepKnown {
			answer.Known = No
			if isKnown(id) {
				answer.Known = Yes
			}
		}
		if known != DropKnown || answer.Known != Yes {
			answers = append(answers, answer)
		}
	}
	byScore := func(a, b Answer) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(answers, byScore)
	for i := range answers {
		answers[i].Rank = i + 1
	}
	if top > 0 && top < len(answers) {
		answers = answers[:top]
	}
	return answers
}
