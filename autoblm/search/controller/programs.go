package controller

import (
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// programs holds the compiled graphs of this process, one per shape. They have no state, so
// sharing them keeps controllers independent.
type programs struct{ update, draw *graph.Exec }

// compiled opens its own backend: operations this small run faster sequentially than distributed
// to threads.
var compiled = sync.OnceValues(func() (*programs, error) {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		return nil, err
	}
	return programsOn(backend)
})

// programsOn compiles the programs for a backend.
func programsOn(backend compute.Backend) (*programs, error) {
	updateExec, err := graph.NewExecCanonical(
		backend, update, 3*weightTables+updateInputs, 3*weightTables, true, true, true)
	if err != nil {
		return nil, err
	}
	draw, err := graph.NewExecCanonical(backend, sample, weightTables+1, 1, true, true, true)
	if err != nil {
		return nil, err
	}
	return &programs{updateExec.SetMaxCache(-1), draw.SetMaxCache(-1)}, nil
}

// call runs a program on the state and the inputs, and frees the inputs.
func call(
	program *graph.Exec, state []*tensors.Tensor, inputs ...*tensors.Tensor,
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
