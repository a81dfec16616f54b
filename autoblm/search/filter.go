package search

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Filter decides which structures are not worth training (paper, Algorithm 1).
type Filter int

const (
	// Exact drops what is degenerate in any of the three modes, and what is
	// equivalent under the full group, sign flips of entity chunks included.
	Exact Filter = iota
	// PaperFilter drops by the paper's test and the paper's group: it loses
	// some good structures, and trains others up to eight times.
	PaperFilter
	// NoFilter lets everything pass. What was trained before to the letter is not
	// trained again, but takes its place in a round.
	NoFilter
	// LinearFilter drops what [Exact] drops, and what [linear.Of] does not tell from
	// an earlier structure. Mostly these are the same functions after a change
	// of basis, but they are learnt in another way: a lossy filter.
	LinearFilter
)

var filterNames = []string{"exact", "paper", "none", "linear"}

func (f Filter) String() string { return enum.Name(filterNames, "filter", f) }

// MarshalText writes the name.
func (f Filter) MarshalText() ([]byte, error) { return enum.Marshal(filterNames, "filter", f) }

// UnmarshalText reads "exact", "paper", "none" or "linear".
func (f *Filter) UnmarshalText(text []byte) error {
	return enum.Unmarshal(filterNames, "filter", f, text)
}

func (f Filter) degenerate(s structure.Structure) bool {
	switch f {
	case Exact, LinearFilter:
		return s.Degenerate()
	case PaperFilter:
		return s.DegeneratePaper()
	default:
		return false
	}
}

// class is the same for all structures that the filter takes for the same. It is
// comparable.
func (f Filter) class(s structure.Structure) any {
	switch f {
	case Exact:
		return s.Canonical(structure.Full)
	case PaperFilter:
		return s.Canonical(structure.Paper)
	case LinearFilter:
		return linear.Of(s)
	default:
		return s
	}
}

// sieve lets each class pass once, or everything where there is no filter.
type sieve struct {
	filter Filter
	seen   map[any]bool
}

// newSieve knows the structures of earlier trials.
func newSieve(f Filter, trials []task.Trial) *sieve {
	s := &sieve{filter: f, seen: make(map[any]bool, len(trials))}
	for _, t := range trials {
		s.isNew(f.class(t.Structure))
	}
	return s
}

func (s *sieve) pass(a structure.Structure) bool {
	if s.filter == NoFilter {
		return true
	}
	// Where there are few classes most candidates come up again, to the letter.
	if !s.isNew(judged(a)) || s.filter.degenerate(a) {
		return false
	}
	// The invariant takes a millisecond, and most candidates come up again and again.
	if s.filter == LinearFilter && !s.isNew(a.Canonical(structure.Full)) {
		return false
	}
	return s.isNew(s.filter.class(a))
}

// judged is a candidate as it was drawn, whatever became of it.
type judged structure.Structure

// isNew is true once for each class, and for each candidate as it was drawn.
func (s *sieve) isNew(class any) bool {
	if s.seen[class] {
		return false
	}
	s.seen[class] = true
	return true
}
