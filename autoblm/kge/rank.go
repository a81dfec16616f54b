package kge

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// Rank counts the candidates for one query that are not known answers: those
// that score above the true entity, and those that score the same.
type Rank struct{ Better, Equal int32 }

// Ranked holds the ranks of one triple: its tail among all tails for (h, r, ?)
// and its head among all heads for (?, r, t).
type Ranked struct{ Tail, Head Rank }

// Ties says where the true entity stands among candidates with its own score.
type Ties int

const (
	// Pessimistic puts it last: the filtered rank of the paper (Section II-B).
	Pessimistic Ties = iota
	// Optimistic puts it first.
	Optimistic
	// Realistic is the mean of both.
	Realistic
)

var tiesNames = []string{"pessimistic", "optimistic", "realistic"}

func (t Ties) String() string { return enum.Of(tiesNames, "tie rule", t) }

// MarshalText writes the name.
func (t Ties) MarshalText() ([]byte, error) { return enum.Marshal(tiesNames, "tie rule", t) }

// UnmarshalText reads "pessimistic", "optimistic" or "realistic".
func (t *Ties) UnmarshalText(text []byte) error {
	return enum.Unmarshal(tiesNames, "tie rule", t, text)
}

// Under is the rank, from 1, by the given rule for ties.
func (r Rank) Under(ties Ties) float64 {
	switch ties {
	case Optimistic:
		return 1 + float64(r.Better)
	case Realistic:
		return 1 + float64(r.Better) + float64(r.Equal)/2
	default:
		return 1 + float64(r.Better) + float64(r.Equal)
	}
}

// Metrics sum up a set of ranks; all are 0 when the set is empty.
type Metrics struct {
	MRR      float64 `json:"mrr"`
	Hits1    float64 `json:"hits1"`
	Hits3    float64 `json:"hits3"`
	Hits10   float64 `json:"hits10"`
	MeanRank float64 `json:"mean_rank"`
}

// Add counts a rank with a weight.
func (m *Metrics) Add(rank, weight float64) {
	m.MRR += weight / rank
	m.MeanRank += weight * rank
	for _, hits := range []struct {
		limit float64
		count *float64
	}{{1, &m.Hits1}, {3, &m.Hits3}, {10, &m.Hits10}} {
		if rank <= hits.limit {
			*hits.count += weight
		}
	}
}

// Over divides sums by n, or by 1 where n is 0.
func (m Metrics) Over(n float64) Metrics {
	n = max(n, 1)
	return Metrics{MRR: m.MRR / n, Hits1: m.Hits1 / n, Hits3: m.Hits3 / n, Hits10: m.Hits10 / n, MeanRank: m.MeanRank / n}
}

// Plus adds sums.
func (m Metrics) Plus(other Metrics) Metrics {
	return Metrics{
		MRR: m.MRR + other.MRR, Hits1: m.Hits1 + other.Hits1, Hits3: m.Hits3 + other.Hits3,
		Hits10: m.Hits10 + other.Hits10, MeanRank: m.MeanRank + other.MeanRank,
	}
}

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

func (k KnownAnswers) String() string { return enum.Of(knownNames, "choice", k) }

// UnmarshalText reads "mark", "drop" or "keep".
func (k *KnownAnswers) UnmarshalText(text []byte) error {
	return enum.Unmarshal(knownNames, "choice", k, text)
}

// Among says of ids whether they are among some, which are ascending.
func Among(answers []int32) func(id int32) bool {
	return func(id int32) bool {
		_, found := slices.BinarySearch(answers, id)
		return found
	}
}

// BestAnswers makes answers of all entities, best first, and keeps the top ones; top < 1
// keeps all. Those that score the same keep the order of the labels. A score is a number;
// isKnown is nil where that is not looked up.
func BestAnswers(labels []string, score func(id int32) float64, isKnown func(id int32) bool, top int, known KnownAnswers) []Answer {
	answers := make([]Answer, 0, len(labels))
	for i, label := range labels {
		id := int32(i)
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
	slices.SortStableFunc(answers, func(a, b Answer) int { return cmp.Compare(b.Score, a.Score) })
	for i := range answers {
		answers[i].Rank = i + 1
	}
	if top > 0 && top < len(answers) {
		answers = answers[:top]
	}
	return answers
}
