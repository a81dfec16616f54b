package classify

import (
	"errors"
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Norm says by what the messages to an entity are divided.
type Norm int

const (
	// NoNorm adds them up, as the paper does.
	NoNorm Norm = iota
	// ByRelation divides those of one relation by their number: R-GCN's 1/c_{i,r}.
	ByRelation
	// ByRelationRoot divides them by the root of their number, so that many count
	// for more than few and yet do not drown the rest. New.
	ByRelationRoot
	// Symmetric divides a message by the roots of the number of all messages that
	// its target gets and of those that its source sends, as GCN and CompGCN do.
	Symmetric
)

var normNames = []string{"none", "relation", "relation-root", "symmetric"}

func (n Norm) String() string { return names.Of(normNames, "norm", n) }

// MarshalText writes the name.
func (n Norm) MarshalText() ([]byte, error) { return names.Marshal(normNames, "norm", n) }

// UnmarshalText reads "none", "relation", "relation-root" or "symmetric".
func (n *Norm) UnmarshalText(text []byte) error {
	return names.Unmarshal(normNames, "norm", n, text)
}

// Settings are what all members of a population share. [Defaults] has values for
// each encoder.
type Settings struct {
	Encoder Encoder `json:"encoder"`
	// Dim is the dimension of embeddings and hidden layers. For [BLM] it is a
	// multiple of the structure's chunks, for [RGCNBlock] one of Parts.
	Dim int `json:"dim"`
	// Layers is how many edges away an entity still matters.
	Layers int `json:"layers"`
	// Parts is the number of common matrices of [RGCN], and of blocks of [RGCNBlock].
	Parts int `json:"parts"`
	// Transform multiplies the messages of [BLM] by a matrix W of the layer.
	Transform bool `json:"transform"`
	// Hidden gives the perceptron that turns the last layer into classes a hidden layer.
	Hidden bool `json:"hidden"`
	// SelfLoops lets a layer pass on an entity's own representation.
	SelfLoops bool `json:"self_loops"`
	// Reverse sends messages from heads to tails too, by relations of their own.
	Reverse bool `json:"reverse"`
	// Norm is what messages are divided by.
	Norm Norm `json:"norm"`
	// SeenBy is how many of the labelled nodes, to train or to test with, must have an
	// entity within Layers edges for it to get an embedding. The others are zeros,
	// known only by what is around them: what one node alone sees tells nothing of the
	// rest, yet it is enough to learn that node's class by heart. Up to 1 all have
	// one, as published. New.
	SeenBy int `json:"seen_by,omitzero"`
	// Epochs is the number of steps, each on all nodes to train with. In
	// cross-validation it is the most, and the best number is found.
	Epochs int `json:"epochs"`
	// ValidateEvery is after how many epochs the nodes held out are classified.
	ValidateEvery int `json:"validate_every"`
	// Patience stops a cross-validation after so many validations without a better
	// one; 0 never does.
	Patience int `json:"patience"`
	// Folds is the number of parts that the nodes to train with are divided into;
	// each is held out once.
	Folds int `json:"folds"`
	// Repeats is how many divisions there are, each by the next seed. With more, the
	// accuracy depends less on the division, as matters where nodes are few.
	Repeats int `json:"repeats"`
	// Runs is how many models are trained on all of them, to be tested. 0 tests none.
	Runs int `json:"runs"`
	// DataSeed decides the folds of the first division.
	DataSeed uint64 `json:"data_seed"`
}

// Defaults are those of the publications where they say them: two layers, a hidden
// layer in the perceptron, reverse edges and self-loops for the baselines. The
// paper's formula for its own encoder has self-loops and W, and no reverse edges.
func Defaults(e Encoder) Settings {
	s := Settings{
		Encoder: e, Dim: 20, Layers: 2, Parts: 4, Hidden: true, SelfLoops: true, Reverse: true,
		Epochs: 100, ValidateEvery: 4, Patience: 6, Folds: 5, Repeats: 1, Runs: 5, DataSeed: 1,
	}
	switch e {
	case BLM:
		s.Transform, s.Reverse = true, false
	case GCN, CompGCNSub, CompGCNMult, CompGCNCorr:
		s.Norm = Symmetric
	case RGCN, RGCNBlock:
		s.Norm = ByRelation
	}
	return s
}

// Validate says what is wrong with the settings.
func (s Settings) Validate() error {
	const most = 1 << 20 // far above any use, and keeps sizes from overflowing
	if _, err := s.Encoder.MarshalText(); err != nil {
		return err
	}
	if _, err := s.Norm.MarshalText(); err != nil {
		return err
	}
	for _, n := range []struct {
		name        string
		value, from int
	}{
		{"dim", s.Dim, 1}, {"layers", s.Layers, 1}, {"epochs", s.Epochs, 1}, {"validate-every", s.ValidateEvery, 1},
		{"patience", s.Patience, 0}, {"seen-by", s.SeenBy, 0}, {"folds", s.Folds, 2}, {"repeats", s.Repeats, 1}, {"runs", s.Runs, 0},
	} {
		if n.value < n.from || n.value > most {
			return fmt.Errorf("%s is %d: it must be from %d to %d", n.name, n.value, n.from, most)
		}
	}
	if s.Encoder == RGCN || s.Encoder == RGCNBlock {
		if s.Parts < 1 || s.Parts > most {
			return fmt.Errorf("parts is %d: it must be from 1 to %d", s.Parts, most)
		}
	}
	if s.Encoder == RGCNBlock && s.Dim%s.Parts != 0 {
		return fmt.Errorf("dim is %d: with %d blocks it must be a multiple of %d", s.Dim, s.Parts, s.Parts)
	}
	return nil
}

// Member is what each member of a population has of its own.
type Member struct {
	// Structure is that of [BLM]; the other encoders have none.
	Structure structure.Structure `json:"structure,omitzero"`
	// Seed decides the initial parameters of the first model and what is dropped.
	// Further models, of folds or runs, have the seeds that follow.
	Seed uint64 `json:"seed,omitzero"`
	// LearningRate is Adam's.
	LearningRate float64 `json:"learning_rate"`
	// Dropout is the share of each layer's coordinates that a step sets to zero.
	Dropout float64 `json:"dropout"`
	// L2 is the weight of half the squared norms of the entities' embeddings. It
	// keeps entities that few others know from telling the nodes to train with apart.
	L2 float64 `json:"l2"`
}

// DefaultMember has rates that do well on the benchmarks, without a structure.
func DefaultMember() Member {
	return Member{Seed: 1, LearningRate: 0.01, Dropout: 0.4, L2: 0.001}
}

// Validate says what is wrong with a member.
func (m Member) Validate() error {
	switch {
	case !(m.LearningRate > 0) || math.IsInf(m.LearningRate, 0):
		return fmt.Errorf("the learning rate is %v: it must be a number above 0", m.LearningRate)
	case !(m.Dropout >= 0 && m.Dropout < 1):
		return fmt.Errorf("dropout is %v: it must be from 0 to below 1", m.Dropout)
	case !(m.L2 >= 0) || math.IsInf(m.L2, 0):
		return fmt.Errorf("l2 is %v: it must be a number of at least 0", m.L2)
	}
	return nil
}

// heldOut is how many models a cross-validation trains.
func (s Settings) heldOut() int { return s.Folds * s.Repeats }

// validate says what is wrong with a population.
func validate(s Settings, members []Member) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if len(members) == 0 {
		return errors.New("there is no member to train")
	}
	for _, m := range members {
		if err := m.Validate(); err != nil {
			return err
		}
		if s.Encoder != BLM {
			continue
		}
		switch k := m.Structure.K(); {
		case k == 0:
			return errors.New("the encoder blm needs a structure")
		case k != members[0].Structure.K():
			return fmt.Errorf("structures of %d and of %d chunks cannot train together", members[0].Structure.K(), k)
		case s.Dim%k != 0:
			return fmt.Errorf("dim is %d: with %d chunks it must be a multiple of %d", s.Dim, k, k)
		}
	}
	return nil
}
