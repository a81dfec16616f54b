package gomlx

import (
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// compiler is the engine as a compiler for package autodiff.
type compiler struct{ *Engine }

// Program implements [autodiff.Compiler].
func (c compiler) Program(
	key any, name string, inputs, outputs int,
	build func(g *graph.Graph, inputs []*graph.Node) []*graph.Node,
) (*graph.Exec, error) {
	return c.program(key, name, build, signature{inputs: inputs, outputs: outputs}, sharding{})
}

// Compile implements [autodiff.Compiler].
func (c compiler) Compile(what string, program *graph.Exec, inputs []*tensors.Tensor) error {
	return c.compile(what, program, inputs)
}

// Backend implements [autodiff.Compiler].
func (c compiler) Backend() compute.Backend { return c.backend }

// Memory implements [autodiff.Compiler].
func (c compiler) Memory() int64 { return c.settings.Memory }

// NoteOnce implements [autodiff.Compiler].
func (c compiler) NoteOnce(how, text string) { c.noteOnce(how, text) }

// Fuses implements [autodiff.Compiler].
func (c compiler) Fuses() bool {
	kind, _, _ := strings.Cut(c.settings.Backend, ":")
	return kind != backend.Go
}
