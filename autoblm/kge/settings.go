package kge

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/settings"
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

func (o Optimizer) String() string { return enum.Of(optimizerNames, "optimizer", o) }

// MarshalText writes the name.
func (o Optimizer) MarshalText() ([]byte, error) {
	return enum.Marshal(optimizerNames, "optimizer", o)
}

// UnmarshalText reads "adagrad" or "adam".
func (o *Optimizer) UnmarshalText(text []byte) error {
	return enum.Unmarshal(optimizerNames, "optimizer", o, text)
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

func (i Initial) String() string { return enum.Of(initialNames, "initial distribution", i) }

// MarshalText writes the name.
func (i Initial) MarshalText() ([]byte, error) {
	return enum.Marshal(initialNames, "initial distribution", i)
}

// UnmarshalText reads "normal" or "xavier".
func (i *Initial) UnmarshalText(text []byte) error {
	return enum.Unmarshal(initialNames, "initial distribution", i, text)
}

// Settings are what all members of a population share. [DefaultSettings] is
// the place to start from. Their tags are read by package internal/settings and by the
// parser of command lines.
type Settings struct {
	// Dim is d, a multiple of the number of chunks K.
	Dim int `json:"dim" min:"1" max:"1048576" brief:"Dimension of the embeddings." help:"Dimension of the embeddings, a multiple of the chunks."`
	// Epochs is the number of passes over the training triples.
	Epochs int `json:"epochs" min:"1" max:"1000000000" brief:"Passes over what is trained on." help:"Passes over what is trained on."`
	// Batch is the number of triples in a step; each is a tail query and a head query.
	Batch     int       `json:"batch" min:"1" max:"1000000000" brief:"Examples that a step learns from." help:"Examples that a step learns from."`
	Optimizer Optimizer `json:"optimizer" help:"The update rule: adagrad or adam."`
	// Precision is [AutoPrecision] only until a training begins; see [Job.Settled].
	Precision Precision `json:"precision,omitempty" help:"What the large products are computed in: float32, bfloat16, whose factors are rounded while all else stays float32, or auto: what AUTOBLM_PRECISION asks for, else bfloat16 where the processor is faster by it and the graph and the dimension are large enough for it to pay."`
	// Decay 1 keeps the learning rate.
	Decay float64 `json:"decay" above:"0" max:"1" help:"Factor on the learning rate after each epoch."`
	// Warmup is linear: of n epochs, the i-th has i/(n+1) of the learning rate.
	Warmup int `json:"warmup,omitempty" min:"0" max:"1000000000" help:"Let the learning rate rise over so many epochs before it is reached; 0 begins with all of it."`
	// Cooldown is linear: of the last n of Epochs, the i-th has 1-i/(n+1) of the learning rate.
	// Steps at a constant rate keep a model somewhat away from where they lead.
	Cooldown int     `json:"cooldown,omitempty" min:"0" max:"1000000000" help:"Let the learning rate fall evenly towards 0 over the last so many epochs, as 10; 0 ends with all of it."`
	Initial  Initial `json:"initial,omitempty" name:"init" help:"Distribution of the first embeddings: normal or xavier."`
	// InitScale is not used by [Xavier].
	InitScale float64 `json:"init_scale" above:"0" help:"Standard deviation of the first embeddings, if normal."`
	// DataSeed decides the order of the triples in every epoch.
	DataSeed uint64 `json:"data_seed" kong:"-" help:"Decides the order of the examples."`
	// ValidateEvery ranks the validation triples.
	ValidateEvery int `json:"validate_every" min:"0" max:"1000000000" brief:"Validate after so many epochs, keep the best." help:"Validate after every so many epochs and keep the best epoch; 0 keeps the last."`
	Patience      int `json:"patience" min:"0" max:"1000000000" help:"Stop after so many validations without a better one; 0 never."`
	// PlateauPatience lowers the rate of the member that does not get better.
	PlateauPatience int `json:"plateau_patience,omitempty" min:"0" max:"1000000000" help:"Lower the learning rate after so many validations in a row without a better one; 0 never."`
	// PlateauFactor is above 0 where there is PlateauPatience, and 0 where there is none.
	PlateauFactor float64 `json:"plateau_factor,omitempty" min:"0" below:"1" beside:"plateau-patience" default:"0.5" help:"Factor on the learning rate then."`
	// Reciprocal gives each relation r a reverse with an embedding of its own, row
	// R+r: the query for the head of (h, r, t) is then the query for the tail of
	// (t, reverse of r, h), and no query is asked through the transpose of g(A, r)
	// (Lacroix et al., 2018).
	Reciprocal bool `json:"reciprocal,omitempty" negatable:"" brief:"Embed the reverses of relations, too." help:"Give each relation a reverse with an embedding of its own, which is asked where the relation is walked backwards."`
	// Dropout divides the coordinates that are left by 1-Dropout. Boxes (Query2box) have no end
	// along those that are dropped, and nothing is divided.
	Dropout float64 `json:"dropout,omitempty" min:"0" below:"1" help:"Share of a query's coordinates that are set to 0 in a step; of Query2box, along which its box has no end."`
	// LabelSmoothing spreads evenly.
	LabelSmoothing float64 `json:"label_smoothing,omitempty" min:"0" below:"1" help:"Share of a true entity that is spread over all entities."`
	// Frequency f weighs an answer that is in n training triples by 1-f + f·n/N, where N is that of the
	// entity that is in most; the weights of a batch are scaled to a mean of 1. The runs of
	// DURA on WN18RR have 0.9.
	Frequency float64 `json:"frequency,omitempty" min:"0" max:"1" help:"Share of an answer's weight that goes by how often the entity is in training triples; the mean weight stays 1."`
	// SampledSoftmax n > 0 takes the log-loss over n entities, drawn evenly for all queries of a
	// step, in the place of that over all N: each stands for N/n of them, beside the
	// answer, which stands for itself if it is not drawn (Jean et al., 2015).
	SampledSoftmax int `json:"sampled_softmax,omitempty" min:"0" max:"1000000000" help:"Learn each answer among so many entities, drawn anew in each step, as 2048, which takes less time than among all on graphs with many; 0, which is usual, among all."`
	// SparseGradients n > 0 keeps the log-loss over all entities, and from the second epoch on gives
	// a slope to few of each question: to those with a probability of 1/n or more, and by
	// chance to some of the others, as if theirs were 1/n, so that the mean over the draws is the
	// whole gradient. In the first epoch most probabilities are alike.
	SparseGradients int `json:"sparse_gradients,omitempty" min:"0" max:"1000000000" help:"From the second epoch on, move at most about so many entities by each question, as 256: the likeliest, and some by chance in the place of the others; 0, which is usual, moves all, which takes more time."`
	// AnswersPerQuery n > 0 learns each triple one way at a time, for its tail or by the reverse
	// for its head, 2·Batch of them in a step: the answers of each question are dealt to
	// lots of n, anew in each epoch, and steps have whole lots, so that they ask each
	// question once for several answers. Each triple is learnt as often and by the same loss
	// as without.
	AnswersPerQuery int     `json:"answers_per_query,omitempty" min:"0" max:"1000000000" help:"Learn up to so many answers of a question in the same step, as 8, and ask it once for all of them, which takes less time on graphs whose questions have many; 0, which is usual, leaves the triples of a step to chance."`
	MaxNorm         float64 `json:"max_norm,omitempty" min:"0" help:"Shorten longer embeddings of entities to this norm after each step; 0 never."`
	MaxSteps        int     `json:"max_steps,omitempty" min:"0" max:"1000000000" help:"Stop each epoch after so many steps, for timing; 0 never."`
	// Sampling is for questions with several answers.
	Sampling `kong:"-"`
}

// Sampling is the loss by drawn entities, by which paths can be learnt.
type Sampling struct {
	// Negatives, when positive, takes the place of the log-loss over all entities, by
	// which every form can be trained and usually is: a query learns its drawn answer
	// and so many entities that are no answer, drawn anew each step, by
	// -log σ(Margin + score) - mean log σ(-Margin - score) (paper, Section V-B; Ren et
	// al., 2020).
	Negatives int     `json:"negatives,omitempty" min:"0" max:"65536" help:"Learn from so many drawn entities that are no answer, as 128, rather than from all; 0, which is usual, from all."`
	Margin    float64 `json:"margin,omitempty" placeholder:"MARGIN" help:"What is added to scores where there are negatives; for the models of distances 24 for 400 coordinates and less for fewer, if nothing is said; else 0."`
}

// DefaultSettings are small enough for a laptop: d 64, 60 epochs, batches of
// 256, Adagrad.
func DefaultSettings() Settings {
	return Settings{Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1}
}

// Among is how many of so many entities the answers of a step are learnt among.
func (s Settings) Among(entities int) int {
	if s.SampledSoftmax == 0 {
		return entities
	}
	return min(s.SampledSoftmax, entities)
}

// In are the settings of an epoch, from 1.
func (s Settings) In(epoch int) Settings {
	if epoch == 1 {
		s.SparseGradients = 0
	}
	return s
}

// Validate says what is wrong with the settings for structures of k chunks.
func (s Settings) Validate(k int) error {
	switch {
	case k < 1:
		return fmt.Errorf("the structure has %d chunks: at least 1 is needed", k)
	case s.Dim < 1 || s.Dim%k != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of the %d chunks of the structure, as %d", s.Dim, k, max(1, (s.Dim+k-1)/k)*k)
	}
	if err := settings.Check(s); err != nil {
		return err
	}
	switch {
	case s.PlateauPatience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("plateau-patience is %d but nothing is validated: set validate-every too", s.PlateauPatience)
	case s.PlateauPatience > 0 && s.PlateauFactor == 0:
		return errors.New("plateau-factor is 0: it must be above 0 and below 1, as 0.5")
	case s.Negatives > 0 && s.SampledSoftmax > 0:
		return fmt.Errorf("negatives is %d and sampled-softmax is %d: they are two losses, so leave one of them at 0", s.Negatives, s.SampledSoftmax)
	case s.Negatives > 0 && s.SparseGradients > 0:
		return fmt.Errorf("negatives is %d and sparse-gradients is %d: they are two losses, so leave one of them at 0", s.Negatives, s.SparseGradients)
	case s.AnswersPerQuery != 0 && !s.Reciprocal:
		return fmt.Errorf("answers-per-query is %d but relations have no reverses, by which triples are learnt one way: set reciprocal, or leave answers-per-query at 0", s.AnswersPerQuery)
	case s.AnswersPerQuery != 0 && s.LabelSmoothing != 0:
		return errors.New("questions are asked once for several answers and labels are smoothed: leave answers-per-query or label-smoothing at 0")
	case s.Patience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("patience is %d but nothing is validated: set validate-every too", s.Patience)
	}
	return nil
}

// Member is what one model of a population has for itself.
type Member struct {
	Form form.Form `json:"form,omitzero" kong:"-"`
	// Structure is that of a bilinear model, and no other has one.
	Structure    structure.Structure `json:"structure,omitzero" kong:"-"`
	Seed         uint64              `json:"seed" brief:"Decides the initial embeddings." help:"Decides the initial embeddings."`
	LearningRate float64             `json:"learning_rate" name:"lr" above:"0" brief:"Learning rate of the first epoch." help:"Learning rate of the first epoch."`
	Weights
}

// Weights are of what a member adds to its cross entropy. Means are over the
// triples of the batch, sums over coordinates. With reciprocal relations a
// triple is learnt in both directions, (h, r, t) and (t, reverse of r, h), and
// each term is the mean of the two.
type Weights struct {
	// L2 weighs the mean of |h|²+|r|²+|t|².
	L2 float64 `json:"l2" name:"l2" min:"0" help:"Weight of the squared norms of entities and relations."`
	// N3 weighs the mean of Σ|h|³+|r|³+|t|³ (Lacroix et al., 2018).
	N3 float64 `json:"n3" name:"n3" min:"0" brief:"Weight of the cubed norms of embeddings." help:"Weight of the cubed norms of entities and relations."`
	// N3Moduli takes chunks i and i+K/2 as real and imaginary parts, and the moduli of
	// these complex numbers for N3, as Lacroix et al. do for ComplEx, rather than each
	// coordinate. It is for structures of an even K. Equivalent structures pair different
	// chunks, so that they train alike only without it.
	N3Moduli bool `json:"n3_moduli,omitempty" name:"n3-moduli" negatable:"" beside:"n3" help:"Take n3 of the moduli of complex numbers, whose imaginary parts are the second half of the chunks, as is published for ComplEx, rather than of each coordinate."`
	// EntityL2 weighs the mean of |h|²+|t|², and Products that of
	// |hᵀg(A,r)|²+|g(A,r)t|². Equal, they are DURA (Zhang et al., 2020), whose
	// authors' best runs have them in the ratio of 1 to 3.
	EntityL2 float64 `json:"entity_l2,omitempty" name:"entity-l2" min:"0" help:"Weight of the squared norms of entities."`
	// RelationL2 weighs the mean of |r|². With the authors' programs it is their λ
	// divided by the batch size.
	RelationL2 float64 `json:"relation_l2,omitempty" name:"relation-l2" min:"0" help:"Weight of the squared norms of relations."`
	Products   float64 `json:"products,omitempty" min:"0" help:"Weight of the squared norms of the products of entities with the relation, or with the path."`
	// RelationPrediction weighs the mean cross entropy of the true relation among all
	// relations, given head and tail (Chen et al., 2021). With reciprocal relations
	// it is, as the cross entropy of the entities, the sum of both directions, each
	// among all 2R relations.
	RelationPrediction float64 `json:"relation_prediction,omitempty" min:"0" help:"Weight of the cross entropy of the relation, given both entities."`
}

// DefaultMember is a member with the given structure, seed 1, learning rate
// 0.3 and no regularization.
func DefaultMember(s structure.Structure) Member {
	return Member{Structure: s, Seed: 1, LearningRate: 0.3}
}

// Validate says what is wrong with the member.
func (m Member) Validate() error {
	if _, err := m.Form.Spec().Structure(m.Structure); err != nil {
		return err
	}
	return settings.Check(m)
}

// name is what the member trains, for errors.
func (m Member) name() string {
	if m.Form == form.Bilinear {
		return "structure " + m.Structure.String()
	}
	return m.Form.String()
}

// ValidateFor says what is wrong with a member under the settings.
func (s Settings) ValidateFor(m Member) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := s.Validate(m.chunks()); err != nil {
		return err
	}
	switch {
	case s.Frequency != 0 && s.LabelSmoothing != 0:
		return errors.New("answers are weighed by frequency and labels are smoothed: leave frequency or label-smoothing at 0")
	case !m.Form.Capabilities().Dropout && s.Dropout != 0:
		return fmt.Errorf("%v does not drop coordinates of queries: leave dropout at 0", m.Form)
	case !m.Form.Capabilities().Products && (s.LabelSmoothing != 0 || m.Products != 0):
		return fmt.Errorf("%v has no products to smooth labels by or to penalize: leave label smoothing and products at 0", m.Form)
	case m.N3Moduli && (m.Form != form.Bilinear || m.chunks()%2 != 0):
		return fmt.Errorf("%s has no pairs of chunks whose moduli n3 could take: switch n3-moduli off", m.name())
	case !m.Form.Capabilities().RelationPrediction && m.RelationPrediction != 0:
		return fmt.Errorf("%v does not predict relations: leave relation-prediction at 0", m.Form)
	}
	return nil
}

