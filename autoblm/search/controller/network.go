package controller

import (
	"sync"

	"github.com/autoblm/autoblm-go/internal/adam"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The weights, by L, the length of a sequence; S, the number of symbols; H, the number of hidden
// units; and B, the batch size.
const (
	inputWeights  = iota // [S+1, 4H]: from symbols to gates; the last row is for the start
	stateWeights         // [H, 4H]: from the hidden state to gates
	outputWeights        // [L, H, S]: each place has its own softmax, as in NAS
	outputBiases         // [L, 1, S]
	weightTables
)

// tables returns the shapes of the weights.
func tables(length, symbols int) [weightTables]shapes.Shape {
	float := dtypes.Float32
	return [weightTables]shapes.Shape{
		inputWeights:  shapes.Make(float, symbols+1, 4*hidden),
		stateWeights:  shapes.Make(float, hidden, 4*hidden),
		outputWeights: shapes.Make(float, length, hidden, symbols),
		outputBiases:  shapes.Make(float, length, 1, symbols),
	}
}

// memory holds the hidden state and the cells of an LSTM, both [B, H].
type memory struct{ state, cells *Node }

// next returns the memory after a symbol that adds x [B, 4H] to the gates. m is nil at the
// start.
func (m *memory) next(x, stateWeights *Node) *memory {
	if m != nil {
		x = Add(x, MatMul(m.state, stateWeights))
	}
	units := x.Shape().Dim(1) / 4
	gate := func(i int) *Node { return Slice(x, AxisRange(), AxisRange(i*units, (i+1)*units)) }
	cells := Mul(Sigmoid(gate(0)), Tanh(gate(1)))
	if m != nil {
		cells = Add(cells, Mul(Sigmoid(gate(2)), m.cells))
	}
	return &memory{state: Mul(Sigmoid(gate(3)), Tanh(cells)), cells: cells}
}

// embed returns the input weights of symbols [..., B] as [..., B, 4H].
func embed(symbols, inputWeights *Node) *Node {
	return MatMul(OneHot(symbols, inputWeights.Shape().Dim(0), inputWeights.DType()), inputWeights)
}

// logProbabilities returns the log-probability of each symbol at each place, given the
// symbols before it in the sequences [L, B], as [L, B, S].
func logProbabilities(weights []*Node, sequences *Node) *Node {
	length := sequences.Shape().Dim(0)
	begin := OnesLike(Slice(sequences, AxisElem(0)))
	begin = MulScalar(begin, weights[inputWeights].Shape().Dim(0)-1)
	before := Concatenate([]*Node{begin, Slice(sequences, AxisRange(0, length-1))}, 0)
	inputs := embed(before, weights[inputWeights])
	var m *memory
	states := make([]*Node, length)
	for place := range length {
		m = m.next(Squeeze(Slice(inputs, AxisElem(place)), 0), weights[stateWeights])
		states[place] = m.state
	}
	logits := Einsum("lbh,lhs->lbs", Stack(states, 0), weights[outputWeights])
	return LogSoftmax(Add(logits, weights[outputBiases]), -1)
}

// objective returns the sum over the batch of advantage × log-probability, whose gradient is
// that of REINFORCE. The sequences are [L, B], the advantages [B].
func objective(weights []*Node, sequences, advantages *Node) *Node {
	all := logProbabilities(weights, sequences)
	emitted := OneHot(sequences, all.Shape().Dim(2), all.DType())
	return ReduceAllSum(Mul(ReduceSum(Mul(all, emitted), 0, 2), advantages))
}

// The inputs of an update after the weights and Adam's two moments of each.
const (
	updateSequences  = iota // [L, B]
	updateAdvantages        // [B]
	updateCount             // scalar: the number of this update, from 1
	updateInputs
)

// update makes one ascent step of Adam and returns the new weights and moments.
func update(_ *Graph, inputs []*Node) []*Node {
	weights := inputs[:weightTables]
	means := inputs[weightTables : 2*weightTables]
	squares := inputs[2*weightTables : 3*weightTables]
	in := inputs[3*weightTables:]
	outputs := make([]*Node, 3*weightTables)
	goal := objective(weights, in[updateSequences], in[updateAdvantages])
	for i, gradient := range Gradient(goal, weights...) {
		before := adam.Moments{Mean: means[i], Square: squares[i]}
		direction, now := adam.Direction(gradient, before, in[updateCount], 1e-8)
		outputs[i] = Add(weights[i], MulScalar(direction, learningRate))
		outputs[weightTables+i], outputs[2*weightTables+i] = now.Mean, now.Square
	}
	return outputs
}

// sample draws sequences [L, B]. Its inputs are the weights and noise [L, B, S]
// of the standard Gumbel distribution: the symbol with the largest sum of logit
// and noise is one drawn from the softmax.
func sample(g *Graph, inputs []*Node) []*Node {
	weights, noise := inputs[:weightTables], inputs[weightTables]
	length, batch, symbols := noise.Shape().Dim(0), noise.Shape().Dim(1), noise.Shape().Dim(2)
	symbol := MulScalar(Ones(g, shapes.Make(dtypes.Int32, batch)), symbols)
	var m *memory
	emitted := make([]*Node, length)
	for place := range length {
		at := func(table *Node) *Node { return Squeeze(Slice(table, AxisElem(place)), 0) }
		m = m.next(embed(symbol, weights[inputWeights]), weights[stateWeights])
		logits := Add(MatMul(m.state, at(weights[outputWeights])), at(weights[outputBiases]))
		symbol = ArgMax(Add(logits, at(noise)), -1, dtypes.Int32)
		emitted[place] = symbol
	}
	return []*Node{Stack(emitted, 0)}
}

// programs holds the compiled graphs of this process, one per shape. They have no state, so
// sharing them keeps controllers independent.
type programs struct{ update, draw *Exec }

// compiled opens its own backend: operations this small run faster sequentially than distributed
// to threads.
var compiled = sync.OnceValues(func() (*programs, error) {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		return nil, err
	}
	updateExec, err := NewExecCanonical(
		backend, update, 3*weightTables+updateInputs, 3*weightTables, true, true, true)
	if err != nil {
		return nil, err
	}
	draw, err := NewExecCanonical(backend, sample, weightTables+1, 1, true, true, true)
	if err != nil {
		return nil, err
	}
	return &programs{updateExec.SetMaxCache(-1), draw.SetMaxCache(-1)}, nil
})

// call runs a program on the state and the inputs, and frees the inputs.
func call(
	program *Exec, state []*tensors.Tensor, inputs ...*tensors.Tensor,
) ([]*tensors.Tensor, error) {
	arguments := make([]any, 0, len(state)+len(inputs))
	for _, t := range state {
		arguments = append(arguments, t)
	}
	for _, t := range inputs {
		arguments = append(arguments, t)
	}
	outputs, err := program.Call(arguments...)
	free(inputs)
	return outputs, err
}

func free(all []*tensors.Tensor) {
	for _, t := range all {
		_ = t.FinalizeAll() // fails only for tensors that are already freed
	}
}
