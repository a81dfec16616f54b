package completion

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Optimizer is the rule that turns gradients into steps.
type Optimizer int

const (
	// Adagrad divides by the root of the sum of all squared gradients so far
	// (eps 1e-10, sums from 0). It is what the paper and the field use.
	Adagrad Optimizer = iota
	// Adam keeps moving means of the gradient and of its square (0.9, 0.999,
	// eps 1e-8), corrected for their start at 0.
	Adam
)

var optimizerNames = []string{"adagrad", "adam"}

func (o Optimizer) String() string { return names.Of(optimizerNames, "optimizer", o) }

// MarshalText writes the name.
func (o Optimizer) MarshalText() ([]byte, error) {
	return names.Marshal(optimizerNames, "optimizer", o)
}

// UnmarshalText reads "adagrad" or "adam".
func (o *Optimizer) UnmarshalText(text []byte) error {
	return names.Unmarshal(optimizerNames, "optimizer", o, text)
}

// Initial is the distribution of the embeddings at the start.
type Initial int

const (
	// Normal draws from N(0, InitScale²).
	Normal Initial = iota
	// Xavier draws evenly from -a to a with a = √(6/(rows + d)) for each of the two
	// tables, as the authors' programs do. InitScale is not used.
	Xavier
)

var initialNames = []string{"normal", "xavier"}

func (i Initial) String() string { return names.Of(initialNames, "initial distribution", i) }

// MarshalText writes the name.
func (i Initial) MarshalText() ([]byte, error) {
	return names.Marshal(initialNames, "initial distribution", i)
}

// UnmarshalText reads "normal" or "xavier".
func (i *Initial) UnmarshalText(text []byte) error {
	return names.Unmarshal(initialNames, "initial distribution", i, text)
}

// Settings are what all members of a population share. [DefaultSettings] is
// the place to start from.
type Settings struct {
	// Dim is the dimension d of the embeddings, a multiple of the number of chunks K.
	Dim int `json:"dim"`
	// Epochs is the number of passes over the training triples.
	Epochs int `json:"epochs"`
	// Batch is the number of triples in a step; each is a tail query and a head query.
	Batch int `json:"batch"`
	// Optimizer is the update rule.
	Optimizer Optimizer `json:"optimizer"`
	// Decay multiplies the learning rate after each epoch; 1 keeps it.
	Decay float64 `json:"decay"`
	// Initial is the distribution of the initial embeddings.
	Initial Initial `json:"initial,omitempty"`
	// InitScale is their standard deviation.
	InitScale float64 `json:"init_scale"`
	// Reciprocal gives each relation r a reverse with an embedding of its own, row
	// R+r: the query for the head of (h, r, t) is then the query for the tail of
	// (t, reverse of r, h), and no query is asked through the transpose of g(A, r)
	// (Lacroix et al., 2018).
	Reciprocal bool `json:"reciprocal,omitempty"`
	// Dropout sets each coordinate of a query to 0 with this probability while
	// training, and divides those that are left by 1-Dropout.
	Dropout float64 `json:"dropout,omitempty"`
	// LabelSmoothing takes this much from the true entity of a query and spreads it
	// evenly over all entities.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	// MaxNorm scales entity embeddings that are longer to this length after each
	// step; 0 leaves them.
	MaxNorm float64 `json:"max_norm,omitempty"`
	// DataSeed decides the order of the triples in every epoch.
	DataSeed uint64 `json:"data_seed"`
	// ValidateEvery ranks the validation triples after every so many epochs and
	// keeps the best epoch; 0 never does and keeps the last.
	ValidateEvery int `json:"validate_every"`
	// Patience ends a member's training after so many validations without a
	// better one; 0 never does.
	Patience int `json:"patience"`
	// PlateauPatience multiplies a member's learning rate by PlateauFactor after so
	// many validations in a row without a better one; 0 never does.
	PlateauPatience int `json:"plateau_patience,omitempty"`
	// PlateauFactor is above 0 and below 1.
	PlateauFactor float64 `json:"plateau_factor,omitempty"`
	// MaxSteps stops each epoch after so many steps, for timing; 0 never does.
	MaxSteps int `json:"max_steps,omitempty"`
}

// DefaultSettings are small enough for a laptop: d 64, 60 epochs, batches of
// 256, Adagrad.
func DefaultSettings() Settings {
	return Settings{Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1}
}

// maxDim is far above any use, and keeps the sizes of tables from overflowing.
const maxDim = 1 << 20

