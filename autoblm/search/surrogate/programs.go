package surrogate

import (
	"math/bits"
	"sync"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// programs holds the compiled graphs of this process, one per shape. They have no state, so
// sharing them keeps each fit a function of its arguments.
type programs struct{ descend, outputs *graph.Exec }

// compiled opens its own backend: operations this small run several times faster sequentially
// than distributed to threads.
var compiled = sync.OnceValues(func() (*programs, error) {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		return nil, err
	}
	fit, err := graph.NewExecCanonical(backend, descend, stateSize, 1, false, false, true)
	if err != nil {
		return nil, err
	}
	guess, err := graph.NewExec(backend, func(table, inputs *graph.Node) *graph.Node {
		return pass(table, inputs).outputs
	})
	if err != nil {
		return nil, err
	}
	return &programs{fit.SetMaxCache(-1), guess.SetMaxCache(-1)}, nil
})

// padded puts n examples into a tensor of the given further dimensions, with
// zeros after them up to a power of two, so that there are few shapes.
func padded(examples []float32, n int, dimensions ...int) *tensors.Tensor {
	rows := max(16, 1<<bits.Len(uint(n-1)))
	all := make([]float32, len(examples)/n*rows)
	copy(all, examples)
	return tensors.FromFlatDataAndDimensions(all, append([]int{rows}, dimensions...)...)
}

// call runs a program of one output and frees the inputs.
func call(program *graph.Exec, inputs ...*tensors.Tensor) ([]float32, error) {
	arguments := make([]any, len(inputs))
	for i, t := range inputs {
		arguments[i] = t
	}
	output, err := program.Call1(arguments...)
	for _, t := range inputs {
		_ = t.FinalizeAll() // fails only for tensors that are already freed
	}
	if err != nil {
		return nil, err
	}
	numbers, err := tensors.CopyFlatData[float32](output)
	_ = output.FinalizeAll()
	return numbers, err
}
