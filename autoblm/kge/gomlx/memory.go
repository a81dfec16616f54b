package gomlx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize"
)

// sizes holds the sizes that determine the memory of a training step.
type sizes struct {
	members, entities, relations, dim, k, batch int
	slots                                       int  // of the optimizer
	matrix                                      int  // size C of the matrices of relations, or 0
	derived                                     int  // rows of dim numbers that cores make in a step
	ivr, predicts                               bool // IVR and relation prediction, of some member
}

// sizesOf returns the sizes of a population.
func sizesOf(d *kge.Data, s kge.Settings, members []kge.Member) sizes {
	size := sizes{
		members:   len(members),
		entities:  len(d.Entities),
		relations: len(d.Relations),
		dim:       s.Dim,
		k:         max(1, members[0].Structure.K()),
		batch:     min(s.Batch, d.Count),
		slots:     optimizer.Rules[s.Optimizer].Slots,
		ivr:       slices.ContainsFunc(members, func(m kge.Member) bool { return m.HasIVR() }),
		predicts: slices.ContainsFunc(members, func(m kge.Member) bool {
			return m.RelationPrediction > 0
		}),
	}
	if s.Reciprocal {
		size.relations *= 2
	}
	f := s.FormOf(members[0])
	model := shapeOf(f, s.Reciprocal)
	size.matrix = model.matrixSize(s.Dim)
	if model.partitions > 0 {
		size.derived = size.relations * size.matrix
	}
	size.relations *= sum(widths(f, s.Dim)) / s.Dim
	size.relations += model.coreRows(s.Dim) + model.normRows()
	return size
}

// checkNorm returns an error if a model with batch normalization would train a batch in parts.
func (e *Engine) checkNorm(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if !s.FormOf(members[0]).HasNorm() {
		return nil
	}
	size := sizesOf(d, s, members)
	plan, err := size.plan(e.settings.Memory, e.devices)
	if err != nil || plan.parts == 1 {
		return err
	}
	return fmt.Errorf("batch normalization needs a whole batch, but only %d triples fit in memory at a "+
		"time: set a smaller batch, or use engine cpu", (size.batch+plan.parts-1)/plan.parts)
}

// rows returns the number of embeddings of a member.
func (s sizes) rows() int64 { return int64(s.entities + s.relations) }

// stateBytes returns the memory of a member between steps: its tables and optimizer slots.
func (s sizes) stateBytes() int64 { return 4 * s.rows() * int64(s.dim) * int64(1+s.slots) }

// perMember returns the additional memory of a member during a step, for any batch size:
// gradients, and the new tables, which exist before the old ones are freed. The matrices of
// relations exist twice, in two orders, and so do their gradients.
func (s sizes) perMember() int64 {
	return s.stateBytes() + 4*int64(s.dim)*(2*s.rows()+4*int64(s.derived))
}

// perTriple returns the memory of a member for each triple of a batch: two rows of scores and
// of their exponentials, and the products of chunks that are mixed into queries, each with
// its share of the backward pass. Matrices of relations exist as looked up, as products with a row
// of an entity, and as gradients of the triple, of the term and of their sum; relation prediction
// has queries of that size, with two terms of their gradients.
func (s sizes) perTriple() int64 {
	scores := 3 * 2 * int64(s.entities)
	products := 4 * 2 * int64(s.dim) * int64(s.k)
	if s.matrix > 0 {
		matrices := int64(5)
		if s.predicts {
			matrices += 4
		}
		products = 2 * matrices * int64(s.dim) * int64(s.matrix)
	}
	if s.ivr { // one role after the other: a matrix of the row, and a query for it
		products *= 2
	}
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
// Otherwise, or if asked for, it shards every member. It divides a batch into as many parts as one
// member needs alone. So neither choice depends on the number of members, and neither does the
// rounding of a member's numbers. On each device the plan then splits the members. If even one
// triple of one member does not fit, the backend will report it. plan returns an error if one member
// fits, but not with the state of the others.
func (s sizes) plan(memory int64, devices backend.Devices) (plan, error) {
	alone := s
	alone.members = 1
	p := plan{onDevice: s.members, members: 1, shards: 1}
	if devices.Count > 1 && (devices.Shard || alone.step(1, s.batch) > memory) {
		p.shards = devices.Count
		s, alone = s.shard(p.shards), alone.shard(p.shards)
	} else {
		p.onDevice = (s.members + devices.Count - 1) / devices.Count
	}
	s.members, p.parts = p.onDevice, alone.partsOf(memory)
	rows := (s.batch + p.parts - 1) / p.parts
	if fits := s.step(1, rows) <= memory; !fits && alone.step(1, rows) <= memory {
		others := (memory - alone.step(1, rows)) / s.stateBytes()
		return p, autodiff.TooMany(int(1+others) * devices.Count / p.shards)
	}
	if p.parts == 1 && p.shards == 1 {
		p.members = s.group(memory)
	}
	return p, nil
}

// shard returns the sizes on each device if every member is sharded.
func (s sizes) shard(devices int) sizes {
	s.entities = shardRows(s.entities, devices)
	return s
}

// partsOf returns the smallest number of parts of a batch with which a step of one member fits in
// memory, or else the size of the batch; at least 1.
func (s sizes) partsOf(memory int64) int {
	for parts := 1; parts < s.batch; parts++ {
		if s.step(1, (s.batch+parts-1)/parts) <= memory {
			return parts
		}
	}
	return max(1, s.batch)
}

// group returns the number of members that train at the same time on one device, in groups of
// similar size.
func (s sizes) group(memory int64) int {
	for members := s.members; members > 1; members-- {
		if s.step(members, s.batch) <= memory {
			groups := (s.members + members - 1) / members
			return (s.members + groups - 1) / groups
		}
	}
	return 1
}

// note describes a plan and why it splits the training, or returns "" if nothing is split except as
// asked for. how is the same for plans that split in the same way.
func (s sizes) note(p plan, memory int64, devices backend.Devices) (how, text string) {
	s.members = p.onDevice
	var splits []string
	if p.shards > 1 {
		s = s.shard(p.shards)
		if !devices.Shard {
			splits = append(splits, fmt.Sprintf("sharding each member over %d devices", p.shards))
		}
	}
	if p.members < p.onDevice && p.shards == 1 {
		splits = append(splits, "training "+format.Count(p.members, "member")+" at a time")
	}
	if p.parts > 1 {
		splits = append(splits, fmt.Sprintf("computing a batch in %d parts", p.parts))
	}
	if len(splits) == 0 {
		return "", ""
	}
	each, limit := "", ""
	if devices.Count > 1 {
		each = " on each device"
	}
	bytes := s.step(p.onDevice, s.batch)
	if bytes > memory {
		limit = ", more than the limit of " + humanize.IBytes(uint64(memory))
	}
	how = strings.Join(splits, ", ")
	return how, fmt.Sprintf("a step of %s on %d triples needs %s%s%s: %s",
		format.Count(p.onDevice, "member"), s.batch, humanize.IBytes(uint64(bytes)), each, limit, how)
}
