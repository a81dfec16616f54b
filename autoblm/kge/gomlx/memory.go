package gomlx

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
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

// plan says how training is split to fit in memory.
type plan struct {
	// onDevice is the number of members whose data is on one device. members is the number of them
	// that train at the same time.
	onDevice, members int
	shards            int // of a member, on one device each; 1 if a member has one device
	parts             int // of a batch
}

// plan spreads the members over the devices, if a member with its batch fits in the memory of one.
// Otherwise, or if asked for, it shards every member. The choice does not depend on the number of
// members, and so neither does the rounding of a member's numbers. On each device the plan then
// splits the members, which costs little, and then the batch. If even one triple of one member does
// not fit, the backend will report it.
func (s sizes) plan(memory int64, devices backend.Devices) plan {
	alone := s
	alone.members = 1
	if devices.Count > 1 && (devices.Shard || alone.step(1, s.batch) > memory) {
		p := s.shard(devices.Count).split(memory, 1)
		p.shards = devices.Count
		return p
	}
	s.members = (s.members + devices.Count - 1) / devices.Count
	return s.split(memory, s.members)
}

// shard returns the sizes on each device if every member is sharded.
func (s sizes) shard(devices int) sizes {
	s.entities = shardRows(s.entities, devices)
	return s
}

// split returns a plan for one device. At most a number of members train at the same time.
func (s sizes) split(memory int64, most int) plan {
	p := plan{onDevice: s.members, members: 1, shards: 1, parts: s.batch}
	for members := most; members >= 1; members-- {
		if s.step(members, s.batch) <= memory {
			groups := (s.members + members - 1) / members
			p.members, p.parts = (s.members+groups-1)/groups, 1
			return p
		}
	}
	for parts := 2; parts < s.batch; parts++ {
		if s.step(1, (s.batch+parts-1)/parts) <= memory {
			p.parts = parts
			return p
		}
	}
	return p
}

// note describes a plan, or returns "" if nothing is split.
func (s sizes) note(p plan, memory int64) string {
	s.members = p.onDevice
	var splits []string
	if p.shards > 1 {
		splits = append(splits, fmt.Sprintf("sharding each member over %d devices", p.shards))
	}
	if p.members < p.onDevice {
		splits = append(splits, fmt.Sprintf("training %d members at a time", p.members))
	}
	if p.parts > 1 {
		splits = append(splits, fmt.Sprintf("computing a batch in %d parts", p.parts))
	}
	if len(splits) == 0 {
		return ""
	}
	bytes := s.step(p.onDevice, s.batch)
	limit := ""
	if bytes > memory {
		limit = ", more than the limit of " + humanize.IBytes(uint64(memory))
	}
	return fmt.Sprintf("a step of %d members on %d triples needs %s%s: %s", p.onDevice, s.batch,
		humanize.IBytes(uint64(bytes)), limit, strings.Join(splits, ", "))
}
