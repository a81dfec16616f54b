package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// rsn is a recurrent skipping network (Guo et al., 2019), which reads a path e1, r1, e2, r2, … with an
// LSTM of two layers, see [lstm], and predicts each symbol from those before. An entity has two vectors
// of n = d/2 numbers, as input and as answer, and so has a relation. Both kinds of inputs are
// normalized. After an entity the output o of the upper layer predicts the next relation. After a
// relation the entity before skips the layers, o' = S1 o + S2 e (Equation 4 there), and predicts the
// next entity. Outputs are normalized too, and the score of an answer is the scalar product with its
// vector.
//
// As in the authors' program, batch normalization has γ and β of inputs and of outputs, and each
// position of a path has a mean and a variance of its own in a training step. Scores take the moving
// averages of the first hop. The biases of answers are left out, which the paper does not have: β of
// outputs gives each answer one.
//
// A hop is a path of one relation. Its state has zeros for the input vector.
type rsn struct{ noStructure }

// RSN reads paths with a recurrent skipping network. Because only some engines train it, it is not in
// [All].
var RSN = Form{rsn{noStructure{"rsn"}}}

func init() { aliases[RSN.String()] = RSN }

// LSTMLayers is the number of layers of RSN.
const LSTMLayers = 2

// The rows of the table of batch normalization of RSN. γ and β have a row for inputs and one for
// outputs, the averages one for entities, relations and outputs after relations.
const (
	RSNGamma    = 0
	RSNBeta     = 2
	RSNMean     = 4
	RSNVariance = 7
	RSNNormRows = 10
)

// RSNEpsilon is added to variances, as in the authors' program.
const RSNEpsilon = 1e-3

// The sides of batch normalization of RSN, to add to the rows of γ and β.
const (
	RSNInput  = 0
	RSNOutput = 1
)

// The symbols of batch normalization of RSN, to add to the rows of averages.
const (
	RSNEntity        = 0
	RSNRelation      = 1
	RSNAfterRelation = 2
	RSNAverages      = 3
)

// Tables has the vectors of a relation, [relations, 2, n], the weights of the layers [2·(2n+1), 4n],
// S1 and S2 [2n, n] and the numbers of batch normalization [10, n].
func (rsn) Tables(dim int) []Table {
	n := dim / 2
	return []Table{
		{Name: relationsTable, Rows: 2, Columns: n},
		{Name: "layers", Rows: LSTMLayers * lstmRows(n), Columns: lstmGates * n, Global: true,
			DrawAll: func(rng *rand.Rand) (all []float64) {
				for range LSTMLayers {
					all = append(all, drawLSTM(rng, n)...)
				}
				return all
			}},
		{Name: "skip", Rows: 2 * n, Columns: n, Global: true,
			Draw: func(rng *rand.Rand, _ int, _ float64) float64 {
				return (2*rng.Float64() - 1) * math.Sqrt(3/float64(n)) // Xavier
			}},
		{Name: normTable, Rows: RSNNormRows, Columns: n, Global: true,
			Draw: func(_ *rand.Rand, row int, _ float64) float64 {
				if row < RSNBeta || row >= RSNVariance {
					return 1
				}
				return 0
			}},
	}
}

func (rsn) Multiple() int { return 2 }

func (rsn) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

// rsnRead holds what a network computes on one hop.
type rsnRead struct {
	entity, relation [LSTMLayers]lstmUse
	state            []float64 // [d]
}

// readHop computes the query of a hop. globals has the tables after that of relations.
func readHop[T float32 | float64](anchor, relation []float64, globals [][]T) (r rsnRead) {
	n := len(anchor) / 2
	layers, skip, norms := globals[0], globals[1], globals[2]
	first := normalizedBy(norms, RSNInput, RSNEntity, anchor[:n])
	second := normalizedBy(norms, RSNInput, RSNRelation, relation[:n])
	zeros := make([]float64, n)
	below, after := first, second
	for layer := range LSTMLayers {
		l := lstmOf(layers, layer, n)
		r.entity[layer] = l.use(below, zeros, zeros)
		below = r.entity[layer].output
		r.relation[layer] = l.use(after, below, r.entity[layer].cell)
		after = r.relation[layer].output
	}
	output := make([]float64, n)
	for i, inputs := range [][]float64{after, first} {
		addProduct(output, inputs, skip[i*n*n:][:n*n])
	}
	r.state = append(zeros, normalizedBy(norms, RSNOutput, RSNAfterRelation, output)...)
	return r
}

// normalizedBy returns numbers normalized by moving averages.
func normalizedBy[T float32 | float64](norms []T, side, average int, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		factor, offset := rsnNorm(norms, side, average, i)
		y[i] = factor*v + offset
	}
	return y
}

// rsnNorm returns the affine map of a coordinate by moving averages.
func rsnNorm[T float32 | float64](norms []T, side, average, i int) (factor, offset float64) {
	n := len(norms) / RSNNormRows
	at := func(row int) float64 { return float64(norms[row*n+i]) }
	variance := max(0, at(RSNVariance+average))
	factor = at(RSNGamma+side) / math.Sqrt(variance+RSNEpsilon)
	return factor, at(RSNBeta+side) - factor*at(RSNMean+average)
}

func (rsn) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, _ bool,
) []float64 {
	return readHop(state, relations[0], relations[1:]).state
}

// Hops implements [Neural]. RSN has no transpose.
func (rsn) Hops(
	anchors, relations [][]float64, _ bool, globals [][]float32,
) (states [][]float64) {
	for i, anchor := range anchors {
		states = append(states, readHop(anchor, relations[i], globals).state)
	}
	return states
}

// AnchorGradient implements [Neural].
func (rsn) AnchorGradient(
	anchor, relation []float64, _ bool, globals [][]float32, byState []float64,
) []float64 {
	n := len(anchor) / 2
	layers, skip, norms := globals[0], globals[1], globals[2]
	r := readHop(anchor, relation, globals)
	byOutput := make([]float64, n)
	for i := range byOutput {
		factor, _ := rsnNorm(norms, RSNOutput, RSNAfterRelation, i)
		byOutput[i] = factor * byState[n+i]
	}
	byAfter := productWith(skip[:n*n], byOutput)
	byFirst := productWith(skip[n*n:], byOutput)
	zeros := make([]float64, n)
	byBelow := zeros // by the output after the entity of the layer above, which reads it
	for layer := LSTMLayers - 1; layer >= 0; layer-- {
		l := lstmOf(layers, layer, n)
		var byHidden, byCell []float64
		byAfter, byHidden, byCell = l.back(r.relation[layer], byAfter, zeros)
		for i, x := range byBelow {
			byHidden[i] += x
		}
		byBelow, _, _ = l.back(r.entity[layer], byHidden, byCell)
	}
	gradient := make([]float64, 2*n)
	for i := range n {
		factor, _ := rsnNorm(norms, RSNInput, RSNEntity, i)
		gradient[i] = factor * (byFirst[i] + byBelow[i])
	}
	return gradient
}

func (rsn) DefineScore(state, row []float64) float64 { return bilinear{}.DefineScore(state, row) }

func (rsn) DefineGradients(state, row []float64) (byState, byRow []float64) { return row, state }
