package gomlx

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

// sizes holds the sizes that determine the memory of a training step.
type sizes struct {
	members, entities, relations, dim, k, batch int
	slots                                       int // of the optimizer
}

// rows returns the number of embeddings of a member.
func (s sizes) rows() int64 { return int64(s.entities + s.relations) }

// stateBytes returns the memory of a member between steps: its tables and optimizer slots.
func (s sizes) stateBytes() int64 { return 4 * s.rows() * int64(s.dim) * int64(1+s.slots) }

// perMember returns the additional memory of a member during a step, for any batch size:
// gradients, and the new tables, which exist before the old ones are freed.
func (s sizes) perMember() int64 { return s.stateBytes() + 4*s.rows()*int64(s.dim)*2 }

// perTriple returns the memory of a member for each triple of a batch: two rows of scores and
// of their exponentials, and the products of chunks that are mixed into queries, each with
// its share of the backward pass.
func (s sizes) perTriple() int64 {
	scores := 3 * 2 * int64(s.entities)
	products := 4 * 2 * int64(s.dim) * int64(s.k)
	return 4 * (scores + products)
}

// step returns the memory of a step that trains some members on some triples, including the
// state of all members.
func (s sizes) step(members, triples int) int64 {
	return int64(s.members)*s.stateBytes() +
		int64(members)*(s.perMember()+int64(triples)*s.perTriple())
}

// plan says how a step is split to fit in memory.
type plan struct {
	members int // that train at the same time
	parts   int // of a batch
}

// plan splits the population first, which costs little, and then the batch. If even one triple
// of one member does not fit, the backend will report it.
func (s sizes) plan(memory int64) plan {
	for members := s.members; members >= 1; members-- {
		if s.step(members, s.batch) <= memory {
			groups := (s.members + members - 1) / members
			return plan{members: (s.members + groups - 1) / groups, parts: 1}
		}
	}
	for parts := 2; parts < s.batch; parts++ {
		if s.step(1, (s.batch+parts-1)/parts) <= memory {
			return plan{members: 1, parts: parts}
		}
	}
	return plan{members: 1, parts: s.batch}
}

// note describes a plan, or returns "" if nothing is split.
func (s sizes) note(p plan, memory int64) string {
	var splits []string
	if p.members < s.members {
		splits = append(splits, fmt.Sprintf("training %d members at a time", p.members))
	}
	if p.parts > 1 {
		splits = append(splits, fmt.Sprintf("computing a batch in %d parts", p.parts))
	}
	if len(splits) == 0 {
		return ""
	}
	return fmt.Sprintf("a step of %d members on %d triples needs %s, more than the limit of %s: %s",
		s.members, s.batch, humanize.IBytes(uint64(s.step(s.members, s.batch))),
		humanize.IBytes(uint64(memory)), strings.Join(splits, ", "))
}
