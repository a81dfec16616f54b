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
	// the full group, which includes sign flips of entity chunks. With [Options].Block it keeps
	// equivalent ones whose blocks differ.
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

// class returns a value that is equal for candidates that train alike: equivalent ones, whose blocks
// of chunks also agree if a penalty has blocks. An encoder's matrices and its embeddings undo a signed
// renaming of the chunks of a message, which no penalty reads.
func (f Filter) class(p pair, block int) pair {
	p.structure = f.canonical(p.structure, block)
	if p.message.K() > 0 {
		p.message = f.canonical(p.message, 1)
	}
	return p
}

func (f Filter) canonical(s structure.Structure, block int) structure.Structure {
	block = max(1, block)
	switch f {
	case Exact:
		return s.CanonicalInBlocks(structure.Full, block)
	case PaperFilter:
		return s.CanonicalInBlocks(structure.Paper, block)
	default:
		return s
	}
}

// sieve passes each class once; with NoFilter it passes everything.
type sieve struct {
	filter Filter
	block  int
	seen   map[any]bool
}

// newSieve returns a sieve that has seen the candidates of earlier trials.
func newSieve(o Options, trials []task.Trial) *sieve {
	s := &sieve{filter: o.Filter, block: o.Block, seen: make(map[any]bool, len(trials))}
	for _, p := range pairs(o, trials) {
		s.isNew(s.filter.class(p, s.block))
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
	return s.isNew(s.filter.class(a, s.block))
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
