package query

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings are what all members of a job share. [DefaultSettings] is the place to
// start from.
type Settings struct {
	// Settings are those of completion, but for LabelSmoothing, which queries do not
	// have. A batch is of queries whose paths have one length. Reciprocal gives the
	// reverse of a relation an embedding of its own; else it is the transpose of its
	// relation.
	completion.Settings
	Paths
}

// Paths are the settings that only queries have.
type Paths struct {
	// Hops are the lengths of the paths that a model is for: it is trained on them,
	// and validated on all of them together.
	Hops []int `json:"hops" min:"1" help:"Length of the paths to train on and to rank."`
	With []int `json:"with,omitempty" min:"1" help:"Lengths of further paths to train on, separated by commas."`
	// AnswerPower 0 lets queries count the same, 1 their answers.
	AnswerPower float64 `json:"answer_power" min:"0" max:"1" help:"A query with n answers counts n to this power as much as one with one; 0 to 1."`
	// Negatives, when positive, takes the place of the log-loss over all entities, by
	// which every kind of model can be trained and usually is: a query learns its drawn
	// answer and so many entities that are no answer, drawn anew each step, by
	// -log σ(Margin + score) - mean log σ(-Margin - score) (paper, Section V-B; Ren et
	// al., 2020).
	Negatives int `json:"negatives,omitempty" min:"0" help:"Learn from so many drawn entities that are no answer, as 128, rather than from all; 0, which is usual, from all."`
	// Margin see [UsualNegatives].
	Margin float64 `json:"margin,omitempty" placeholder:"MARGIN" help:"What is added to scores where there are negatives; for the models of distances 24 for 400 coordinates and less for fewer, if nothing is said; else 0."`
}

// DefaultSettings train on paths of two hops with reverses of their own.
func DefaultSettings() Settings {
	s := Settings{Settings: completion.DefaultSettings(), Paths: Paths{Hops: []int{2}, AnswerPower: 0.5}}
	s.Batch, s.Reciprocal = 512, true
	return s
}

// Trained are the lengths of all paths to train on, ascending.
func (p Paths) Trained() []int {
	all := slices.Concat(p.Hops, p.With)
	slices.Sort(all)
	return slices.Compact(all)
}

// Member is what one model has for itself. Structure is that of a bilinear model
// and no other. L2, N3, RelationL2 and EntityL2 are of the anchor, the relations
// of the path and the drawn answer; Products is of |e0ᵀR|² + |R e|², where R is the
// product of the path. There is no RelationPrediction.
type Member struct {
	Kind Kind `json:"model"`
	completion.Member
}

// distances says whether scores are distances, which are summed up, and no products.
func (k Kind) distances() bool { return k == TransE || k == Query2box }

// DefaultMember is a member of a kind, without a structure yet, with seed 1, the
// learning rate 0.3 and no penalties.
func DefaultMember(kind Kind) Member {
	return Member{Kind: kind, Member: completion.DefaultMember(structure.Structure{})}
}

// UsualNegatives are how many entities a kind of model learns from and its margin
// where it is not to learn from all: for distances those of Query2box, whose margin of
// 24 for 400 coordinates shrinks with these (Ren et al., 2020). Products have none.
func UsualNegatives(kind Kind, dim int) (count int, margin float64) {
	if kind.distances() {
		return 128, 24 * float64(dim) / 400
	}
	return 0, 0
}

// Validate says what is wrong with a member under the settings.
func (s Settings) Validate(m Member) error {
	if _, err := m.Kind.MarshalText(); err != nil {
		return err
	}
	member := m.Member
	if m.Kind == Bilinear {
		if m.Structure.K() == 0 {
			return errors.New("the structure is missing: give one, such as complex")
		}
	} else {
		if m.Structure.K() != 0 {
			return fmt.Errorf("%v has no structure: leave it out", m.Kind)
		}
		member.Structure = oneCell
	}
	if err := s.Settings.Validate(member.Structure.K()); err != nil {
		return err
	}
	if err := member.Validate(); err != nil {
		return err
	}
	if err := settings.Check(s); err != nil {
		return err
	}
	switch {
	case len(s.Hops) == 0:
		return errors.New("there are no lengths of paths to train on: give one, such as 2")
	case s.LabelSmoothing != 0:
		return fmt.Errorf("label smoothing is %v: queries have none", s.LabelSmoothing)
	case m.RelationPrediction != 0:
		return fmt.Errorf("relation-prediction is %v: queries have none", m.RelationPrediction)
	case m.Kind.distances() && (s.Dropout != 0 || m.Products != 0):
		return fmt.Errorf("%v has no products to drop coordinates of or to penalize: leave dropout and products at 0", m.Kind)
	}
	return nil
}

// Initialize draws a member's numbers, entities first. Those of a bilinear model
// are those of [completion.Initialize]. The rows of a matrix of GQE keep lengths on
// average, and boxes begin to grow.
func Initialize(d *Data, s Settings, m Member) Parameters {
	g := &datasets.Graph{Entities: d.Entities, Relations: d.Relations}
	p := Parameters{Kind: m.Kind, Parameters: completion.Initialize(g, s.Settings, m.Member)}
	if m.Kind == Diag {
		p.Structure = oneCell
	}
	rows := m.Kind.RelationRows(s.Dim)
	if rows == 1 {
		return p
	}
	rng := rand.New(rand.NewPCG(m.Seed, 0x72656c6174696f6e)) // the second word keeps them apart from the embeddings
	p.Relations = make([]float32, rows*len(p.Relations))
	for i := range p.Relations {
		x := rng.NormFloat64()
		switch {
		case m.Kind == GQE:
			x /= math.Sqrt(float64(s.Dim))
		case i/s.Dim%rows == 0:
			x *= s.InitScale
		default:
			x = math.Abs(x * s.InitScale)
		}
		p.Relations[i] = float32(x)
	}
	return p
}
