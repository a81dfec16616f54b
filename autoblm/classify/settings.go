package classify

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
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

func (n Norm) String() string { return enum.Of(normNames, "norm", n) }

// MarshalText writes the name.
func (n Norm) MarshalText() ([]byte, error) { return enum.Marshal(normNames, "norm", n) }

// UnmarshalText reads "none", "relation", "relation-root" or "symmetric".
func (n *Norm) UnmarshalText(text []byte) error {
	return enum.Unmarshal(normNames, "norm", n, text)
}

// Settings are what all members of a population share. [Defaults] has values for
// each encoder.
type Settings struct {
	Encoder Encoder `json:"encoder" brief:"blm, which has a structure, gcn, rgcn and others." help:"What makes the messages: blm by a structure, or the baselines gcn, rgcn, rgcn-block, compgcn-sub, compgcn-mult and compgcn-corr."`
	// Dim is for [BLM] a multiple of the structure's chunks, for [RGCNBlock] one of Parts.
	Dim    int `json:"dim" min:"1" max:"1048576" brief:"Dimension of embeddings and hidden layers." help:"Dimension of embeddings and hidden layers."`
	Layers int `json:"layers" min:"1" max:"64" brief:"How many edges away an entity matters." help:"How many edges away an entity matters."`
	// Parts is for [RGCN] and [RGCNBlock].
	Parts int `json:"parts" min:"0" max:"1048576" help:"Common matrices of rgcn, or blocks of rgcn-block."`
	// Transform is for [BLM].
	Transform bool `json:"transform" negatable:"" help:"Multiply the messages of a structure by a matrix of the layer."`
	Hidden    bool `json:"hidden" negatable:"" help:"Give the perceptron behind the layers a hidden layer."`
	SelfLoops bool `json:"self_loops" negatable:"" help:"Pass on an entity's own representation."`
	// Reverse edges have relations of their own.
	Reverse bool `json:"reverse" negatable:"" help:"Send messages from heads to tails too."`
	Norm    Norm `json:"norm" placeholder:"NORM" help:"Divide messages by none, relation (their number, by relation), relation-root (its root) or symmetric."`
	// SeenBy is how many of the labelled nodes, to train or to test with, must have an
	// entity within Layers edges for it to get an embedding. The others are zeros,
	// known only by what is around them: what one node alone sees tells nothing of the
	// rest, yet it is enough to learn that node's class by heart. Up to 1 all have
	// one, as published. New.
	SeenBy int `json:"seen_by,omitzero" min:"0" max:"1048576" brief:"Embed only what so many labelled nodes see." help:"Give an embedding only to what so many labelled nodes see within the layers; the rest is zero, and known by what is around it. 0 gives one to all, as is usual for encoders other than blm."`
	// Epochs are steps, each on all nodes to train with.
	Epochs        int `json:"epochs" min:"1" max:"1048576" brief:"The most epochs." help:"The most epochs; cross-validation finds how many are best."`
	ValidateEvery int `json:"validate_every" kong:"-" min:"1" max:"1048576" help:"Classify the nodes held out after every so many epochs."`
	Patience      int `json:"patience" kong:"-" min:"0" max:"1048576" help:"Stop a cross-validation after so many validations without a better one; 0 never."`
	Folds         int `json:"folds" kong:"-" min:"2" max:"1024" help:"Parts that the nodes to train with are divided into, each held out once."`
	// Repeats is how many divisions there are, each by the next seed. With more, the
	// accuracy depends less on the division, as matters where nodes are few.
	Repeats int `json:"repeats" min:"1" max:"1024" help:"How many times the nodes to train with are divided for cross-validation, each time in another way."`
	// Runs is how many models are trained on all of them. 0 tests none.
	Runs     int    `json:"runs" min:"0" max:"1024" brief:"How many models to test." help:"How many models to test."`
	DataSeed uint64 `json:"data_seed" kong:"-" help:"Decides the folds of the first division."`
}

// Defaults are how an encoder learns where nothing else is said: as [Published], but that
// with structures only what five labelled nodes see has an embedding, which was chosen by
// cross-validation on two graphs.
func Defaults(e Encoder) Settings {
	s := Published(e)
	if e == BLM {
		s.SeenBy = 5
	}
	return s
}

// Published are the settings of the publications where they say them: two layers, a hidden
// layer in the perceptron, reverse edges and self-loops for the baselines. The
// paper's formula for its own encoder has self-loops and W, and no reverse edges.
func Published(e Encoder) Settings {
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
	if err := settings.Check(s); err != nil {
		return err
	}
	if (s.Encoder == RGCN || s.Encoder == RGCNBlock) && s.Parts < 1 {
		return fmt.Errorf("parts is %d: it must be at least 1", s.Parts)
	}
	if s.Encoder == RGCNBlock && s.Dim%s.Parts != 0 {
		return fmt.Errorf("dim is %d: with %d blocks it must be a multiple of %d", s.Dim, s.Parts, s.Parts)
	}
	return nil
}

// Member is what each member of a population has of its own.
type Member struct {
	// Structure is that of [BLM]; the other encoders have none.
	Structure structure.Structure `json:"structure,omitzero" kong:"-"`
	// Seed is also for what is dropped. Further models are those of folds or runs.
	Seed         uint64  `json:"seed,omitzero" brief:"Decides the initial parameters." help:"Decides the initial parameters; further models have the seeds that follow."`
	LearningRate float64 `json:"learning_rate" name:"lr" above:"0" brief:"Learning rate of Adam." help:"Learning rate of Adam."`
	Dropout      float64 `json:"dropout" min:"0" below:"1" brief:"Share of coordinates dropped in a step." help:"Share of each layer's coordinates that a step sets to zero."`
	// L2 keeps entities that few others know from telling the nodes to train with apart.
	L2 float64 `json:"l2" name:"l2" min:"0" brief:"Weight of the squared norms of entities." help:"Weight of half the squared norms of the entities."`
}

// DefaultMember has rates that do well on the benchmarks, without a structure.
func DefaultMember() Member {
	return Member{Seed: 1, LearningRate: 0.01, Dropout: 0.4, L2: 0.001}
}

// Validate says what is wrong with a member.
func (m Member) Validate() error { return settings.Check(m) }

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
