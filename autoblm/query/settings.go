package query

import (
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings are those of a training on paths. [DefaultSettings] is the place to start
// from.
type Settings struct {
	// Settings are those of all embeddings, but for LabelSmoothing, which paths do not
	// have. A batch is of queries whose paths have one length. Reciprocal gives the
	// reverse of a relation an embedding of its own; else it is the transpose of its
	// relation.
	kge.Settings
	Paths
}

// Paths are what models of paths are for, and how they learn them.
type Paths struct {
	// Hops are the lengths of the paths that a model is for: it is trained on them,
	// and validated on all of them together.
	Hops []int `json:"hops" min:"1" help:"Length of the paths to train on and to rank."`
	With []int `json:"with,omitempty" min:"1" help:"Lengths of further paths to train on, separated by commas."`
	// AnswerPower 0 lets queries count the same, 1 their answers.
	AnswerPower float64 `json:"answer_power" min:"0" max:"1" help:"A query with n answers counts n to this power as much as one with one; 0 to 1."`
}

// Own are the settings that only paths have, as a study keeps them.
type Own struct {
	Paths
	kge.Sampling
}

// Settings are those of all embeddings with those of paths.
func (o Own) Settings(s kge.Settings) Settings {
	s.Sampling = o.Sampling
	return Settings{s, o.Paths}
}

// DefaultSettings train on paths of two hops with reverses of their own.
func DefaultSettings() Settings {
	s := Settings{Settings: kge.DefaultSettings(), Paths: Paths{Hops: []int{2}, AnswerPower: 0.5}}
	s.Batch, s.Reciprocal = 512, true
	return s
}

// Trained are the lengths of all paths to train on, ascending.
func (p Paths) Trained() []int {
	all := slices.Concat(p.Hops, p.With)
	slices.Sort(all)
	return slices.Compact(all)
}

// UsualSampling is what a form of models has where it is not to learn from all
// entities: for distances the numbers of Query2box, whose margin of 24 for 400
// coordinates shrinks with these (Ren et al., 2020). Products have none.
func UsualSampling(f form.Form, dim int) kge.Sampling {
	if f.Products() {
		return kge.Sampling{}
	}
	return kge.Sampling{Negatives: 128, Margin: 24 * float64(dim) / 400}
}

// Validate says what is wrong with a member under the settings. L2, N3, RelationL2
// and EntityL2 of a member are of the anchor, the relations of the path and the drawn
// answer; Products is of |e0ᵀR|² + |R e|², where R is the product of the path.
func (s Settings) Validate(m kge.Member) error {
	switch {
	case s.LabelSmoothing != 0:
		return fmt.Errorf("label smoothing is %v: queries have none", s.LabelSmoothing)
	case m.RelationPrediction != 0:
		return fmt.Errorf("relation-prediction is %v: queries have none", m.RelationPrediction)
	}
	if err := s.ValidateFor(m); err != nil {
		return err
	}
	if len(s.Hops) == 0 {
		return errors.New("there are no lengths of paths to train on: give one, such as 2")
	}
	return settings.Check(s.Paths)
}
