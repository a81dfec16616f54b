package classify

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Norm selects the divisor of the messages to an entity.
type Norm int

const (
	// NoNorm adds messages up, as the paper does.
	NoNorm Norm = iota
	// ByRelation divides the messages of a relation by their number: R-GCN's 1/c_{i,r}.
	ByRelation
	// ByRelationRoot divides them by the square root of their number, so that many messages
	// count more than few without drowning the rest. It is not from a publication.
	ByRelationRoot
	// Symmetric divides a message by the square roots of the number of messages that its target
	// receives and that its source sends, similar to CompGCN, and to GCN, whose numbers count
	// the entity itself too.
	Symmetric
)

var normNames = []string{"none", "relation", "relation-root", "symmetric"}

func (n Norm) String() string { return enum.Name(normNames, "norm", n) }

// MarshalText writes the name.
func (n Norm) MarshalText() ([]byte, error) { return enum.Marshal(normNames, "norm", n) }

// UnmarshalText reads "none", "relation", "relation-root" or "symmetric".
func (n *Norm) UnmarshalText(text []byte) error {
	return enum.Unmarshal(normNames, "norm", n, text)
}

// Settings are shared by all members of a population. [Defaults] returns values for an encoder.
type Settings struct {
	Encoder Encoder `json:"encoder" brief:"Message encoder: blm, gcn, rgcn or another baseline." help:"Message encoder: blm with a structure, or the baselines gcn, rgcn, rgcn-block, compgcn-sub, compgcn-mult and compgcn-corr."`
	// Dim must be a multiple of the structure's chunks for [BLM], and of Parts for [RGCNBlock].
	Dim    int `json:"dim" min:"1" max:"1048576" help:"Dimension of embeddings and hidden layers."`
	Layers int `json:"layers" min:"1" max:"64" brief:"Layers of messages." help:"Layers of messages: the number of edges over which an entity has an influence."`
	// Parts is used by [RGCN] and [RGCNBlock].
	Parts int `json:"parts" min:"0" max:"1048576" with:"encoder=rgcn,encoder=rgcn-block" help:"Shared matrices of rgcn, or blocks of rgcn-block."`
	// Transform is used by [BLM].
	Transform bool `json:"transform" negatable:"" with:"encoder=blm" help:"Multiply the messages of a structure by a matrix of the layer."`
	Hidden    bool `json:"hidden" negatable:"" help:"Add a hidden layer to the output perceptron."`
	SelfLoops bool `json:"self_loops" negatable:"" help:"Add an entity's own representation to its messages."`
	// Reverse adds a relation for the reverse edges of each relation.
	Reverse bool `json:"reverse" negatable:"" help:"Also send messages from heads to tails."`
	Norm    Norm `json:"norm" placeholder:"NORM" help:"Divisor of messages: none, relation (their number, per relation), relation-root (its square root) or symmetric."`
	// SeenBy is the number of labelled nodes, of training or test, that must be within Layers
	// edges of an entity for it to have an embedding. The embeddings of other entities are zero:
	// an entity near only one labelled node teaches nothing about other nodes, but suffices to
	// memorize that node's class. With 0 or 1 all entities have one, as in the publications.
	SeenBy int `json:"seen_by,omitzero" min:"0" max:"1048576" brief:"Embed only entities near this many labelled nodes." help:"Embed only entities with at least this many labelled nodes within the layers; the embeddings of others are zero. 0 embeds all, as is common for encoders other than blm."`
	// Epochs are steps on all training nodes.
	Epochs        int `json:"epochs" min:"1" max:"1048576" brief:"Maximum number of epochs." help:"Maximum number of epochs; cross-validation finds the best number."`
	ValidateEvery int `json:"validate_every" kong:"-" min:"1" max:"1048576" help:"Epochs between two classifications of held-out nodes."`
	Patience      int `json:"patience" kong:"-" min:"0" max:"1048576" help:"Stop a cross-validation after this many validations without improvement; 0 never."`
	Folds         int `json:"folds" kong:"-" min:"2" max:"1024" help:"Folds of the cross-validation, each held out once."`
	// Repeats divides the nodes with consecutive seeds. With few nodes, more repeats make the
	// accuracy depend less on the division.
	Repeats int `json:"repeats" min:"1" max:"1024" brief:"Repeat the cross-validation with other folds." help:"Number of cross-validations, each with other folds."`
	// Runs is the number of models trained on all training nodes; 0 skips the test.
	Runs     int    `json:"runs" min:"0" max:"1024" help:"Number of models to test."`
	DataSeed uint64 `json:"data_seed" kong:"-" help:"Seed of the folds of the first cross-validation."`
}

