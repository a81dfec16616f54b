package form

import (
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// interstellar reads relational paths with a recurrent cell (Zhang et al., 2020). An entity has two
// vectors of d/2 numbers, as subject and as object, and a relation has those of itself and of its
// reverse. A forward chain reads subjects and relations, and its output asks for objects; a backward
// chain reads objects and reverses, and asks for subjects. Both start in the state of their first
// entity. The score is the sum of both products. Walked from tail to head, a relation and its
// reverse change places.
//
// A hop is a chain of length one. Its state is both outputs in the order of an entity's row, so that
// later hops of a query take it for an entity. Training reads the entities of a path instead, see
// [Cell.Read].
type interstellar struct {
	noStructure
	cell Cell
}

// Form returns Interstellar with the cell. Because only some engines train it, it is not in [All].
func (c Cell) Form() Form { return Form{interstellar{noStructure{cellPrefix + c.String()}, c}} }

// Cell returns the cell of Interstellar.
func (f Form) Cell() (c Cell, ok bool) {
	i, ok := f.spec.(interstellar)
	return i.cell, ok
}

// cellTable is the name of the table of weights of a cell.
const cellTable = "weights"

// Tables has the vectors of a relation and its reverse, [2·relations, d/2], and the weights of the
// cell, if it has any, as [Cell.Weights] arranges them.
func (f interstellar) Tables(dim int) []Table {
	size := dim / 2
	tables := []Table{{Name: relationsTable, Rows: 2, Columns: size}}
	if rows := f.cell.rows(size); rows > 0 {
		tables = append(tables, Table{Name: cellTable, Rows: rows, Columns: size, Global: true,
			Draw: func(rng *rand.Rand, row int, _ float64) float64 { return f.cell.draw(rng, row, size) }})
	}
	return tables
}

// Multiple lets vectors have real and imaginary parts.
func (interstellar) Multiple() int { return 4 }

func (interstellar) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

// Read returns the query after a path: the outputs of both chains for the rows of its entities, apart
// from the last one, and of its relations. transposed says which relations are walked from tail to
// head. weights is the table of weights, nil if there is none.
func (c Cell) Read(entities, relations [][]float64, transposed []bool, weights []float64) []float64 {
	visits := c.read(entities, relations, transposed, weights)
	last := visits[len(visits)-1]
	return slices.Concat(last[1].v, last[0].v)
}

// read returns the uses of the cell by both chains, forward and backward, along a path.
func (c Cell) read(
	entities, relations [][]float64, transposed []bool, weights []float64,
) (visits [][2]visit) {
	size := len(entities[0]) / 2
	chain := chain{c, size, weights}
	states := [2][]float64{entities[0][:size], entities[0][size:]}
	for i, entity := range entities {
		ofRelation := [2][]float64{relations[i][:size], relations[i][size:]}
		if transposed[i] {
			ofRelation[0], ofRelation[1] = ofRelation[1], ofRelation[0]
		}
		var both [2]visit
		for way, vector := range [2][]float64{entity[:size], entity[size:]} {
			both[way] = chain.use(vector, states[way], ofRelation[way])
			states[way] = both[way].next
		}
		visits = append(visits, both)
	}
	return visits
}

func (f interstellar) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	return f.cell.Read([][]float64{state}, relations[:1], []bool{transposed}, weightsOf(relations[1:]))
}

// weightsOf returns the weights among the global tables of a cell.
func weightsOf[T any](globals [][]T) []T {
	if len(globals) == 0 {
		return nil
	}
	return globals[0]
}

// Hops implements [Neural].
func (f interstellar) Hops(
	anchors, relations [][]float64, transposed bool, globals [][]float32,
) (states [][]float64) {
	weights, directions := widened(weightsOf(globals)), []bool{transposed}
	for i := range anchors {
		states = append(states,
			f.cell.Read(anchors[i:i+1], relations[i:i+1], directions, weights))
	}
	return states
}

// AnchorGradient implements [Neural].
func (f interstellar) AnchorGradient(
	anchor, relation []float64, transposed bool, globals [][]float32, byState []float64,
) (gradient []float64) {
	weights := widened(weightsOf(globals))
	both := f.cell.read([][]float64{anchor}, [][]float64{relation}, []bool{transposed}, weights)[0]
	size := len(anchor) / 2
	chain := chain{f.cell, size, weights}
	for way, byV := range [2][]float64{byState[size:], byState[:size]} {
		byEntity, byFirst := chain.back(both[way], byV) // the first state is the entity
		for i, d := range byFirst {
			gradient = append(gradient, d+byEntity[i])
		}
	}
	return gradient
}

func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (interstellar) DefineScore(state, row []float64) float64 {
	return bilinear{}.DefineScore(state, row)
}

func (interstellar) DefineGradients(state, row []float64) (byState, byRow []float64) {
	return row, state
}
