package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// paths holds paths of one length with the embeddings that they use, or with the gradients with
// respect to these embeddings.
type paths struct {
	count, hops int
	capacity    int              // largest count
	sharesRows  bool             // neighbours share rows of relations
	anchors     kernel.Table     // [count, d]
	targets     kernel.Table     // [count, d], at the other end
	relations   [][]kernel.Table // by hop and table, [slots·rows, columns]
	slots       [][]slot         // by hop and path
	transposed  [][]bool         // by hop and path
	views       []kernel.Table   // the result of relationsFrom
	outer       outerProducts    // for the gradients of matrices that cores give
	triads      triads           // for the gradients of cores
	norms       [2]outerProducts // for the gradients of IVR with cores, of heads and of tails
}

// slot says which rows of relations a path uses. Without sharing, each path has its own slot;
// with sharing, neighbours that walk the same relation have the same slot.
type slot struct{ number, relation int32 }

// newPaths allocates memory for a number of paths. They share rows if share is set and the form
// has rows to share.
func newPaths(m *model, capacity int, share bool) paths {
	return paths{
		capacity: capacity, sharesRows: share && m.sharesRows,
		anchors: tiles.NewTable(capacity, m.dim), targets: tiles.NewTable(capacity, m.dim),
	}
}

// reset prepares for a number of paths with a number of hops.
func (p *paths) reset(m *model, count, hops int) {
	p.count, p.hops = count, hops
	for len(p.relations) < hops {
		slots := p.capacity
		if p.sharesRows { // there are at most as many slots as queries
			slots = min(slots, m.maxQueries())
		}
		var tables []kernel.Table
		for _, t := range m.relations {
			tables = append(tables, tiles.NewTable(slots*t.rows, t.columns))
		}
		p.relations = append(p.relations, tables)
		p.slots = append(p.slots, make([]slot, p.capacity))
		p.transposed = append(p.transposed, make([]bool, p.capacity))
	}
}

// resetGradients prepares for the gradients of other paths, and sets them to 0.
func (p *paths) resetGradients(m *model, of *paths) {
	p.reset(m, of.count, of.hops)
	p.outer.reset()
	p.triads.count = 0
	p.norms[ofHead].reset()
	p.norms[ofTail].reset()
	for hop := range p.hops {
		copy(p.slots[hop], of.slots[hop][:p.count])
	}
	clear(first(p.anchors, p.count))
	clear(first(p.targets, p.count))
	for hop, tables := range p.relations[:p.hops] {
		for i, t := range tables {
			clear(first(t, p.slotCount(hop)*m.relations[i].rows))
		}
	}
}

// slotCount returns the number of slots of a hop.
func (p *paths) slotCount(hop int) int { return int(p.slots[hop][p.count-1].number) + 1 }

// startsSlot reports whether a path is the first of its slot.
func (p *paths) startsSlot(hop, path int) bool {
	return path == 0 || p.slots[hop][path].number != p.slots[hop][path-1].number
}

// eachRun visits runs of paths. The next path belongs to a run if continues is true for it.
func (p *paths) eachRun(continues func(path int) bool, visit func(path, n int)) {
	for from := 0; from < p.count; {
		n := 1
		for from+n < p.count && continues(from+n) {
			n++
		}
		visit(from, n)
		from += n
	}
}

// load looks up the embeddings of a question. Paths must be loaded in order.
func (p *paths) load(m *model, path int, q *kge.Question) {
	copy(tiles.PaddedRow(p.anchors, path), tiles.PaddedRow(m.entities.Table, int(q.Anchor)))
	for hop, r := range q.Path {
		number, transposed := m.relationRow(r)
		p.transposed[hop][path] = transposed
		s := slot{int32(path), int32(number)}
		if p.sharesRows && path > 0 {
			before := p.slots[hop][path-1]
			s.number = before.number
			if before.relation != s.relation {
				s.number++
			}
		}
		p.slots[hop][path] = s
		if p.startsSlot(hop, path) {
			for i, t := range m.relations {
				rows := part(p.relations[hop][i], int(s.number), t.rows)
				copy(rows, t.From(number*t.rows).Data)
			}
		}
	}
}

// loadTarget looks up the row of a target.
func (p *paths) loadTarget(m *model, path int, entity int32) {
	copy(tiles.PaddedRow(p.targets, path), tiles.PaddedRow(m.entities.Table, int(entity)))
}

// relationsFrom returns the tables of a hop from the rows of a path on, or the matrices that cores
// give. The next call overwrites the result.
func (p *paths) relationsFrom(m *model, hop, path int) []kernel.Table {
	if m.cores != nil {
		p.views = m.cores.appendMatrices(p.views[:0], p.slots[hop][path].relation)
		return p.views
	}
	if path == 0 {
		return p.relations[hop]
	}
	start := int(p.slots[hop][path].number)
	p.views = p.views[:0]
	for i, t := range m.relations {
		p.views = append(p.views, p.relations[hop][i].From(start*t.rows))
	}
	return p.views
}

