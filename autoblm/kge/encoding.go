package kge

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Encoder selects the message that an entity e sends along an edge of relation r in a graph
// convolution; see [Encoding].
type Encoder int

const (
	// NoEncoder trains embeddings directly.
	NoEncoder Encoder = iota
	// CompGCNSub sends e - r (Vashishth et al., ICLR 2020).
	CompGCNSub
	// CompGCNMult sends the elementwise product of e and r.
	CompGCNMult
	// CompGCNCorr sends the circular correlation of e and r, with Σ_i e_i r_{i+k} at coordinate k.
	CompGCNCorr
	// BLM sends g(A, r) e in the layers of CompGCN, with the structure A of [Encoding.Message].
	BLM
	// RGCN sends W_r e, where the matrices of relations are sums of a few shared matrices
	// (Schlichtkrull et al., ESWC 2018, Equation 3).
	RGCN
)

var encoderNames = []string{"none", "compgcn-sub", "compgcn-mult", "compgcn-corr", "blm", "rgcn"}

func (e Encoder) String() string { return enum.Name(encoderNames, "encoder", e) }

// MarshalText returns the name.
func (e Encoder) MarshalText() ([]byte, error) { return enum.Marshal(encoderNames, "encoder", e) }

// UnmarshalText reads a name, such as "compgcn-mult".
func (e *Encoder) UnmarshalText(text []byte) error {
	return enum.Unmarshal(encoderNames, "encoder", e, text)
}

// EncodesRelations reports whether the outputs include the embeddings of relations. R-GCN gives
// those of entities only.
func (e Encoder) EncodesRelations() bool { return e != NoEncoder && e != RGCN }

// Encoding lets a model, the decoder, score with the outputs of an encoder instead of embeddings. The
// encoder is a graph convolution over all training triples. Each triple (h, r, t) sends a message
// φ(h, r) to t and a message φ(t, reverse of r) to h.
//
// A layer of CompGCN, with any φ, gives an entity v
//
//	tanh(norm(⅓ W_forward Σ c φ(h, r) + ⅓ W_reverse Σ c φ(t, reverse of r) + ⅓ W_self φ(v, loop)))
//
// and a relation r the product W_relation r. Each sum has the messages that v receives in one
// direction, with factors c = 1/√(n m): n edges of this direction leave the sender, and m reach v.
// loop is a learned relation, and norm is batch normalization over all entities. A layer of R-GCN gives
//
//	relu(1/m Σ W_r h + 1/m Σ W_{reverse of r} t + W_self v),
//
// without relu in the last layer.
//
// Penalties and dropouts of other settings apply to the outputs. After the training the outputs are
// constant: the trained model is the decoder with them. Its batch normalization has no moving
// averages, because it always sees all entities.
type Encoding struct {
	Encoder Encoder `json:"encoder,omitempty" default:"none" brief:"Graph convolution for embeddings, such as rgcn." help:"Graph convolution over the training triples that gives the embeddings: compgcn-sub, compgcn-mult, compgcn-corr, blm (a structure as message) or rgcn. none trains embeddings directly."`
	// Message is the structure of [BLM]. The zero value stands for the structure of the decoder.
	Message structure.Structure `json:"message,omitzero" kong:"-" help:"Structure of the messages of the encoder blm."`
	// EncoderLayers is the number of layers; 0 means 1.
	EncoderLayers int `json:"encoder_layers,omitempty" min:"0" max:"8" placeholder:"NUMBER" needs:"encoder" own:"Layers of the encoder; 0: 1." help:"Layers of the encoder; 0: 1."`
	// EncoderDim is the dimension of the inputs, those of relations included; 0 means [Settings.Dim].
	EncoderDim int `json:"encoder_dim,omitempty" min:"0" max:"1048576" placeholder:"NUMBER" needs:"encoder" own:"Dimension that the encoder reads; 0: dim." help:"Dimension of the embeddings that the encoder reads; 0: dim."`
	// EncoderBases is the number of shared matrices of [RGCN] in each direction; 0 means 3.
	EncoderBases int `json:"encoder_bases,omitempty" min:"0" max:"1024" placeholder:"NUMBER" needs:"encoder" own:"Shared matrices of rgcn; 0: 3." help:"Shared matrices of the encoder rgcn in each direction; 0: 3."`
	// EdgeDropout drops both messages of a triple, in all layers, and scales the others by
	// 1/(1-EdgeDropout). The model then learns to predict triples that the encoder does not see.
	EdgeDropout float64 `json:"edge_dropout,omitempty" min:"0" below:"1" needs:"encoder" own:"Share of triples without messages in a step." help:"Share of the training triples that send no messages in a training step."`
	// EncoderDropout drops coordinates of entities after each layer.
	EncoderDropout float64 `json:"encoder_dropout,omitempty" min:"0" below:"1" needs:"encoder" own:"Share of entities' numbers to drop in a layer." help:"Share of the coordinates of entities that are dropped after each layer of the encoder in a training step."`
}

