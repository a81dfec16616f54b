package strategy

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Filter selects the structures that are worth training (paper, Algorithm 1).
type Filter int

const (
	// Exact drops structures that are degenerate in any of the three modes, or equivalent under
	// the full group, which includes sign flips of entity chunks.
	Exact Filter = iota
	// PaperFilter applies the paper's degeneracy test and group. It drops some good structures,
	// and trains others up to eight times.
	PaperFilter
	// NoFilter passes everything. A structure that was trained before counts in a round, but is not
	// trained again.
	NoFilter
)

var filterNames = []string{"exact", "paper", "none"}

func (f Filter) String() string { return enum.Name(filterNames, "filter", f) }

// MarshalText writes the name.
func (f Filter) MarshalText() ([]byte, error) { return enum.Marshal(filterNames, "filter", f) }

// UnmarshalText reads "exact", "paper" or "none".
func (f *Filter) UnmarshalText(text []byte) error {
	return enum.Unmarshal(filterNames, "filter", f, text)
}

func (f Filter) isDegenerate(p pair) bool {
	return f.dropsDegenerate(p.structure) || p.message.K() > 0 && f.dropsDegenerate(p.message)
}

func (f Filter) dropsDegenerate(s structure.Structure) bool {
	switch f {
	case Exact:
		return s.Degenerate()
	case PaperFilter:
		return s.DegeneratePaper()
	default:
		return false
	}
}

// class returns a value that is equal for equivalent candidates. An encoder's matrices and its
// embeddings undo a signed renaming of the chunks of the structure, and of those of the message, so
// both have a canonical form of their own. Only penalties of groups of chunks tell the structures of a
// class apart: see N3Block of kge.Weights.
func (f Filter) class(p pair) pair {
	p.structure = f.canonical(p.structure)
	if p.message.K() > 0 {
		p.message = f.canonical(p.message)
	}
	return p
}

func (f Filter) canonical(s structure.Structure) structure.Structure {
	switch f {
	case Exact:
		return s.Canonical(structure.Full)
	case PaperFilter:
		return s.Canonical(structure.Paper)
	default:
		return s
	}
}

// sieve passes each class once; with NoFilter it passes everything.
type sieve struct {
	filter Filter
	seen   map[any]bool
}

// newSieve returns a sieve that has seen the candidates of earlier trials.
func newSieve(o Options, trials []task.Trial) *sieve {
	s := &sieve{filter: o.Filter, seen: make(map[any]bool, len(trials))}
	for _, p := range pairs(o, trials) {
		s.isNew(o.Filter.class(p))
	}
	return s
}

func (s *sieve) pass(a pair) bool {
	if s.filter == NoFilter {
		return true
	}
	// If there are few classes, most candidates are exact repeats, which need no canonical form.
	if !s.isNew(drawn(a)) || s.filter.isDegenerate(a) {
		return false
	}
	return s.isNew(s.filter.class(a))
}

// drawn is a candidate as a generator drew it, in contrast to a class.
type drawn pair

// isNew returns true once for each class or candidate.
func (s *sieve) isNew(class any) bool {
	if s.seen[class] {
		return false
	}
	s.seen[class] = true
	return true
}
