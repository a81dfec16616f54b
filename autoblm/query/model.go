package query

import (
	"cmp"
	"context"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Kind is how a model makes a query of a path, and a score of a query and an entity.
type Kind int

const (
	// Bilinear scores by e0ᵀ g(A,r1) … g(A,rL) e with a structure A (paper, Equation 4).
	Bilinear Kind = iota
	// TransE is TransE-Comp: -‖e - (e0 + r1 + … + rL)‖₁ (Guu et al., 2015).
	TransE
	// Diag is Diag-Comp: e0ᵀ diag(r1) … diag(rL) e (Guu et al., 2015), which is
	// Bilinear with the structure of one cell.
	Diag
	// GQE scores by e0ᵀ R1 … RL e with a d×d matrix for each relation (Hamilton et
	// al., 2018).
	GQE
	// Query2box scores by the distance of an entity to a box whose centre moves and
	// whose sides grow along the path (Ren et al., 2020).
	Query2box
)

var kindNames = []string{"bilinear", "transe", "diag", "gqe", "q2b"}

func (k Kind) String() string { return names.Of(kindNames, "model", k) }

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return names.Marshal(kindNames, "model", k) }

// UnmarshalText reads "bilinear", "transe", "diag", "gqe" or "q2b".
func (k *Kind) UnmarshalText(text []byte) error {
	return names.Unmarshal(kindNames, "model", k, text)
}

// oneCell is the structure of Diag.
var oneCell = structure.MustParse("1")

// RelationRows is how many rows of the table of relations each direction of a
// relation has: its embedding; for GQE the rows of its matrix; for Query2box where
// it moves the centre and how it grows the sides.
func (k Kind) RelationRows(dim int) int {
	switch k {
	case GQE:
		return dim
	case Query2box:
		return 2
	}
	return 1
}

// Parameters are the numbers of one model. Reciprocal is whether the reverse of a
// relation has rows of its own, all after those of the relations; else it is the
// transpose. Relations has the rows of [Kind.RelationRows] for each direction.
type Parameters struct {
	Kind Kind
	completion.Parameters
}

// Example is a training query with one of its answers, drawn anew each epoch.
type Example struct {
	*Query
	Answer int32
}

// Engine does the arithmetic. Package enginetest holds the conformance suite that
// every engine passes.
type Engine interface {
	// Name is the engine's name, as "cpu".
	Name() string
	// NewTrainer places a member's initial numbers, made by [Initialize].
	NewTrainer(d *Data, s Settings, m Member) (Trainer, error)
	// NewScorer places trained numbers for scoring only.
	NewScorer(p Parameters) (Scorer, error)
}

// Trainer is a model in training.
type Trainer interface {
	Scorer
	// Epoch takes one optimizer step per batch, whose paths have one length. It
	// returns the mean loss per query, penalties included, and the seconds of each
	// step. When ctx ends, Epoch returns its error soon, after a step or a few.
	Epoch(ctx context.Context, batches [][]Example, rate float64) (loss float64, seconds []float64, err error)
	// Gradient is the loss of a batch, as the next step would see it, and its gradient
	// by all numbers. Nothing moves.
	Gradient(batch []Example) (loss float64, gradient Parameters)
	// Parameters copies the present numbers.
	Parameters() Parameters
}

// Model is a trained model with the names of its entities and relations.
type Model struct {
	Parameters
	// Dataset is the name of the data it was trained on, and Source names them for
	// [Open]: the folder that they were read from, or their name.
	Dataset, Source string
	// EntityLabels and RelationLabels name the rows of the tables.
	EntityLabels, RelationLabels []string
	// Training says how it was trained; nil in a model written by another program.
	Training *Training
	// Valid and Test are what it reached on paths of Training.Settings.Hops, where
	// that was measured.
	Valid, Test *Evaluation
}

// Training is the record of how a model came about.
type Training struct {
	Settings Settings `json:"settings"`
	Member   Member   `json:"member"`
}

func newModel(d *Data, s Settings, m Member, p Parameters) *Model {
	return &Model{
		Parameters: p, Dataset: d.Name, Source: cmp.Or(d.Folder, d.Name),
		EntityLabels: d.Entities, RelationLabels: d.Relations, Training: &Training{Settings: s, Member: m},
	}
}
