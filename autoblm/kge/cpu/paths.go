package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// paths are some paths of one length, with the rows that they look up: their embeddings, or the
// gradients by these.
type paths struct {
	count, hops int
	most        int              // that there is room for
	shared      bool             // rows of relations are there once for neighbours
	anchors     kernel.Table     // [count, d]
	targets     kernel.Table     // [count, d], of the targets at the other end
	relations   [][]kernel.Table // by hop and table, [slots·rows, columns]
	slots       [][]slot         // by hop and path
	transposed  [][]bool         // by hop and path
	rest        []kernel.Table   // room for what from returns
}

// slot is which rows of relations a path looks up: those of its own number, or where they
// are shared those of its neighbours that walk the same relation.
type slot struct{ rows, relation int32 }

// newPaths are for paths that share rows of relations, where the form has some to share, or for
// paths that have each their own.
func newPaths(m *model, most int, share bool) paths {
	return paths{most: most, shared: share && m.shared, anchors: tiles.NewTable(most, m.dim), targets: tiles.NewTable(most, m.dim)}
}

// reset makes room.
func (p *paths) reset(m *model, count, hops int) {
	p.count, p.hops = count, hops
	for len(p.relations) < hops {
		slots := p.most
		if p.shared {
			slots = min(slots, m.mostQueries()) // as no more questions are asked, each of one relation
		}
		var tables []kernel.Table
		for _, t := range m.relations {
			tables = append(tables, tiles.NewTable(slots*t.rows, t.columns))
		}
		p.relations = append(p.relations, tables)
		p.slots = append(p.slots, make([]slot, p.most))
		p.transposed = append(p.transposed, make([]bool, p.most))
	}
}

// like makes room for the gradients by what others look up, and sets them to 0.
func (p *paths) like(m *model, of *paths) {
	p.reset(m, of.count, of.hops)
	for hop := range p.hops {
		copy(p.slots[hop], of.slots[hop][:p.count])
	}
	clear(first(p.anchors, p.count))
	clear(first(p.targets, p.count))
	for hop, tables := range p.relations[:p.hops] {
		for i, t := range tables {
			clear(first(t, p.used(hop)*m.relations[i].rows))
		}
	}
}

// used is how many slots there are.
func (p *paths) used(hop int) int { return int(p.slots[hop][p.count-1].rows) + 1 }

// opens says whether a path is the first of its slot.
func (p *paths) opens(hop, path int) bool {
	return path == 0 || p.slots[hop][path].rows != p.slots[hop][path-1].rows
}

// cut visits the paths in runs, each of which goes on for as long as a path joins the one before.
func (p *paths) cut(joins func(path int) bool, visit func(path, n int)) {
	for from := 0; from < p.count; {
		n := 1
		for from+n < p.count && joins(from+n) {
			n++
		}
		visit(from, n)
		from += n
	}
}

// put looks up the rows of a question, path after path.
func (p *paths) put(m *model, path int, q *kge.Question) {
	copy(tiles.PaddedRow(p.anchors, path), m.entities.Row(int(q.Anchor)))
	for hop, r := range q.Path {
		number, transposed := m.place(r)
		p.transposed[hop][path] = transposed
		own := slot{int32(path), int32(number)}
		if p.shared && path > 0 {
			own.rows = p.slots[hop][path-1].rows
			if p.slots[hop][path-1].relation != own.relation {
				own.rows++
			}
		}
		p.slots[hop][path] = own
		if p.opens(hop, path) {
			for i, t := range m.relations {
				copy(part(p.relations[hop][i], int(own.rows), t.rows), t.From(number*t.rows).Data)
			}
		}
	}
}

// putTarget looks up the row of a target.
func (p *paths) putTarget(m *model, path int, entity int32) {
	copy(tiles.PaddedRow(p.targets, path), m.entities.Row(int(entity)))
}

// from is the tables of a hop without the rows before those of a path, until its next call.
func (p *paths) from(m *model, hop, path int) []kernel.Table {
	if path == 0 {
		return p.relations[hop]
	}
	start := int(p.slots[hop][path].rows)
	p.rest = p.rest[:0]
	for i, t := range m.relations {
		p.rest = append(p.rest, p.relations[hop][i].From(start*t.rows))
	}
	return p.rest
}

