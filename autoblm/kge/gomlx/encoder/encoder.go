// Package encoder has the encoders of [kge.Encoding] as GoMLX graphs.
//
// All compositions of an entity and a relation are made elementwise, for each edge, and summed by
// target. Matrices are then applied to the sums, which are fewer than the edges. Circular correlation
// is such a product between two discrete Fourier transforms, see [composition].
//
// Edges are summed in groups with one target, and their gradients in groups with one source or relation,
// so that a backend scatters groups instead of edges, see [flow].
package encoder

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	. "github.com/gomlx/gomlx/core/graph"
)

// Encoder says which graph an encoder has, apart from the sizes of the data. It is comparable. The
// structure of messages and the shares of dropout are constants of the graph, so each of their values
// has another program. The zero value returns the learned tables as they are.
type Encoder struct {
	settings kge.Settings // those that the tables depend on
	form     form.Form    // of the decoder
	message  structure.Structure
}

// New returns the encoder of a member.
func New(s kge.Settings, m kge.Member) Encoder {
	if s.Encoder == kge.NoEncoder {
		return Encoder{}
	}
	e := Encoder{form: m.Form, settings: kge.Settings{
		Dim: s.Dim, Reciprocal: s.Reciprocal, Translate: s.Translate, BatchNorm: s.BatchNorm,
		Encoding: s.Encoding,
	}}
	if s.Encoder == kge.BLM {
		e.message = s.MessageOf(m.Structure)
	}
	e.settings.Message = structure.Structure{}
	return e
}

// Exists reports whether there is an encoder.
func (e Encoder) Exists() bool { return e != Encoder{} }

// Terms returns the number of terms of a message, each the product of a vector of an entity and one of a
// relation; 0 without an encoder.
func (e Encoder) Terms() int {
	switch e.settings.Encoder {
	case kge.NoEncoder:
		return 0
	case kge.CompGCNCorr:
		return 2
	case kge.BLM:
		return mostBlocks(e.message)
	case kge.RGCN:
		return e.settings.BasisCount()
	}
	return 1
}

// Drop drops a share of the numbers of x, and scales the others, in a training step. Each call drops
// other numbers.
type Drop func(x *Node, share float64) *Node

// Encode returns the tables of the decoder from the learned ones, [rows, columns] each, see
// [kge.Settings.LearnedTables]. edges are the inputs from [Encoder.Edges].
func (e Encoder) Encode(learned, edges []*Node, drop Drop) []*Node {
	if !e.Exists() {
		return learned
	}
	decoder := 1 + len(e.settings.FormOf(kge.Member{Form: e.form}).Spec().Tables(e.settings.Dim))
	tables := map[string]*Node{}
	for i, t := range e.settings.LearnedTables(kge.Member{Form: e.form}) {
		tables[t.Name] = learned[1+i]
	}
	outputs := slices.Clone(learned[:decoder])
	messages := newMessages(edges)
	if share := e.settings.EdgeDropout; share > 0 {
		messages.scale(drop(OnesLike(messages.intoTails), share))
	}
	for i := range e.settings.Depth() {
		l := layer{e, i + 1, tables}
		if e.settings.Encoder == kge.RGCN {
			outputs[0] = l.rgcn(outputs[0], messages)
		} else {
			outputs[0], outputs[1] = l.compGCN(outputs[0], outputs[1], messages)
		}
		outputs[0] = drop(outputs[0], e.settings.EncoderDropout)
	}
	return outputs
}
