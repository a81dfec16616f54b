package kge

import (
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Loss is the loss function of the answers of queries.
type Loss int

const (
	// LogLoss is the cross entropy of one answer among all entities, see [Settings].
	LogLoss Loss = iota
	// BCE is the binary cross entropy of each entity, which is an answer of the query or not.
	BCE
)

var lossNames = []string{"log-loss", "bce"}

func (l Loss) String() string { return enum.Name(lossNames, "loss", l) }

// MarshalText returns the name.
func (l Loss) MarshalText() ([]byte, error) { return enum.Marshal(lossNames, "loss", l) }

// UnmarshalText reads "log-loss" or "bce".
func (l *Loss) UnmarshalText(text []byte) error {
	return enum.Unmarshal(lossNames, "loss", l, text)
}

// LossFunction selects the loss function of triples.
type LossFunction struct {
	// Loss BCE makes an example of each query of the training triples in both directions, with all
	// of its training answers, so that Batch is a number of queries (Dettmers et al., 2018,
	// Section 4). The loss of a query with labels y is the mean over all N entities of
	// -y·log σ(score) - (1-y)·log σ(-score). A query has the mean weight of its triples.
	Loss Loss `json:"loss,omitempty" brief:"Loss function: log-loss or bce." help:"Loss function: log-loss of one answer among all entities, or bce, the binary cross entropy of all entities for a query with all its training answers. With bce a batch is a number of queries."`
	// LabelSmoothing ε > 0 replaces the labels y of BCE by (1-ε)y + 1/N, as the authors of ConvE
	// and TuckER do.
	LabelSmoothing float64 `json:"label_smoothing,omitempty" min:"0" below:"1" placeholder:"NUMBER" needs:"loss=bce" own:"Smoothing of the labels of bce." help:"With bce: a number e that replaces labels y by (1-e)y + 1/entities; 0: none. Default: 0.1."`
}

// DefaultLabelSmoothing is the label smoothing of the authors of ConvE and TuckER.
const DefaultLabelSmoothing = 0.1

// Labels returns the labels of answers and of other entities with BCE, for a number of entities.
func (f LossFunction) Labels(entities int) (ofAnswers, ofOthers float64) {
	if f.LabelSmoothing == 0 {
		return 1, 0
	}
	ofOthers = 1 / float64(entities)
	return 1 - f.LabelSmoothing + ofOthers, ofOthers
}

// validateBCE checks that binary cross entropy is defined with the other settings.
func (s Settings) validateBCE() error {
	switch {
	case s.Loss == LogLoss && s.LabelSmoothing > 0:
		return errors.New("label-smoothing changes the labels of bce: set loss to bce, or leave it out")
	case s.Loss == LogLoss:
		return nil
	case !s.Reciprocal:
		return errors.New("bce learns head queries through reverse relations: set reciprocal")
	case s.Negatives > 0 || s.SampledSoftmax > 0 || s.SparseGradients > 0 || s.AnswersPerQuery > 0:
		return errors.New("bce learns from all entities and all answers of a query: leave negatives, " +
			"sampled-softmax, sparse-gradients and answers-per-query at 0")
	case s.HasTeacher():
		return errors.New("bce has no softmax that a teacher could teach: learn with log-loss")
	case s.Frequency > 0:
		return errors.New("bce weighs queries, not answers: leave frequency at 0")
	}
	return nil
}

// validateWeights checks that a loss has the terms of a member.
func (f LossFunction) validateWeights(w Weights) error {
	w.Orthogonality, w.PenaltyFrequency = 0, 0
	if f.Loss == BCE && w != (Weights{}) {
		return errors.New("bce has no penalties and no relation prediction, only orthogonality: " +
			"leave l2, n3, dura, ivr and their like and relation-prediction at 0")
	}
	return nil
}

// RequestedPrecision returns the precision for an engine to resolve: float32 for BCE and, in training
// on triples, for negative sampling. onTriples is [Data.BothDirections].
func (s Settings) RequestedPrecision(onTriples bool) Precision {
	if s.Loss == BCE || onTriples && s.Negatives > 0 {
		return Float32
	}
	return s.Precision
}

// ResolvePrecision resolves the precision of a training on an engine, of models with a form and a
// number of entities. It returns an error if the loss lacks a precision that is requested explicitly.
func (s Settings) ResolvePrecision(
	e Engine, f form.Form, entities int, onTriples bool,
) (Precision, error) {
	requested := s.RequestedPrecision(onTriples)
	if s.Precision == Bfloat16 && requested != Bfloat16 {
		return Float32, errors.New("bce, and negative sampling on triples, are computed in float32 only: " +
			"leave the precision at float32 or auto")
	}
	return e.Precision(requested, f, entities, s.Dim)
}
