package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/masks"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// pass holds what the graphs of a form may need in addition to states.
type pass struct {
	model
	globals   []*Node // tables of the model, after those of relations
	operators *Node   // of a structure, [2, K·K, K]; see operatorsOf

	// In a training step only:
	training bool
	used     *Node  // [questions]: 1, and 0 for padding
	key      *Node  // scalar uint32, see drop
	drops    int    // layers that dropped numbers so far
	averages *Node  // see averaging
	more     *Node  // loss in addition to that of the answers, nil for none
	asked    *asked // see dropLayer
}

// tables holds the tables of a model as nodes.
type tables struct {
	entities  *Node   // [E, d]
	relations []*Node // [relations, rows·columns], with a row for each reverse too
	globals   []*Node // [rows, columns]
}

// tablesOf sorts the tables of a model, in the order of [kge.Tables.All].
func tablesOf(m model, all []*Node) (t tables) {
	t.entities = all[0]
	for i, table := range m.specs() {
		if table.Global {
			t.globals = append(t.globals, all[1+i])
		} else {
			t.relations = append(t.relations, Reshape(all[1+i], -1, table.Rows*table.Columns))
		}
	}
	return t
}

// embeddings returns the tables to look up, and the values that forms need.
func (m model) embeddings(all []*Node, operators *Node, c pass) (*pass, tables) {
	t := tablesOf(m, all)
	c.model, c.globals, c.operators = m, t.globals, operators
	return &c, t
}

// lookUp returns the rows of a table [rows, columns] with the given ids, [ids..., columns].
func lookUp(table, ids *Node) *Node { return Gather(table, InsertAxes(ids, -1)) }

// dropLayer drops numbers of a layer [questions, n] in a training step, with one of the keys of the
// step and the share of one of its scalars.
func (c *pass) dropLayer(x *Node, key, share int) *Node {
	if !c.training {
		return x
	}
	return c.asked.dropCoordinates(x, key, share)
}

// drop drops a share of the numbers of x in a training step, and scales the others. Each call in a
// graph drops other numbers.
func (c *pass) drop(x *Node, share float64) *Node {
	if !c.training || share == 0 {
		return x
	}
	c.drops++
	shape := x.Shape().Clone()
	shape.DType = dtypes.Uint32
	place := Reshape(Iota(x.Graph(), shapes.Make(dtypes.Uint32, shape.Size()), 0), shape.Dimensions...)
	key := AddScalar(c.key, dropout.Scramble(uint32(c.drops)))
	threshold := Const(x.Graph(), dropout.Threshold(share))
	return Mul(x, masks.Factors(place, key, threshold, Const(x.Graph(), float32(share))))
}