// first is the first n rows of a table.
func first(t kernel.Table, n int) []float32 { return t.Data[:n*t.Stride] }

// part is the rows of one path, where each has so many.
func part(t kernel.Table, path, rows int) []float32 {
	return t.Data[path*rows*t.Stride:][:rows*t.Stride]
}

// direction is that in which paths are walked: forward from their anchors, or backward
// from their targets, through the transposes.
type direction bool

const (
	forward  direction = false
	backward direction = true
)

// hop is which hop of a path is walked at a step, from 0.
func (d direction) hop(p *paths, step int) int {
	if d == backward {
		return p.hops - 1 - step
	}
	return step
}

// start is the rows that paths begin at.
func (d direction) start(p *paths) kernel.Table {
	if d == backward {
		return p.targets
	}
	return p.anchors
}

// states are those of paths before each hop but the first, or the gradients by them.
type states []kernel.Table // [count·stateRows, d]

// reset makes room, with rows of zeros.
func (s *states) reset(m *model, p *paths) {
	for len(*s) < p.hops {
		*s = append(*s, tiles.NewTable(p.most*m.stateRows, m.dim))
	}
	for _, t := range (*s)[:p.hops] {
		clear(first(t, p.count*m.stateRows))
	}
}

// at is the states before a step: those at first are the rows that paths start at,
// where a state has no more than these.
func (s states) at(m *model, step int, start kernel.Table) kernel.Table {
	if step == 0 && m.stateRows == 1 {
		return start
	}
	return s[step]
}

// walk makes the states after the last hop, in rows of zeros, and leaves those
// between.
func (m *model) walk(d direction, p *paths, to kernel.Table, between *states) {
	start := d.start(p)
	if p.hops > 1 || m.stateRows > 1 {
		between.reset(m, p)
	}
	if m.stateRows > 1 {
		for path := range p.count {
			copy(part((*between)[0], path, m.stateRows), tiles.PaddedRow(start, path))
		}
	}
	for step := range p.hops {
		after := to
		if step+1 < p.hops {
			after = (*between)[step+1]
		}
		before, hop := between.at(m, step, start), d.hop(p, step)
		m.runs(d, p, hop, func(path, n int, transposed bool) {
			m.hop.Step(after.From(path*m.stateRows), before.From(path*m.stateRows), p.from(m, hop, path), n, transposed)
		})
	}
}

// walkBack carries the gradient by the states after the last hop to the rows that
// were looked up, to whose gradients it adds. between has what walk left there, and
// room has room for gradients.
func (m *model) walkBack(d direction, p *paths, gradient kernel.Table, between states, room *states, to *paths) {
	if p.hops > 1 || m.stateRows > 1 {
		room.reset(m, p)
	}
	start, toStart := d.start(p), d.start(to)
	for step := p.hops - 1; step >= 0; step-- {
		after := gradient
		if step+1 < p.hops {
			after = (*room)[step+1]
		}
		before, toBefore, hop := between.at(m, step, start), room.at(m, step, toStart), d.hop(p, step)
		m.runs(d, p, hop, func(path, n int, transposed bool) {
			state := path * m.stateRows
			gradients := hopGradients{toBefore.From(state), to.from(m, hop, path)}
			m.hop.Back(after.From(state), before.From(state), p.from(m, hop, path), gradients, n, transposed)
		})
	}
	if m.stateRows > 1 {
		for path := range p.count {
			m.kernels.ScaleAdd(tiles.PaddedRow(toStart, path), part((*room)[0], path, m.stateRows)[:toStart.Stride], 1)
		}
	}
}

// runs cuts the paths where they begin to walk a hop the other way, and where a
// hop is of paths that share rows of relations where they begin to look up others.
func (m *model) runs(d direction, p *paths, hop int, visit func(path, n int, transposed bool)) {
	transposed := p.transposed[hop]
	p.cut(func(path int) bool {
		return transposed[path] == transposed[path-1] && !(m.shared && p.opens(hop, path))
	}, func(path, n int) { visit(path, n, transposed[path] != bool(d)) })
}
