package autodiff

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/encoder"
	"github.com/autoblm/autoblm-go/datasets"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// encoding is the program that makes the tables of a decoder, without dropout. Its inputs are the
// learned tables and the edges of the encoder.
type encoding struct{ encoder.Encoder }

func (p encoding) graph(_ *Graph, all []*Node) []*Node {
	learned := all[:len(all)-p.Inputs()]
	keep := func(x *Node, _ float64) *Node { return x }
	return p.Encode(learned, all[len(learned):], keep)
}

// encoded returns the model in its present state: with an encoder, its outputs. They are valid until
// the next change of the trainee.
func (t *trainee) encoded() (*stored, error) {
	if !t.encoder.Exists() {
		return t.stored, nil
	}
	if t.outputs != nil {
		return t.outputs, nil
	}
	inputs := append(append([]*tensors.Tensor{}, t.tables...), t.edges...)
	program := encoding{t.encoder}
	exec, err := t.compiler.Program(program, "encoder", len(inputs), 1+len(t.Specs()), program.graph)
	if err != nil {
		return nil, err
	}
	tables, err := call{what: "the encoder", program: exec, other: inputs}.run(t.compiler)
	if err != nil {
		return nil, err
	}
	t.outputs = &stored{Parameters: t.Parameters, tables: tables, operators: t.operators}
	return t.outputs, nil
}

// forget frees the outputs of the encoder, before a change.
func (t *trainee) forget() {
	if t.outputs != nil {
		finalize(t.outputs.tables...)
		t.outputs = nil
	}
}

// encode makes all models those of the present state.
func (p *population) encode() (err error) {
	for i, t := range p.trainees {
		if p.models[i], err = t.encoded(); err != nil {
			return err
		}
	}
	return nil
}

// Rank implements [kge.Ranker].
func (p *population) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	if err := p.encode(); err != nil {
		return nil, err
	}
	return p.ranker.Rank(ctx, triples, known)
}

// Scores implements [kge.Ranker].
func (p *population) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	if err := p.encode(); err != nil {
		return err
	}
	return p.ranker.Scores(ctx, model, questions, visit)
}
