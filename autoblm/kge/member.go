package kge

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Member holds the settings of one model of a population that the others do not share.
type Member struct {
	Form form.Form `json:"form,omitzero" kong:"-"`
	// Structure is the zero value unless the form is bilinear.
	Structure    structure.Structure `json:"structure,omitzero" kong:"-"`
	Seed         uint64              `json:"seed" brief:"Seed of the initial embeddings." help:"Seed of the initial embeddings."`
	LearningRate float64             `json:"learning_rate" name:"lr" above:"0" brief:"Initial learning rate." help:"Learning rate of the first epoch."`
	Weights
}

// Weights weigh the terms that a member adds to its cross entropy. Each term is a mean over
// the triples of a batch of a sum over coordinates. With reciprocal relations a triple is
// learned in both directions, (h, r, t) and (t, reverse of r, h), and each term is the mean
// of both.
type Weights struct {
	// L2 weighs |h|²+|r|²+|t|².
	L2 float64 `json:"l2" name:"l2" min:"0" help:"Weight of the squared L2 norm of entities and relations."`
	// N3 weighs Σ|h|³+|r|³+|t|³ (Lacroix et al., 2018).
	N3 float64 `json:"n3" name:"n3" min:"0" brief:"Weight of N3 regularization." help:"Weight of N3 regularization, the cubed L3 norm of entities and relations."`
	// N3Moduli makes N3 use complex moduli, with chunks i and i+K/2 as real and imaginary
	// parts, as Lacroix et al. do for ComplEx. K must be even. Equivalent structures pair
	// different chunks, so that with N3Moduli they do not train alike.
	N3Moduli bool `json:"n3_moduli,omitempty" name:"n3-moduli" negatable:"" needs:"n3" help:"Use moduli of complex numbers for N3, as published for ComplEx; the second half of the chunks has the imaginary parts."`
	// EntityL2 weighs |h|²+|t|², and Products weighs |hᵀg(A,r)|²+|g(A,r)t|². With equal weights
	// they are DURA (Zhang et al., 2020); the authors' best runs have the ratio 1 to 3.
	EntityL2 float64 `json:"entity_l2,omitempty" name:"entity-l2" min:"0" help:"Weight of the squared L2 norm of entities."`
	// RelationL2 weighs |r|². It is the λ of the authors' programs divided by the batch size.
	RelationL2 float64 `json:"relation_l2,omitempty" name:"relation-l2" min:"0" help:"Weight of the squared L2 norm of relations."`
	Products   float64 `json:"products,omitempty" min:"0" help:"Weight of the squared L2 norm of products of entities with relations or paths."`
	// PenaltyFrequency p multiplies the penalties of each use of a row that has n uses per epoch by
	// n^-p, divided by its mean over all uses, for entities and relations apart. With 0, a row is
	// penalized as often as it is used; with 1, all rows are penalized alike. A product has the
	// factor of its entity.
	PenaltyFrequency float64 `json:"penalty_frequency,omitempty" min:"0" max:"1" help:"Exponent p of penalties that are divided by the frequency^p of an entity or relation: 0 penalizes each use alike, 1 each row."`
	// Orthogonality weighs Σ_k |M_kᵀM_k - I|² for the matrices that cores make of a relation (Tran
	// and Takasu, 2022, Equation 11).
	Orthogonality float64 `json:"orthogonality,omitempty" min:"0" help:"Weight of soft orthogonality of a relation's matrices, for models with cores."`
	// RelationPrediction weighs the cross entropy of the true relation among all relations,
	// given head and tail (Chen et al., 2021). With reciprocal relations it is the sum of both
	// directions, each among all 2R relations.
	RelationPrediction float64 `json:"relation_prediction,omitempty" min:"0" help:"Weight of relation prediction: the cross entropy of the relation, given both entities."`
}

// DefaultMember returns a member with seed 1, learning rate 0.3 and no regularization.
func DefaultMember(s structure.Structure) Member {
	return Member{Structure: s, Seed: 1, LearningRate: 0.3}
}

// Validate returns an error if the member cannot be trained with any settings.
func (m Member) Validate() error {
	if _, err := m.Form.Spec().Structure(m.Structure); err != nil {
		return err
	}
	return settings.Check(m)
}

// ValidateFor returns an error if a member cannot be trained with the settings.
func (s Settings) ValidateFor(m Member) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := s.Validate(m.chunks()); err != nil {
		return err
	}
	if err := m.Form.CheckDim(s.Dim); err != nil {
		return err
	}
	can := m.Form.Capabilities()
	switch {
	case !can.Products && (s.Dropout != 0 || m.Products != 0):
		return fmt.Errorf("%v scores by distances: leave dropout and products at 0", m.Form)
	case m.N3Moduli && (m.Form != form.Bilinear || m.chunks()%2 != 0):
		return fmt.Errorf("%s has no pairs of chunks as complex numbers: "+
			"switch n3-moduli off", m.name())
	case m.Form.Partitions() == 0 && m.Orthogonality != 0:
		return fmt.Errorf("%s has no cores: leave orthogonality at 0", m.name())
	case !can.RelationPrediction && m.RelationPrediction != 0:
		return fmt.Errorf("%v has no relation prediction: leave relation-prediction at 0", m.Form)
	}
	return nil
}

// Diverged returns an error that wraps [ErrDiverged] for a member that diverged in an epoch.
func (m Member) Diverged(epoch int) error {
	return fmt.Errorf("%w in epoch %d (%s, learning rate %g): try a smaller learning rate",
		ErrDiverged, epoch, m.name(), m.LearningRate)
}

// name returns the name of the member in errors.
func (m Member) name() string {
	if m.Form == form.Bilinear {
		return "structure " + m.Structure.String()
	}
	return m.Form.String()
}

// chunks returns the number of chunks of an embedding, 1 without a structure.
func (m Member) chunks() int { return max(1, m.Structure.K()) }

// validatePopulation returns an error if members cannot be trained together.
func validatePopulation(s Settings, members []Member) error {
	if len(members) == 0 {
		return errors.New("there is nothing to train: at least one member is needed")
	}
	for i, m := range members {
		err := validateTogether(s, m, members[0])
		if err != nil && len(members) > 1 {
			return fmt.Errorf("member %d: %w", i, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// validateTogether returns an error if a member cannot be trained together with the first one.
func validateTogether(s Settings, m, first Member) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Form != first.Form || m.chunks() != first.chunks() {
		return fmt.Errorf("it is %v with K=%d, but member 0 is %v with K=%d: "+
			"a population has one form and one K",
			m.Form, m.chunks(), first.Form, first.chunks())
	}
	return s.ValidateFor(m)
}
