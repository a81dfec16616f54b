package autodiff

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Compiler compiles programs on one backend, and keeps them.
type Compiler interface {
	// Program returns the program of a key, which it creates from build unless it exists.
	Program(
		key any, name string, inputs, outputs int,
		build func(g *graph.Graph, inputs []*graph.Node) []*graph.Node,
	) (*graph.Exec, error)
	// Compile compiles a program for the shapes of its inputs, unless it has done so. what names the
	// program in errors.
	Compile(what string, program *graph.Exec, inputs []*tensors.Tensor) error
	// Backend returns the backend that the programs run on.
	Backend() compute.Backend
	// Memory returns the bytes that tables, gradients and scores may take together.
	Memory() int64
	// NoteOnce notes how a training is divided, unless another one was divided in the same way. It
	// ignores an empty how.
	NoteOnce(how, text string)
	// Fuses reports whether the backend computes a sum over differences without storing each of them.
	// For their gradients it stores some.
	Fuses() bool
}

// device is where all programs run.
const device compute.DeviceNum = 0

// call is a call of a program. The program may overwrite the donated inputs, which come first.
type call struct {
	what           string
	program        *graph.Exec
	donated, other []*tensors.Tensor
}

// run compiles the program, if necessary, and runs it.
func (c call) run(compiler Compiler) ([]*tensors.Tensor, error) {
	all := append(append([]*tensors.Tensor{}, c.donated...), c.other...)
	if err := compiler.Compile(c.what, c.program, all); err != nil {
		return nil, err
	}
	var inputs []any
	for _, t := range c.donated {
		donated, err := graph.DonateTensorBuffer(t, compiler.Backend(), device)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, donated)
	}
	for _, t := range c.other {
		inputs = append(inputs, t)
	}
	outputs, _, err := c.program.CallWithGraphOnDevice(device, inputs...)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", c.what, err)
	}
	return outputs, nil
}