// Depth returns the number of layers, 0 without an encoder.
func (e Encoding) Depth() int {
	if e.Encoder == NoEncoder {
		return 0
	}
	return cmp.Or(e.EncoderLayers, 1)
}

// BasisCount returns the number of shared matrices of [RGCN] in each direction.
func (e Encoding) BasisCount() int { return cmp.Or(e.EncoderBases, 3) }

// MessageOf returns the structure of the messages of [BLM] for a decoder.
func (e Encoding) MessageOf(decoder structure.Structure) structure.Structure {
	if e.Message.K() == 0 {
		return decoder
	}
	return e.Message
}

// LearnedDim returns the dimension of the embeddings that are trained: that of the encoder's inputs or,
// without an encoder, that of the model.
func (s Settings) LearnedDim() int {
	if s.Encoder == NoEncoder {
		return s.Dim
	}
	return cmp.Or(s.EncoderDim, s.Dim)
}

// validateEncoding returns an error if a member cannot be trained with the encoder.
func (s Settings) validateEncoding(m Member) error {
	e := s.Encoding
	if e.Encoder == NoEncoder {
		if e != (Encoding{}) {
			return errors.New("message, encoder-layers, encoder-dim, encoder-bases, edge-dropout and " +
				"encoder-dropout are parts of an encoder: set encoder, such as compgcn-mult, or leave them out")
		}
		return nil
	}
	message := e.MessageOf(m.Structure)
	relations := s.FormOf(m).Spec().Tables(s.Dim)[0]
	switch {
	case e.Encoder == BLM && message.K() == 0:
		return fmt.Errorf("%v has no structure for the messages of the encoder blm: set message, "+
			"such as complex", m.Form)
	case e.Encoder.EncodesRelations() && !s.Reciprocal:
		return fmt.Errorf("the encoder %v has relations of its own for reverse edges: set reciprocal",
			e.Encoder)
	case e.Encoder.EncodesRelations() && (relations.Global || relations.Rows*relations.Columns != s.Dim):
		return fmt.Errorf("%v has relations that are no vectors of %d numbers, which the encoder %v "+
			"gives: use the encoder rgcn", s.FormOf(m), s.Dim, e.Encoder)
	case e.Encoder != BLM && e.Message.K() > 0:
		return fmt.Errorf("the encoder %v has no structure as its message: leave message out, "+
			"or set encoder to blm", e.Encoder)
	case e.Encoder == BLM && s.LearnedDim()%message.K() != 0:
		return fmt.Errorf("encoder-dim is %d: it must be a multiple of the %d chunks of the message",
			s.LearnedDim(), message.K())
	case e.Encoder == BLM && e.Depth() > 1 && s.Dim%message.K() != 0:
		return fmt.Errorf("dim is %d: it must be a multiple of the %d chunks of the message",
			s.Dim, message.K())
	case e.Encoder != RGCN && e.EncoderBases > 0:
		return fmt.Errorf("the encoder %v has no bases: leave encoder-bases at 0, or set encoder to rgcn",
			e.Encoder)
	case s.MaxNorm > 0 || s.RelationRate > 0:
		return errors.New("max-norm and relation-rate are for embeddings without an encoder: " +
			"leave them at 0")
	case s.Buckets > 1:
		return errors.New("an encoder needs all entities at a time: leave buckets at 0")
	case s.SparseGradients > 0:
		return errors.New("sparse gradients are not supported with an encoder: leave sparse-gradients at 0")
	}
	return nil
}
