package autodiff

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// hop holds the relations that questions walk at the same time.
type hop struct {
	rows []*Node // by table of relations, [questions, rows, columns]
	// sign is 1, or -1 where a relation is walked from tail to head through the transpose,
	// [questions, 1, 1].
	sign    *Node
	ways    ways
	isFirst bool // of a walk
}

// ways says in which directions the questions of a batch may walk relations.
type ways int

const (
	headToTail ways = iota
	tailToHead      // through the transpose
	both
)

// reversed returns the ways of the reverse walk.
func (w ways) reversed() ways {
	return [...]ways{headToTail: tailToHead, tailToHead: headToTail, both: both}[w]
}

// choose returns what forward gives for questions that walk from head to tail, and what backward
// gives for others. Neither is called if no question needs it.
func (h hop) choose(forward, backward func() *Node) *Node {
	switch h.ways {
	case headToTail:
		return forward()
	case tailToHead:
		return backward()
	}
	x, y := forward(), backward()
	isForward := GreaterThan(h.sign, ScalarZero(h.sign.Graph(), h.sign.DType()))
	return Where(BroadcastToShape(isForward, x.Shape()), x, y)
}

// paths holds the relations of questions as rows of tables.
type paths struct {
	relations *Node // [hops, questions]
	signs     *Node // [hops, questions], see hop; 0 after the last hop of a path
	ways      ways
	// passed has the entities from which hops start, [hops, questions]; nil if they are unknown.
	passed *Node
}

func (p paths) hops() int { return p.relations.Shape().Dim(0) }

// at returns a hop.
func (p paths) at(c *pass, t tables, n int) hop {
	of := func(x *Node) *Node { return Squeeze(Slice(x, AxisElem(n)), 0) }
	h := hop{sign: InsertAxes(of(p.signs), -1, -1), ways: p.ways, isFirst: n == 0}
	ids := of(p.relations)
	for i, table := range c.relationSpecs() {
		rows := lookUp(t.relations[i], ids)
		h.rows = append(h.rows, Reshape(rows, ids.Shape().Dim(0), table.Rows, table.Columns))
	}
	return h
}

// reversed returns the paths that start at the ends of questions. questions has the index of the
// question of each path.
func (p paths) reversed(questions *Node) paths {
	back := func(x *Node) *Node {
		var hops []*Node
		for n := p.hops() - 1; n >= 0; n-- {
			hops = append(hops, lookUp(Transpose(Slice(x, AxisElem(n)), 0, 1), questions))
		}
		return Transpose(Concatenate(hops, 1), 0, 1)
	}
	return paths{relations: back(p.relations), signs: Neg(back(p.signs)), ways: p.ways.reversed()}
}

// walk returns the states after all hops, [questions, rows, d], from the rows of entities
// [questions, d].
func walk(c *pass, t tables, start *Node, p paths) *Node {
	if p.passed != nil {
		return c.graphs().(reading).read(c, t, start, p)
	}
	states := InsertAxes(start, 1)
	if more := c.stateRows() - 1; more > 0 {
		zeros := BroadcastToDims(ScalarZero(start.Graph(), start.DType()),
			start.Shape().Dim(0), more, start.Shape().Dim(1))
		states = Concatenate([]*Node{states, zeros}, 1)
	}
	for n := range p.hops() {
		states = c.graphs().hop(c, states, p.at(c, t, n))
	}
	return states
}