// first returns the first n rows of a table.
func first(t kernel.Table, n int) []float32 { return t.Data[:n*t.Stride] }

// part returns the rows of one path if each path has the given number of rows.
func part(t kernel.Table, path, rows int) []float32 {
	return t.Data[path*rows*t.Stride:][:rows*t.Stride]
}

// direction is the direction in which paths are walked: forward from their anchors, or backward
// from their targets through the transposes.
type direction bool

const (
	forward  direction = false
	backward direction = true
)

// hop returns the index of the hop that is walked at a step, from 0.
func (d direction) hop(p *paths, step int) int {
	if d == backward {
		return p.hops - 1 - step
	}
	return step
}

// start returns the rows at which paths start.
func (d direction) start(p *paths) kernel.Table { return *d.startOf(p) }

// startOf returns the place of the rows at which paths start.
func (d direction) startOf(p *paths) *kernel.Table {
	if d == backward {
		return &p.targets
	}
	return &p.anchors
}

// states has, for each step, the states of paths before it, or the gradients with respect to
// them. If a state has one row, the first entry is unused.
type states []kernel.Table // [count·stateRows, d]

// reset prepares rows of zeros.
func (s *states) reset(m *model, p *paths) {
	for len(*s) < p.hops {
		*s = append(*s, tiles.NewTable(p.capacity*m.stateRows, m.dim))
	}
	for _, t := range (*s)[:p.hops] {
		clear(first(t, p.count*m.stateRows))
	}
}

// before returns the states before a step. If a state has one row, the first states are the
// rows at which paths start.
func (s states) before(m *model, step int, start kernel.Table) kernel.Table {
	if step == 0 && m.stateRows == 1 {
		return start
	}
	return s[step]
}

// begin sets the first states to the rows at which paths start, if a state has more than one row.
func (s states) begin(m *model, p *paths, start kernel.Table) {
	if m.stateRows == 1 {
		return
	}
	for path := range p.count {
		copy(part(s[0], path, m.stateRows), tiles.PaddedRow(start, path))
	}
}

// walk adds the states after the last hop to rows of zeros, and keeps the states between hops.
func (m *model) walk(d direction, p *paths, to kernel.Table, between *states) {
	start := d.start(p)
	if p.hops > 1 || m.stateRows > 1 {
		between.reset(m, p)
	}
	between.begin(m, p, start)
	for step := range p.hops {
		after := to
		if step+1 < p.hops {
			after = (*between)[step+1]
		}
		before, hop := between.before(m, step, start), d.hop(p, step)
		m.eachHopRun(d, p, hop, func(path, n int, transposed bool) {
			state := path * m.stateRows
			relations := p.relationsFrom(m, hop, path)
			m.hop.Step(after.From(state), before.From(state), relations, n, transposed)
		})
	}
}

// walkBack propagates the gradient with respect to the states after the last hop to the
// embeddings, and adds it to their gradients. between has the states that walk kept. scratch is
// memory for the gradients with respect to them.
func (m *model) walkBack(
	d direction, p *paths, gradient kernel.Table, between states, scratch *states, to *paths,
) {
	if p.hops > 1 || m.stateRows > 1 {
		scratch.reset(m, p)
	}
	start, toStart := d.start(p), d.start(to)
	between.begin(m, p, start) // a walk in the other direction may have followed
	for step := p.hops - 1; step >= 0; step-- {
		after := gradient
		if step+1 < p.hops {
			after = (*scratch)[step+1]
		}
		before := between.before(m, step, start)
		toBefore := scratch.before(m, step, toStart)
		hop := d.hop(p, step)
		m.eachHopRun(d, p, hop, func(path, n int, transposed bool) {
			state := path * m.stateRows
			relations := p.relationsFrom(m, hop, path)
			gradients := hopGradients{toBefore.From(state), to.relationsFrom(m, hop, path)}
			m.hop.Back(after.From(state), before.From(state), relations, gradients, n, transposed)
			if m.cores != nil {
				left, right := before.From(state), after.From(state)
				if transposed {
					left, right = right, left
				}
				to.outer.add(m.cores.partitionLayout, p.slots[hop][path].relation, left, right, n)
			}
		})
	}
	if m.stateRows > 1 {
		for path := range p.count {
			firstRow := part((*scratch)[0], path, m.stateRows)[:toStart.Stride]
			m.kernels.ScaleAdd(tiles.PaddedRow(toStart, path), firstRow, 1)
		}
	}
}

// eachHopRun visits runs of paths that walk a hop in the same direction. If the form shares
// rows of relations, the paths of a run also have the same slot.
func (m *model) eachHopRun(
	d direction, p *paths, hop int, visit func(path, n int, transposed bool),
) {
	transposed := p.transposed[hop]
	continues := func(path int) bool {
		return transposed[path] == transposed[path-1] &&
			!(m.sharesRows && p.startsSlot(hop, path))
	}
	p.eachRun(continues, func(path, n int) { visit(path, n, transposed[path] != bool(d)) })
}
