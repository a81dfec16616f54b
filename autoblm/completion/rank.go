package completion

import (
	"github.com/autoblm/autoblm-go/internal/names"
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

func (t Ties) String() string { return names.Of(tiesNames, "tie rule", t) }

// MarshalText writes the name.
func (t Ties) MarshalText() ([]byte, error) { return names.Marshal(tiesNames, "tie rule", t) }

// UnmarshalText reads "pessimistic", "optimistic" or "realistic".
func (t *Ties) UnmarshalText(text []byte) error {
	return names.Unmarshal(tiesNames, "tie rule", t, text)
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