// chunks are those of an embedding, 1 where there is no structure.
func (m Member) chunks() int { return max(1, m.Structure.K()) }

// validatePopulation says what is wrong with members that are to train together.
func validatePopulation(s Settings, members []Member) error {
	if len(members) == 0 {
		return errors.New("there is nothing to train: at least one member is needed")
	}
	for i, m := range members {
		err, first := m.Validate(), members[0]
		switch {
		case err != nil:
		case m.Form != first.Form || m.chunks() != first.chunks():
			err = fmt.Errorf("its form is %v with K=%d, that of member 0 is %v with K=%d: one population has one form and one K", m.Form, m.chunks(), first.Form, first.chunks())
		default:
			err = s.ValidateFor(m)
		}
		if err != nil && len(members) > 1 {
			return fmt.Errorf("member %d: %w", i, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Fits says so if the tables of the members, what the optimizer remembers of them, and so many
// bytes beside that need more memory than there is.
func Fits(d *Data, s Settings, members []Member, beside float64) error {
	const drawn = 36 // bytes, of an entity that is no answer
	bytes := beside + stateBytes(d, s, members) + drawn*float64(s.Negatives)*float64(min(s.Batch, d.Count))
	what := fmt.Sprintf("training %s with dim %d on %s and %s", format.Count(len(members), "member"), s.Dim, format.Count(len(d.Entities), "entity"), format.Count(len(d.Relations), "relation"))
	return memory.Check(bytes, what, "take a smaller dim, smaller batches, fewer members at a time, or fewer negatives")
}

// stateBytes is how many bytes the tables of the members take, with what the optimizer
// remembers of them.
func stateBytes(d *Data, s Settings, members []Member) float64 {
	directions, tables := 1.0, float64(len(d.Entities))*float64(s.Dim)
	if s.Reciprocal {
		directions = 2
	}
	for _, t := range members[0].Form.Spec().Tables(s.Dim) {
		tables += directions * float64(len(d.Relations)) * float64(t.Rows) * float64(t.Columns)
	}
	copies := 2.0 // with Adagrad's sums
	if s.Optimizer == Adam {
		copies = 3
	}
	const float = 4 // bytes
	return float * copies * tables * float64(len(members))
}
