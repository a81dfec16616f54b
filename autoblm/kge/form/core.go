package form

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Tucker is TuckER (Balazevic et al., 2019), with relations of the dimension of entities.
var Tucker = register(Core(1).spec, "tucker")

// Two cores stand for all other numbers of partitions in [All].
var _ = register(Core(2).spec)

// core divides embeddings into K partitions of size C. Partition k has a core W_k, a C×C×C tensor
// of the whole model, which turns a relation into a matrix M_k = Σ_c r_{k,c} W_k[c]. The score is
// Σ_k h_kᵀ M_k t_k. K = 1 is TuckER; a core for each of several partitions is MEIM (Tran and
// Takasu, 2022, Equation 5).
type core struct {
	noStructure
	partitions int
}

// corePrefix begins the names of forms with cores; the number of partitions follows.
const corePrefix = "core-"

// Core returns the form with a number of partitions.
func Core(partitions int) Form {
	return Form{core{noStructure{fmt.Sprint(corePrefix, partitions)}, partitions}}
}

// Partitions returns the number of partitions of a form with cores, and 0 for other forms.
func (f Form) Partitions() int {
	if c, ok := f.WithoutNorm().spec.(core); ok {
		return c.partitions
	}
	return 0
}

// coreTable is the name of the table of cores.
const coreTable = "cores"

// Tables has the relations and the cores [K·C·C, C]: row (k·C + c)·C + i has W_k[c][i]. Their
// initial matrices keep the norm of a state on average.
func (f core) Tables(dim int) []Table {
	c := dim / f.partitions
	draw := keepNorm(c)
	return []Table{
		{Name: relationsTable, Rows: 1, Columns: dim, Shared: true, Draw: draw},
		{Name: coreTable, Rows: dim * c, Columns: c, Global: true, Draw: draw},
	}
}

func (core) Capabilities() Capabilities {
	return Capabilities{StateRows: 1, Products: true, RelationPrediction: true}
}

func (f core) Multiple() int { return f.partitions }

func (f core) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	c := len(state) / f.partitions
	after := make([]float64, len(state))
	for n, r := range relations[0] {
		first := n / c * c // of the partition
		for i := range c {
			for j, w := range relations[1][(n*c+i)*c:][:c] {
				from, to := first+i, first+j
				if transposed {
					from, to = to, from
				}
				after[to] += state[from] * r * w
			}
		}
	}
	return after
}

func (core) DefineScore(state, row []float64) float64 { return bilinear{}.DefineScore(state, row) }

func (core) DefineGradients(state, row []float64) (byState, byRow []float64) { return row, state }
