package gomlx

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

// sizes are what the memory of a training step depends on.
type sizes struct {
	members, entities, relations, dim, k, batch int
	slots                                       int // of the optimizer
}

// rows is the number of embeddings of a member.
func (s sizes) rows() int64 { return int64(s.entities + s.relations) }

// kept is what a member keeps between steps: its tables and what the optimizer
// remembers of them.
func (s sizes) kept() int64 { return 4 * s.rows() * int64(s.dim) * int64(1+s.slots) }

// perMember is what a member needs in a step beside that, whatever the batch:
// gradients, and the tables that the step writes before the old ones are free.
func (s sizes) perMember() int64 { return s.kept() + 4*s.rows()*int64(s.dim)*2 }

// perTriple is what a member needs for each triple of a batch: two rows of scores
// and of their exponentials, and the products of chunks that are mixed into
// queries, with what the backward pass needs of both.
func (s sizes) perTriple() int64 {
	scores := 3 * 2 * int64(s.entities)
	products := 4 * 2 * int64(s.dim) * int64(s.k)
	return 4 * (scores + products)
}

// step is what a step of some members on some triples needs, with what all members keep.
func (s sizes) step(members, triples int) int64 {
	return int64(s.members)*s.kept() + int64(members)*(s.perMember()+int64(triples)*s.perTriple())
}

// plan is how a step is cut so that it fits.
type plan struct {
	members int // that train at a time
	parts   int // of a batch
}

// plan cuts the population first, which costs little, and then the batch. Where
// even one triple of one member is too much, it leaves that to the backend to say.
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

// note says what a plan does, or "" when it does nothing.
func (s sizes) note(p plan, memory int64) string {
	var cuts []string
	if p.members < s.members {
		cuts = append(cuts, fmt.Sprintf("%d of them train at a time", p.members))
	}
	if p.parts > 1 {
		cuts = append(cuts, fmt.Sprintf("a batch is computed in %d parts", p.parts))
	}
	if len(cuts) == 0 {
		return ""
	}
	return fmt.Sprintf("a step of %d members on %d triples would take %s, and %s may be taken: %s", s.members, s.batch,
		humanize.IBytes(uint64(s.step(s.members, s.batch))), humanize.IBytes(uint64(memory)), strings.Join(cuts, ", "))
}
