package eval

import "github.com/autoblm/autoblm-go/internal/enum"

// Rank counts the candidates of one query, without other known answers, that score above
// the true entity (Better) and the same (Equal).
type Rank struct{ Better, Equal int32 }

// Ranked holds the ranks of one triple: of its tail among all tails for (h, r, ?), and of its
// head among all heads for (?, r, t).
type Ranked struct{ Tail, Head Rank }

// Ties decides the rank of the true entity among candidates with the same score.
type Ties int

const (
	// Pessimistic puts the true entity last: the filtered rank of the paper (Section II-B).
	Pessimistic Ties = iota
	// Optimistic puts the true entity first.
	Optimistic
	// Realistic is the mean of both.
	Realistic
)

var tiesNames = []string{"pessimistic", "optimistic", "realistic"}

func (t Ties) String() string { return enum.Name(tiesNames, "tie rule", t) }

// MarshalText returns the name.
func (t Ties) MarshalText() ([]byte, error) { return enum.Marshal(tiesNames, "tie rule", t) }

// UnmarshalText reads "pessimistic", "optimistic" or "realistic".
func (t *Ties) UnmarshalText(text []byte) error {
	return enum.Unmarshal(tiesNames, "tie rule", t, text)
}

// Under returns the rank, from 1, under a rule for ties.
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
