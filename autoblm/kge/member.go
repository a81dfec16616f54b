package kge

import (
	"cmp"
	"errors"
	"fmt"
	"math"

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
	// N3 weighs Σ|h|³+|r|³+|t|³ (Lacroix et al., 2018), summed over groups of coordinates, see N3Block.
	N3 float64 `json:"n3" name:"n3" min:"0" brief:"Weight of N3 regularization." help:"Weight of N3 regularization, the cubed L3 norm of entities and relations."`
	// N3Block b is the size of the groups whose norms N3, EntityN3 and RelationN3 penalize: at each
	// position of a chunk, the coordinates of the chunks c, c+K/b, c+2K/b, … are a group. It divides
	// K. 0 and 1 mean single coordinates; 2 means the moduli of complex numbers, with chunks i and
	// i+K/2 as real and imaginary parts, as Lacroix et al. do for ComplEx; K means all chunks.
	// Equivalent structures group different chunks, so that with 1 < b < K they do not train alike.
	N3Block int `json:"n3_block,omitempty" name:"n3-block" min:"0" max:"8" needs:"n3,entity-n3,relation-n3" help:"Coordinates per norm in N3, a divisor of the number of chunks: 0 or 1 for single coordinates, 2 for the moduli of complex numbers, as published for ComplEx, whose imaginary parts are the second half of the chunks."`
	// EntityN3 weighs Σ|h|³+|t|³ and RelationN3 weighs Σ|r|³, both in addition to N3.
	EntityN3   float64 `json:"entity_n3,omitempty" name:"entity-n3" min:"0" help:"Weight of N3 regularization of entities, in addition to n3."`
	RelationN3 float64 `json:"relation_n3,omitempty" name:"relation-n3" min:"0" help:"Weight of N3 regularization of relations, in addition to n3."`
	// EntityL2 weighs |h|²+|t|², and Products weighs |hᵀg(A,r)|²+|g(A,r)t|². With equal weights
	// they are DURA (Zhang et al., 2020); the authors' best runs have the ratio 1 to 3.
	EntityL2 float64 `json:"entity_l2,omitempty" name:"entity-l2" min:"0" help:"Weight of the squared L2 norm of entities."`
	// RelationL2 weighs |r|². It is the λ of the authors' programs divided by the batch size.
	RelationL2 float64 `json:"relation_l2,omitempty" name:"relation-l2" min:"0" help:"Weight of the squared L2 norm of relations."`
	Products   float64 `json:"products,omitempty" min:"0" help:"Weight of the squared L2 norm of products of entities with relations or paths."`
	// IVR λ1 and IVRProducts λ2 weigh the norms of all intermediate variables of a score (Xiao and
	// Cao, 2024). At each position of a chunk, h, r and t have K numbers and W is the structure's
	// tensor [K, K, K]. IVR weighs ‖h‖^α+‖r‖^α+‖t‖^α and, as the authors' program does, the sum of
	// (‖W×h‖/√K)^α, (‖W×r‖/√K)^α and (‖W×t‖/√K)^α, of Frobenius norms of K×K matrices. IVRProducts
	// weighs ‖h‖^α‖r‖^α+‖r‖^α‖t‖^α+‖t‖^α‖h‖^α and ‖W×h×r‖^α+‖W×r×t‖^α+‖W×t×h‖^α. Equivalent
	// structures have equal penalties, but not the same structure with more chunks, such as that of
	// ComplEx, which is published with K=2. With cores, a partition is a position, K is its size C,
	// and W is its core.
	IVR         float64 `json:"ivr,omitempty" name:"ivr" min:"0" help:"Weight of IVR: norms of embeddings and of their products with the tensor of the structure or core."`
	IVRProducts float64 `json:"ivr_products,omitempty" name:"ivr-products" min:"0" help:"Weight of IVR: norms of products of two embeddings, without and with the tensor of the structure or core."`
	// IVRPower is α: 2, 2.25, 2.5 … 4; 0 means 2.
	IVRPower float64 `json:"ivr_power,omitempty" name:"ivr-power" min:"0" max:"4" needs:"ivr,ivr-products" help:"Power of the norms in IVR: 2, 2.25, 2.5 and so on to 4; 0: 2."`
	// PenaltyFrequency p multiplies the penalties of each use of a row that has n uses per epoch by
	// n^-p, divided by its mean over all uses, for entities and relations apart. With 0, a row is
	// penalized as often as it is used; with 1, all rows are penalized alike. A product has the
	// factor of its entity, or the mean of the factors of two.
	PenaltyFrequency float64 `json:"penalty_frequency,omitempty" min:"0" max:"1" help:"Exponent p of penalties that are divided by the frequency^p of an entity or relation: 0 penalizes each use alike, 1 each row."`
	// Orthogonality weighs Σ_k |M_kᵀM_k - I|² for the matrices that cores make of a relation (Tran
	// and Takasu, 2022, Equation 11).
	Orthogonality float64 `json:"orthogonality,omitempty" min:"0" own:"Weight of orthogonality of relations' matrices." help:"Weight of soft orthogonality of a relation's matrices, for models with cores."`
	// RelationPrediction weighs the cross entropy of the true relation among all relations,
	// given head and tail (Chen et al., 2021). With reciprocal relations it is the sum of both
	// directions, each among all 2R relations.
	RelationPrediction float64 `json:"relation_prediction,omitempty" min:"0" help:"Weight of relation prediction: the cross entropy of the relation, given both entities."`
}

