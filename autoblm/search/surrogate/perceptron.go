package surrogate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// perceptron has F inputs and H hidden units. All its weights are one table
// [H, F+1], so that an optimizer has one thing to update: a row has what a unit
// takes from each input, then what the output takes from the unit. The last
// input is 1 for every example, and so is the last unit before training: they
// give the units and the output their bias.
type perceptron struct {
	table         []float32
	inputs, units int
}

// newPerceptron draws the weights of the hidden units, except the last one, uniformly within
// ±√(6/(fan-in + fan-out)), with biases of 0 (Glorot and Bengio, AISTATS 2010).
func newPerceptron(inputs, hidden int, seed uint64) *perceptron {
	// The second word separates this stream from other uses of the seed.
	rng := rand.New(rand.NewPCG(seed, 0x7065726365707472))
	uniform := func(fans int) float32 {
		return float32(math.Sqrt(6/float64(fans)) * (2*rng.Float64() - 1))
	}
	p := &perceptron{inputs: inputs, units: hidden + 1}
	for range hidden {
		for range inputs - 1 {
			p.table = append(p.table, uniform(inputs-1+hidden))
		}
		p.table = append(p.table, 0, uniform(hidden+1))
	}
	p.table = append(p.table, make([]float32, inputs+1)...)
	p.table[len(p.table)-2] = 1
	return p
}

// fit trains from the current weights on inputs [n, F] and n scores. shares are the weights
// of the examples in the mean square error.
func (p *perceptron) fit(s Settings, inputs []float32, scores, shares []float64) error {
	all, err := compiled()
	if err != nil {
		return err
	}
	n := len(scores)
	table := []int{p.units, p.inputs + 1}
	p.table, err = call(all.descend,
		padded(inputs, n, p.inputs),
		padded(narrow(scores), n),
		padded(narrow(shares), n),
		tensors.FromScalar(float32(s.LearningRate)),
		tensors.FromScalar(float32(s.WeightDecay)),
		tensors.FromScalar(int32(s.Steps)),
		tensors.FromScalar(int32(0)),
		tensors.FromFlatDataAndDimensions(p.table, table...),
		tensors.FromFlatDataAndDimensions(make([]float32, len(p.table)), table...),
		tensors.FromFlatDataAndDimensions(make([]float32, len(p.table)), table...),
	)
	if err != nil {
		return err
	}
	notFinite := func(w float32) bool { return math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) }
	if slices.ContainsFunc(p.table, notFinite) {
		return fmt.Errorf("weights are not finite after %d steps: use a learning rate below %v",
			s.Steps, s.LearningRate)
	}
	return nil
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// run returns the n outputs for inputs [n, F].
func (p *perceptron) run(inputs []float32) ([]float32, error) {
	all, err := compiled()
	if err != nil {
		return nil, err
	}
	n := len(inputs) / p.inputs
	table := tensors.FromFlatDataAndDimensions(p.table, p.units, p.inputs+1)
	outputs, err := call(all.outputs, table, padded(inputs, n, p.inputs))
	if err != nil {
		return nil, err
	}
	return outputs[:n], nil
}

// layers holds the graph nodes of a perceptron on n examples.
type layers struct {
	weights *graph.Node // [H]: of the units in the output
	before  *graph.Node // [H, n]: the units before the rectifier
	after   *graph.Node // [H, n]
	outputs *graph.Node // [n]
}

// pass builds the layers for a table [H, F+1] and inputs [n, F].
func pass(table, inputs *graph.Node) layers {
	f := inputs.Shape().Dim(1)
	l := layers{weights: graph.Reshape(graph.Slice(table, graph.AxisRange(), graph.AxisRange(f)), -1)}
	l.before = contract(graph.Slice(table, graph.AxisRange(), graph.AxisRange(0, f)), 1, inputs, 1)
	l.after = graph.MaxScalar(l.before, 0)
	l.outputs = contract(l.weights, 0, l.after, 0)
	return l
}

// contract sums products over one axis of each side.
func contract(a *graph.Node, axisOfA int, b *graph.Node, axisOfB int) *graph.Node {
	return graph.Dot(a, b).General([]int{axisOfA}, nil, []int{axisOfB}, nil)
}
