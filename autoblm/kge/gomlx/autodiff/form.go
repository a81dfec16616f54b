package autodiff

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// graphForm is a form as GoMLX graphs. Package form defines it in float64.
type graphForm interface {
	// hop returns the states of questions after a hop, [questions, rows, d].
	hop(c *pass, states *Node, h hop) *Node
	// scores returns the scores of entities for states, [blocks, questions, n]. States are
	// [blocks, questions, rows, d], entities [blocks, n, d].
	scores(c *pass, states, entities *Node) *Node
}

// averaging is a form with batch normalization or other numbers that a step replaces. Its questions
// train in whole batches.
type averaging interface {
	graphForm
	// averages returns the first row of the model's last table that has no gradient. In a training
	// step, hop or scores set [pass.averages] to the new values of the rows from there on.
	averages() int
}

// dropping is a form that drops numbers of its own layers by [pass.dropLayer]. Numbers of other forms
// are dropped before the first hop and after the last one.
type dropping interface {
	graphForm
	// drops says which of these two dropouts the form does itself.
	drops() (inputs, queries bool)
}

// reading is a form that reads the entities of the paths that it learns.
type reading interface {
	graphForm
	// read returns the states of questions after paths with known entities, [questions, rows, d]. start
	// has the rows of the first entities, [questions, d]. The questions are the parts of walks of the
	// same length, from their first hop to all hops. In a training step, read may set [pass.more] to
	// what else the form learns.
	read(c *pass, t tables, start *Node, p paths) *Node
}

// graphOf returns the graphs of a form.
func graphOf(f form.Form) (graphForm, error) {
	sizes, isConvE := f.ConvE()
	cell, hasCell := f.Cell()
	switch {
	case f.HasStructure(), f == form.Diag:
		return bilinear{moves: f == form.Translated}, nil
	case f.BlockSize() > 0, f == form.GQE:
		return block{}, nil
	case f.HasNorm():
		return normalizedCore{}, nil
	case f.Partitions() > 0:
		return core{}, nil
	case isConvE:
		return convE{ConvE: sizes}, nil
	case hasCell:
		return interstellar{Cell: cell}, nil
	case f == form.RSN:
		return rsn{}, nil
	case f == form.TransE:
		return transE{}, nil
	case f == form.RotatE:
		return rotatE{}, nil
	case f == form.PairRE:
		return pairRE{}, nil
	case f == form.TransH:
		return transH{}, nil
	case f == form.Query2box:
		return box{}, nil
	}
	return nil, fmt.Errorf("engine gomlx does not support the form %v; use engine cpu", f)
}

// SupportsForm returns an error for a form that the package does not have.
func SupportsForm(f form.Form) error {
	_, err := graphOf(f)
	return err
}
