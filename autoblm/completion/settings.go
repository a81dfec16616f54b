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
	// InitScale is the standard deviation of the initial embeddings.
	InitScale float64 `json:"init_scale"`
	// DataSeed decides the order of the triples in every epoch.
	DataSeed uint64 `json:"data_seed"`
	// ValidateEvery ranks the validation triples after every so many epochs and
	// keeps the best epoch; 0 never does and keeps the last.
	ValidateEvery int `json:"validate_every"`
	// Patience ends a member's training after so many validations without a
	// better one; 0 never does.
	Patience int `json:"patience"`
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
	case s.Patience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("patience is %d but nothing is validated: set validate-every too", s.Patience)
	}
	return nil
}

// Member is what one model of a population has for itself.
type Member struct {
	Structure structure.Structure `json:"structure"`
	// Seed decides the initial embeddings.
	Seed uint64 `json:"seed"`
	// LearningRate is the step size of the first epoch.
	LearningRate float64 `json:"learning_rate"`
	// L2 weighs the batch mean of |h|²+|r|²+|t|².
	L2 float64 `json:"l2"`
	// N3 weighs the batch mean of Σ|h|³+|r|³+|t|³.
	N3 float64 `json:"n3"`
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
	case !(m.L2 >= 0) || math.IsInf(m.L2, 0):
		return fmt.Errorf("l2 is %v: it must be a number of at least 0", m.L2)
	case !(m.N3 >= 0) || math.IsInf(m.N3, 0):
		return fmt.Errorf("n3 is %v: it must be a number of at least 0", m.N3)
	}
	return nil
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
