package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// normalizedCore is a form with cores and batch normalization (Ioffe and Szegedy, 2015), as TuckER
// and MEIM have it: each coordinate x of a state before a hop, and then of the state after it, becomes
// γ(x - μ)/√(σ² + ε) + β. γ and β are learned. A training step takes the mean μ and the variance σ²
// over the questions of its batch, each counted once; scores take their moving averages.
//
// Forms with batch normalization are not in [All]: a setting turns [Core] into them.
type normalizedCore struct{ core }

const (
	normalizedSuffix = "-normalized"
	normTable        = "norms"
)

// The rows of the table of batch normalization. Rows of states after the hop follow those of states
// before it: add 1. γ and β have gradients; the averages of μ and σ² have none.
const (
	NormGamma    = 0
	NormBeta     = 2
	NormMean     = 4
	NormVariance = 6
	NormRows     = 8
)

// The constants of batch normalization are the defaults of PyTorch.
const (
	// NormEpsilon is added to variances.
	NormEpsilon = 1e-5
	// NormMomentum is the weight of a batch in the moving averages.
	NormMomentum = 0.1
)

// WithNorm returns a form with cores with batch normalization, and other forms unchanged.
func (f Form) WithNorm() Form {
	if c, ok := f.spec.(core); ok {
		return Form{normalizedCore{c}}
	}
	return f
}

// WithoutNorm returns the form without batch normalization.
func (f Form) WithoutNorm() Form {
	if c, ok := f.spec.(normalizedCore); ok {
		return Form{c.core}
	}
	return f
}

// HasNorm reports whether the form has batch normalization.
func (f Form) HasNorm() bool { return f != f.WithoutNorm() }

func (f normalizedCore) Name() string { return f.core.Name() + normalizedSuffix }

// Tables has the table of batch normalization [8, d] after those of the form without it.
func (f normalizedCore) Tables(dim int) []Table {
	draw := func(_ *rand.Rand, row int, _ float64) float64 {
		if row < NormBeta || row >= NormVariance {
			return 1
		}
		return 0
	}
	return append(f.core.Tables(dim),
		Table{Name: normTable, Rows: NormRows, Columns: dim, Global: true, Draw: draw})
}

// Capabilities lacks relation prediction, because scores are not linear in a relation's row.
func (normalizedCore) Capabilities() Capabilities {
	return Capabilities{StateRows: 1, Products: true}
}

func (f normalizedCore) DefineHop(
	a structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	before, after := Norms(relations[2])
	state = f.core.DefineHop(a, before.Apply(state), relations, transposed)
	return after.Apply(state)
}

// Norm is batch normalization by moving averages: an affine map of each coordinate.
type Norm struct{ Factors, Offsets []float64 }

// Norms returns the maps of states before and after a hop from the table of batch normalization.
func Norms[T float32 | float64](table []T) (before, after Norm) {
	return newNorm(table, 0), newNorm(table, 1)
}

func newNorm[T float32 | float64](table []T, side int) (n Norm) {
	dim := len(table) / NormRows
	at := func(row, i int) float64 { return float64(table[(row+side)*dim+i]) }
	for i := range dim {
		factor := at(NormGamma, i) / math.Sqrt(max(0, at(NormVariance, i))+NormEpsilon)
		n.Factors = append(n.Factors, factor)
		n.Offsets = append(n.Offsets, at(NormBeta, i)-factor*at(NormMean, i))
	}
	return n
}

// Apply returns a normalized state.
func (n Norm) Apply(state []float64) []float64 {
	normalized := make([]float64, len(state))
	for i, x := range state {
		normalized[i] = n.Factors[i]*x + n.Offsets[i]
	}
	return normalized
}