// Defaults returns the default settings of an encoder: [Published], except that [BLM] embeds only
// entities near five labelled nodes. Cross-validation on two graphs selected that number.
func Defaults(e Encoder) Settings {
	s := Published(e)
	if e == BLM {
		s.SeenBy = 5
	}
	return s
}

// Published returns the settings of the publications, as far as they name them: two layers, a
// hidden layer in the perceptron, reverse edges and self-loops for the baselines. The paper's
// formula for its own encoder has self-loops and W, but no reverse edges.
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

// Validate returns an error if the settings are invalid.
func (s Settings) Validate() error {
	if err := settings.Check(s); err != nil {
		return err
	}
	if (s.Encoder == RGCN || s.Encoder == RGCNBlock) && s.Parts < 1 {
		return fmt.Errorf("parts is %d: it must be at least 1", s.Parts)
	}
	if s.Encoder == RGCNBlock && s.Dim%s.Parts != 0 {
		return fmt.Errorf("dim is %d: with %d blocks it must be a multiple of %d",
			s.Dim, s.Parts, s.Parts)
	}
	return nil
}

// heldOut returns the number of models that a cross-validation trains.
func (s Settings) heldOut() int { return s.Folds * s.Repeats }

// InShort describes the messages in one line.
func (s Settings) InShort() string {
	with := map[bool]string{true: "with", false: "without"}
	embedded := "all"
	if s.SeenBy > 1 {
		embedded = fmt.Sprintf("entities near %d labelled nodes", s.SeenBy)
	}
	return fmt.Sprintf("d %d, %s, norm %v, %s reverse edges, %s self-loops, embeddings for %s",
		s.Dim, format.Count(s.Layers, "layer"), s.Norm, with[s.Reverse], with[s.SelfLoops], embedded)
}

// Member holds the settings of one member of a population.
type Member struct {
	// Structure is used by [BLM] only.
	Structure structure.Structure `json:"structure,omitzero" kong:"-"`
	// Seed also determines the dropout. The models of further folds or runs use the following seeds.
	Seed         uint64  `json:"seed,omitzero" brief:"Seed of the initial parameters." help:"Seed of the initial parameters; further models use the following seeds."`
	LearningRate float64 `json:"learning_rate" name:"lr" above:"0" help:"Learning rate of Adam."`
	Dropout      float64 `json:"dropout" min:"0" below:"1" brief:"Share of coordinates dropped in a step." help:"Share of each layer's coordinates that a step sets to zero."`
	// L2 keeps the model from memorizing training nodes by the embeddings of entities that are
	// near few other labelled nodes.
	L2 float64 `json:"l2" name:"l2" min:"0" brief:"Weight of the squared norms of entities." help:"Weight of half the squared norms of the entities."`
}

// DefaultMember returns rates that do well on the benchmarks, without a structure.
func DefaultMember() Member {
	return Member{Seed: 1, LearningRate: 0.01, Dropout: 0.4, L2: 0.001}
}

// Validate returns an error if the member is invalid.
func (m Member) Validate() error { return settings.Check(m) }

// validate returns an error if members cannot train together with the settings.
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
		switch k, first := m.Structure.K(), members[0].Structure.K(); {
		case k == 0:
			return errors.New("the encoder blm needs a structure")
		case k != first:
			return fmt.Errorf("structures of %d and of %d chunks cannot train together", first, k)
		case s.Dim%k != 0:
			return fmt.Errorf("dim is %d: with %d chunks it must be a multiple of %d", s.Dim, k, k)
		}
	}
	return nil
}