// HasIVR reports whether a score's intermediate variables are penalized.
func (w Weights) HasIVR() bool { return w.IVR > 0 || w.IVRProducts > 0 }

// IVRExponent returns α/2, the power of squared norms in IVR.
func (w Weights) IVRExponent() float64 { return cmp.Or(w.IVRPower, 2) / 2 }

// ErrNoTeacher means that a model cannot be trained with a teacher.
var ErrNoTeacher = errors.New("does not learn from a teacher")

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
	if err := s.validateWeights(m.Weights); err != nil {
		return err
	}
	if err := s.validateEncoding(m); err != nil {
		return err
	}
	f := s.FormOf(m)
	can := f.Capabilities()
	_, isConvE := f.ConvE()
	_, isNeural := f.Neural()
	switch {
	case isNeural && m.Products != 0:
		return fmt.Errorf("products are not defined for %v: leave products and dura at 0", m.Form)
	case isNeural && (s.SparseGradients > 0 || s.Buckets > 1):
		return fmt.Errorf("%v does not support sparse gradients or buckets: "+
			"leave sparse-gradients and buckets at 0", m.Form)
	case isNeural && s.HasTeacher():
		return fmt.Errorf("%v %w: leave out the teacher", m.Form, ErrNoTeacher)
	case !f.Recurrent() && s.WalkHops > 0:
		return fmt.Errorf("%s reads no paths: leave walk-hops at 0, or train a recurrent model, "+
			"such as rsn", m.kind())
	case f == form.RSN && s.WalkHops == 0:
		return errors.New("rsn learns from random walks: set walk-hops, such as 3")
	case f == form.RSN && s.InputDropout != 0:
		return errors.New("rsn drops outputs of its layers: leave input-dropout at 0, and set dropout")
	case s.Translate && f != form.Translated:
		return fmt.Errorf("%v has no heads to translate: switch translate off", m.Form)
	case m.Form.HasNorm():
		return fmt.Errorf("%v is the form of a trained model: train %v with batch-norm",
			m.Form, m.Form.WithoutNorm())
	case s.BatchNorm && !f.HasNorm():
		return fmt.Errorf("%s has no cores: switch batch-norm off, or train a model with cores, such as core-2",
			m.kind())
	case f.HasNorm() && !s.Reciprocal:
		return errors.New("batch normalization has no transpose, so that reverse relations must ask for " +
			"heads: set reciprocal")
	case f.HasNorm() && (m.Products != 0 || m.HasIVR()):
		return errors.New("products and IVR are not defined with batch normalization: " +
			"leave products, ivr and ivr-products at 0, or switch batch-norm off")
	case f.OneWay() && !s.Reciprocal:
		return fmt.Errorf("%v has no transpose, so that reverse relations must ask for heads: set reciprocal", f)
	case !isConvE && s.FeatureDropout != 0:
		return fmt.Errorf("%v has no feature maps: leave feature-dropout at 0", m.Form)
	case f == form.Translated && !s.Reciprocal:
		return errors.New("a translated model moves only heads, so that reverse relations must ask " +
			"for them: set reciprocal, or switch translate off")
	case !can.Products && s.Dropout != 0:
		return fmt.Errorf("%v scores by distances: leave dropout at 0", m.Form)
	case !can.Products && m.Products != 0:
		return fmt.Errorf("%v scores by distances: leave products and dura at 0", m.Form)
	case !can.Products && s.HasTeacher():
		return fmt.Errorf("%v scores by distances, which a temperature does not divide: "+
			"learn from a teacher with a model that scores by products, such as complex", f)
	case m.chunks()%max(1, m.N3Block) != 0:
		return fmt.Errorf("n3-block is %d: it must divide the number of chunks of %s, which is %d",
			m.N3Block, m.name(), m.chunks())
	case m.HasIVR() && f != form.Bilinear && f.Partitions() == 0:
		return fmt.Errorf("IVR is for structures and cores without translation, not for %v: "+
			"leave ivr and ivr-products at 0", f)
	case m.IVRPower != 0 && (m.IVRPower < 2 || 4*m.IVRPower != math.Trunc(4*m.IVRPower)):
		return fmt.Errorf("ivr-power is %v: it must be 0 or 2, 2.25, 2.5 and so on to 4", m.IVRPower)
	case m.Form.Partitions() == 0 && m.Orthogonality != 0:
		return fmt.Errorf("%s has no cores: leave orthogonality at 0", m.kind())
	case !can.RelationPrediction && m.RelationPrediction != 0:
		return fmt.Errorf("%v has no relation prediction: leave relation-prediction at 0", f)
	}
	return nil
}

// FormOf returns the form of a member's model.
func (s Settings) FormOf(m Member) form.Form {
	if s.Translate && m.Form == form.Bilinear {
		return form.Translated
	}
	if s.BatchNorm {
		return m.Form.WithNorm()
	}
	return m.Form
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

// kind returns the kind of the model in errors that no other structure avoids.
func (m Member) kind() string {
	if m.Form == form.Bilinear {
		return "a structure"
	}
	return m.Form.String()
}

// chunks returns the number of chunks of an embedding, 1 without a structure.
func (m Member) chunks() int { return max(1, m.Structure.K()) }

// dimStep returns a dimension of which the member can have every multiple.
func (m Member) dimStep() int { return m.Form.RoundDim(1, m.Structure) }

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
