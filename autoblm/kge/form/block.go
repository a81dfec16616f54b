package form

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// blockPrefix begins the names of forms with blocks; their size follows.
const blockPrefix = "block-"

// Block returns the form whose relation matrices consist of d/C dense blocks of size C×C. A block
// belongs to a position p of the C chunks of an embedding, as in a structure: it scores by
// Σ_p Σ_ij h_i[p] R_ij[p] t_j[p]. A structure fixes which entries of a block are equal or 0; here
// all are free. C = 1 is DistMult, and C = d is RESCAL, for which [GQE] is faster.
func Block(size int) Form {
	return Form{block{noStructure{fmt.Sprint(blockPrefix, size)}, size}}
}

// Blocks of size two stand for all sizes in [All].
var _ = register(Block(2).spec)

// BlockSize returns C of a form with blocks, and 0 for other forms.
func (f Form) BlockSize() int {
	if b, ok := f.spec.(block); ok {
		return b.size
	}
	return 0
}

type block struct {
	noStructure
	size int
}

func (f block) Multiple() int { return f.size }

// Tables has a row [C, C, d/C] per relation, with R_ij[p] at (i·C + j)·d/C + p. Initial blocks keep
// the norm of a state on average.
func (f block) Tables(dim int) []Table {
	return []Table{{
		Name: relationsTable, Rows: 1, Columns: f.size * dim, Shared: true, Draw: keepNorm(f.size),
	}}
}

// keepNorm draws the numbers of matrices of a size that keep the norm of a state on average.
func keepNorm(size int) func(rng *rand.Rand, row int, scale float64) float64 {
	return func(rng *rand.Rand, _ int, _ float64) float64 {
		return rng.NormFloat64() / math.Sqrt(float64(size))
	}
}

func (block) Capabilities() Capabilities {
	return Capabilities{StateRows: 1, Products: true, RelationPrediction: true}
}

func (f block) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	width := len(state) / f.size
	after := make([]float64, len(state))
	for at, x := range relations[0] {
		i, j, p := at/width/f.size, at/width%f.size, at%width
		if from, to := i*width+p, j*width+p; transposed {
			after[from] += x * state[to]
		} else {
			after[to] += x * state[from]
		}
	}
	return after
}

func (block) DefineScore(state, row []float64) float64 { return bilinear{}.DefineScore(state, row) }

func (block) DefineGradients(state, row []float64) (byState, byRow []float64) { return row, state }
