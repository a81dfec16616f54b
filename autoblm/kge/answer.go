package kge

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/internal/names"
)

// Answer is a candidate for what a query asks for.
type Answer struct {
	Entity string  `json:"entity"`
	Score  float64 `json:"score"`
	// Rank, from 1, is among the answers that are listed or come below.
	Rank int `json:"rank"`
	// Known is whether the graph has it already. It is not looked up
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

// KnownIf tells whether an id is among the known answers, which are ascending.
func KnownIf(answers []int32, id int32) Known {
	if _, found := slices.BinarySearch(answers, id); found {
		return Yes
	}
	return No
}

// BestAnswers makes answers of all entities, best first, and keeps the top ones; top < 1
// keeps all. Those that score the same keep the order of the labels. of tells an
// entity's score, which is a number, and whether it is known.
func BestAnswers(labels []string, of func(id int32) (float64, Known), top int, known KnownAnswers) []Answer {
	answers := make([]Answer, 0, len(labels))
	for id, label := range labels {
		answer := Answer{Entity: label}
		answer.Score, answer.Known = of(int32(id))
		switch {
		case known == DropKnown && answer.Known == Yes:
			continue
		case known == KeepKnown:
			answer.Known = NotLookedUp
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
	return answers
}
