package form

import "github.com/autoblm/autoblm-go/autoblm/structure"

// GQE scores by e0ᵀ R1 … RL e with a d×d matrix per relation (Hamilton et al., 2018). On
// triples that is RESCAL (Nickel et al., 2011).
var GQE = register(gqe{block{noStructure: noStructure{"gqe"}}}, "rescal")

// gqe is a single block of size d, with a row per row of the matrix. Without relation prediction,
// no engine needs its matrices as rows of d² numbers.
type gqe struct{ block }

func (gqe) Tables(dim int) []Table {
	return []Table{{
		Name: relationsTable, Rows: dim, Columns: dim, Shared: true, Draw: keepNorm(dim),
	}}
}

func (gqe) Multiple() int { return 1 }

func (gqe) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

func (gqe) DefineHop(
	a structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	return block{size: len(state)}.DefineHop(a, state, relations, transposed)
}