// Validate says what is wrong with the settings for structures of k chunks.
func (s Settings) Validate(k int) error {
	switch {
	case k < 1:
		return fmt.Errorf("the structure has %d chunks: at least 1 is needed", k)
	case s.Dim > maxDim:
		return fmt.Errorf("dim is %d: at most %d is possible", s.Dim, maxDim)
	case s.Dim < 1 || s.Dim%k != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of the %d chunks of the structure, as %d", s.Dim, k, max(1, (s.Dim+k-1)/k)*k)
	case s.Epochs < 1:
		return fmt.Errorf("epochs is %d: at least 1 is needed", s.Epochs)
	case s.Batch < 1:
		return fmt.Errorf("batch is %d: at least 1 is needed", s.Batch)
	case s.Optimizer != Adagrad && s.Optimizer != Adam:
		return fmt.Errorf("optimizer is %v: use adagrad or adam", s.Optimizer)
	case !(s.Decay > 0) || s.Decay > 1:
		return fmt.Errorf("decay is %v: it must be above 0 and at most 1", s.Decay)
	case !(s.InitScale > 0) || math.IsInf(s.InitScale, 0):
		return fmt.Errorf("the initial scale is %v: it must be a positive number", s.InitScale)
	case s.ValidateEvery < 0 || s.Patience < 0 || s.MaxSteps < 0:
		return fmt.Errorf("validate-every (%d), patience (%d) and max-steps (%d) must not be negative", s.ValidateEvery, s.Patience, s.MaxSteps)
	case s.Initial != Normal && s.Initial != Xavier:
		return fmt.Errorf("the initial distribution is %v: use normal or xavier", s.Initial)
	case !(s.Dropout >= 0) || s.Dropout >= 1:
		return fmt.Errorf("dropout is %v: it must be at least 0 and below 1", s.Dropout)
	case !(s.LabelSmoothing >= 0) || s.LabelSmoothing >= 1:
		return fmt.Errorf("label smoothing is %v: it must be at least 0 and below 1", s.LabelSmoothing)
	case !(s.MaxNorm >= 0) || math.IsInf(s.MaxNorm, 0):
		return fmt.Errorf("the largest norm of an entity is %v: it must be a positive number, or 0 for none", s.MaxNorm)
	case s.PlateauPatience < 0:
		return fmt.Errorf("plateau-patience is %d: it must not be negative", s.PlateauPatience)
	case s.PlateauPatience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("plateau-patience is %d but nothing is validated: set validate-every too", s.PlateauPatience)
	case s.PlateauPatience > 0 && (!(s.PlateauFactor > 0) || s.PlateauFactor >= 1):
		return fmt.Errorf("plateau-factor is %v: it must be above 0 and below 1, as 0.5", s.PlateauFactor)
	case s.Patience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("patience is %d but nothing is validated: set validate-every too", s.Patience)
	}
	return nil
}

// Member is what one model of a population has for itself.
type Member struct {
	Structure structure.Structure `json:"structure,omitzero"`
	// Seed decides the initial embeddings.
	Seed uint64 `json:"seed"`
	// LearningRate is the step size of the first epoch.
	LearningRate float64 `json:"learning_rate"`
	Weights
}

// Weights are of what a member adds to its cross entropy. Means are over the
// triples of the batch, sums over coordinates. With reciprocal relations a
// triple is learnt in both directions, (h, r, t) and (t, reverse of r, h), and
// each term is the mean of the two.
type Weights struct {
	// L2 weighs the mean of |h|²+|r|²+|t|².
	L2 float64 `json:"l2"`
	// N3 weighs the mean of Σ|h|³+|r|³+|t|³ (Lacroix et al., 2018).
	N3 float64 `json:"n3"`
	// RelationL2 weighs the mean of |r|². With the authors' programs it is their λ
	// divided by the batch size.
	RelationL2 float64 `json:"relation_l2,omitempty"`
	// EntityL2 weighs the mean of |h|²+|t|², and Products that of
	// |hᵀg(A,r)|²+|g(A,r)t|². Equal, they are DURA (Zhang et al., 2020), whose
	// authors' best runs have them in the ratio of 1 to 3.
	EntityL2 float64 `json:"entity_l2,omitempty"`
	Products float64 `json:"products,omitempty"`
	// RelationPrediction weighs the mean cross entropy of the true relation among all
	// relations, given head and tail (Chen et al., 2021). With reciprocal relations
	// it is, as the cross entropy of the entities, the sum of both directions, each
	// among all 2R relations.
	RelationPrediction float64 `json:"relation_prediction,omitempty"`
}

// Validate says which weight makes no sense.
func (w Weights) Validate() error {
	for _, weight := range []struct {
		name  string
		value float64
	}{{"l2", w.L2}, {"n3", w.N3}, {"relation-l2", w.RelationL2}, {"entity-l2", w.EntityL2}, {"products", w.Products}, {"relation-prediction", w.RelationPrediction}} {
		if !(weight.value >= 0) || math.IsInf(weight.value, 0) {
			return fmt.Errorf("%s is %v: it must be a number of at least 0", weight.name, weight.value)
		}
	}
	return nil
}

// DefaultMember is a member with the given structure, seed 1, learning rate
// 0.3 and no regularization.
func DefaultMember(s structure.Structure) Member {
	return Member{Structure: s, Seed: 1, LearningRate: 0.3}
}

// Validate says what is wrong with the member.
func (m Member) Validate() error {
	switch {
	case m.Structure.K() == 0:
		return fmt.Errorf("the structure is missing: give one, such as complex")
	case !(m.LearningRate > 0) || math.IsInf(m.LearningRate, 0):
		return fmt.Errorf("the learning rate is %v: it must be a positive number", m.LearningRate)
	}
	return m.Weights.Validate()
}

func validatePopulation(s Settings, members []Member) error {
	if len(members) == 0 {
		return fmt.Errorf("the population is empty: at least one member is needed")
	}
	k := members[0].Structure.K()
	for i, m := range members {
		if err := m.Validate(); err != nil {
			return fmt.Errorf("member %d: %w", i, err)
		}
		if m.Structure.K() != k {
			return fmt.Errorf("member %d has K=%d and member 0 has K=%d: one population has one K", i, m.Structure.K(), k)
		}
	}
	return s.Validate(k)
}
