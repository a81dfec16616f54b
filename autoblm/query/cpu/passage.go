package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// passage is some paths of one length, at most tiles.MostQueries, with the rows
// that they look up: their embeddings, or the gradients by these.
type passage struct {
	paths, hops int
	anchors     kernel.Table   // [paths, d]
	relations   []kernel.Table // by hop, [paths·relationRows, d]
	transposed  [][]bool       // by hop and path
}

func newPassage(m *model) passage {
	return passage{anchors: tiles.NewTable(tiles.MostQueries, m.dim)}
}

// reset makes room, with rows of zeros.
func (p *passage) reset(m *model, paths, hops int) {
	p.paths, p.hops = paths, hops
	for len(p.relations) < hops {
		p.relations = append(p.relations, tiles.NewTable(tiles.MostQueries*m.relationRows, m.dim))
		p.transposed = append(p.transposed, make([]bool, tiles.MostQueries))
	}
	clear(first(p.anchors, paths))
	for _, t := range p.relations[:hops] {
		clear(first(t, paths*m.relationRows))
	}
}

// put looks up the rows of a path.
func (p *passage) put(m *model, path int, q *query.Query) {
	copy(tiles.WholeRow(p.anchors, path), m.entities.Row(int(q.Anchor)))
	for hop, r := range q.Relations {
		row, transposed := m.place(r)
		copy(part(p.relations[hop], path, m.relationRows), m.relations.From(row).Data)
		p.transposed[hop][path] = transposed
	}
}

// first is the first n rows of a table.
func first(t kernel.Table, n int) []float32 { return t.Data[:n*t.Stride] }

// part is the rows of one path, where each has so many.
func part(t kernel.Table, path, rows int) []float32 {
	return t.Data[path*rows*t.Stride:][:rows*t.Stride]
}

// track is the states of paths before and after each hop, or the gradients by them.
type track []kernel.Table // [paths·stateRows, d]

func (t *track) reset(m *model, p *passage) {
	for len(*t) <= p.hops {
		*t = append(*t, tiles.NewTable(tiles.MostQueries*m.stateRows, m.dim))
	}
	for _, states := range (*t)[:p.hops+1] {
		clear(first(states, p.paths*m.stateRows))
	}
}

// course is a way to walk paths: there, from their anchors on, or home, from their
// ends back and through the transposes.
type course bool

const (
	there course = false
	home  course = true
)

// hop is which hop of a path is walked at a step, from 0.
func (c course) hop(p *passage, step int) int {
	if c == home {
		return p.hops - 1 - step
	}
	return step
}

// walk makes the states after each hop, starting with the given rows of entities.
func (m *model) walk(c course, p *passage, from kernel.Table, states *track) {
	states.reset(m, p)
	for path := range p.paths {
		copy(part((*states)[0], path, m.stateRows), tiles.WholeRow(from, path))
	}
	for step := range p.hops {
		hop, before, after := c.hop(p, step), (*states)[step], (*states)[step+1]
		m.runs(c, p, hop, func(path, n int, transposed bool) {
			m.hop.step(after.From(path*m.stateRows), before.From(path*m.stateRows), p.relations[hop].From(path*m.relationRows), n, transposed)
		})
	}
}

// walkBack carries the gradients by the last states to the first ones, whose
// embeddings it adds them to, and to the relations.
func (m *model) walkBack(c course, p *passage, states, gradients track, to kernel.Table, relations []kernel.Table) {
	for step := p.hops - 1; step >= 0; step-- {
		hop := c.hop(p, step)
		m.runs(c, p, hop, func(path, n int, transposed bool) {
			state, relation := path*m.stateRows, path*m.relationRows
			m.hop.back(gradients[step+1].From(state), states[step].From(state), p.relations[hop].From(relation),
				gradients[step].From(state), relations[hop].From(relation), n, transposed)
		})
	}
	for path := range p.paths {
		m.kernels.ScaleAdd(tiles.WholeRow(to, path), part(gradients[0], path, m.stateRows)[:to.Stride], 1)
	}
}

// runs cuts the paths where they begin to walk a hop the other way.
func (m *model) runs(c course, p *passage, hop int, visit func(path, n int, transposed bool)) {
	transposed := p.transposed[hop][:p.paths]
	for from := 0; from < p.paths; {
		to := from + 1
		for to < p.paths && transposed[to] == transposed[from] {
			to++
		}
		visit(from, to-from, transposed[from] != bool(c))
		from = to
	}
}
