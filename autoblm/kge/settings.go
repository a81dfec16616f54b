package kge

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Optimizer is the rule that turns gradients into updates.
type Optimizer int

const (
	// Adagrad divides by the root of the sum of all squared gradients so far
	// (eps 1e-10, sums from 0). The paper and most of the field use it.
	Adagrad Optimizer = iota
	// Adam keeps moving averages of the gradient and of its square (0.9, 0.999,
	// eps 1e-8), with bias correction.
	Adam
)

var optimizerNames = []string{"adagrad", "adam"}

func (o Optimizer) String() string { return enum.Name(optimizerNames, "optimizer", o) }

// MarshalText returns the name.
func (o Optimizer) MarshalText() ([]byte, error) {
	return enum.Marshal(optimizerNames, "optimizer", o)
}

// UnmarshalText reads "adagrad" or "adam".
func (o *Optimizer) UnmarshalText(text []byte) error {
	return enum.Unmarshal(optimizerNames, "optimizer", o, text)
}

// Initial is the distribution of initial embeddings.
type Initial int

const (
	// Normal draws from N(0, InitScale²).
	Normal Initial = iota
	// Xavier draws uniformly from [-a, a] with a = √(6/(rows + d)) for each table, as the
	// paper's authors do. It ignores InitScale.
	Xavier
	// XavierAll also draws the relations of forms with matrices or cores so, each as one row, as
	// KGE-DURA does. Otherwise they have a distribution of their own, which keeps norms on average.
	XavierAll
)

var initialNames = []string{"normal", "xavier", "xavier-all"}

func (i Initial) String() string { return enum.Name(initialNames, "initial distribution", i) }

// MarshalText returns the name.
func (i Initial) MarshalText() ([]byte, error) {
	return enum.Marshal(initialNames, "initial distribution", i)
}

// UnmarshalText reads "normal", "xavier" or "xavier-all".
func (i *Initial) UnmarshalText(text []byte) error {
	return enum.Unmarshal(initialNames, "initial distribution", i, text)
}

// Settings are shared by all members of a population. Start from [DefaultSettings]. Package
// internal/settings checks the limits in the tags; the command line makes flags of them.
type Settings struct {
	// Dim is d, a multiple of the number of chunks K.
	Dim int `json:"dim" min:"1" max:"1048576" brief:"Dimension of the embeddings." help:"Dimension of the embeddings, a multiple of the number of chunks."`
	// Epochs is the number of passes over the training examples.
	Epochs int `json:"epochs" min:"1" max:"1000000000" brief:"Number of training epochs." help:"Number of training epochs."`
	// Batch is the number of examples per step. A triple asks for its tail and for its head.
	Batch     int       `json:"batch" min:"1" max:"1000000000" brief:"Training examples per step." help:"Training examples per step."`
	Optimizer Optimizer `json:"optimizer" own:"Optimizer: adagrad or adam." help:"Optimizer: adagrad or adam."`
	// Precision is resolved when training starts, see [Job.Resolve].
	Precision Precision `json:"precision,omitempty" help:"Precision of large products: float32, bfloat16 (factors are rounded) or auto. auto takes AUTOBLM_PRECISION, or else bfloat16 where it is faster on this processor, graph and dimension."`
	Decay     float64   `json:"decay" above:"0" max:"1" own:"Factor on the learning rate after each epoch." help:"Factor on the learning rate after each epoch."`
	// Cooldown gives the i-th of the last n epochs the share 1-i/(n+1) of the learning rate. It is n
	// from 1 on, and below it n's share of the epochs.
	Cooldown float64 `json:"cooldown,omitempty" min:"0" max:"1000000000" help:"Last epochs with linear decay of the learning rate towards 0, such as 10, or their share below 1, such as 0.5; 0: none."`
	Initial  Initial `json:"initial,omitempty" name:"init" help:"Initial distribution of embeddings: normal, xavier, or xavier-all, where matrices of relations too are drawn by the bound of their table."`
	// InitScale is ignored by [Xavier] and [XavierAll].
	InitScale float64 `json:"init_scale" above:"0" with:"init=normal" help:"Standard deviation of initial embeddings, for normal."`
	// DataSeed decides the order of the examples in every epoch.
	DataSeed      uint64 `json:"data_seed" kong:"-" help:"Seed of the order of training examples."`
	ValidateEvery int    `json:"validate_every" min:"0" max:"1000000000" brief:"Epochs between validations; the best epoch is kept." help:"Epochs between validations; the best validated epoch is kept. 0 never validates and keeps the last epoch."`
	// ValidateSample keeps its value when a deadline reduces the sample; see [Report.ValidatedBy].
	ValidateSample int `json:"validate_sample,omitempty" min:"0" max:"1000000000" help:"Validate during training on a random sample of this size; 0: on all."`
	Patience       int `json:"patience" min:"0" max:"1000000000" help:"Stop after this number of validations without improvement; 0: never."`
	// PlateauPatience reduces the learning rate of each member on its own.
	PlateauPatience int `json:"plateau_patience,omitempty" min:"0" max:"1000000000" help:"Reduce the learning rate after this number of validations without improvement; 0: never."`
	// PlateauFactor is 0 if and only if PlateauPatience is 0.
	PlateauFactor float64 `json:"plateau_factor,omitempty" min:"0" below:"1" needs:"plateau-patience" default:"0.5" placeholder:"NUMBER" help:"Factor on the learning rate when plateau-patience reduces it. Default: 0.5."`
	// Reciprocal gives each relation r a reverse with its own embedding, row R+r. The head
	// query of (h, r, t) becomes the tail query of (t, reverse of r, h), and no query uses the
	// transpose of g(A, r) (Lacroix et al., 2018).
	Reciprocal bool `json:"reciprocal,omitempty" negatable:"" brief:"Separate embeddings for reverse relations." help:"Learn separate embeddings for reverse relations, used where a relation is walked backwards."`
	// Translate gives each relation a vector that is added to the head, see [form.Translated].
	Translate bool `json:"translate,omitempty" negatable:"" help:"Give each relation a vector that is added to the head, as BiQUE does; with reciprocal."`
	// BatchNorm normalizes the coordinates of the heads and queries of a batch, see [form.Form.WithNorm].
	BatchNorm bool `json:"batch_norm,omitempty" negatable:"" own:"Normalize the heads and queries of each batch." help:"Normalize the heads and queries of each batch, as TuckER and MEIM do; for models with cores, with reciprocal."`
	// Dropout scales the remaining coordinates by 1/(1-Dropout). With RSN it drops the outputs of each
	// layer instead.
	Dropout float64 `json:"dropout,omitempty" min:"0" below:"1" own:"Share of a query to drop in training." help:"Share of the coordinates of each query that are dropped in a training step."`
	// InputDropout drops coordinates of the embedding at which a query starts, before its first
	// relation. Penalties and answers use the whole embedding.
	InputDropout float64 `json:"input_dropout,omitempty" min:"0" below:"1" own:"Share of a query's entity to drop in training." help:"Share of the coordinates of the entity of each query that are dropped in a training step."`
	// Frequency f weighs an answer that is in n training triples by 1-f + f·n/N, where N is
	// the largest n of an entity. The weights of a batch are scaled to mean 1, and other
	// weights multiply them. The authors'
	// DURA runs on WN18RR have 0.9.
	Frequency float64 `json:"frequency,omitempty" min:"0" max:"1" help:"Share of an answer's weight that grows with the entity's number of training triples."`
	// SampledSoftmax n > 0 replaces the log-loss over all N entities by one over n entities,
	// drawn uniformly for all queries of a step. Each drawn entity counts as N/n entities; the
	// answer is added if it is not drawn (Jean et al., 2015).
	SampledSoftmax int `json:"sampled_softmax,omitempty" min:"0" max:"1000000000" help:"Sampled softmax: number of entities drawn per step, such as 2048; faster on large graphs. 0: full softmax."`
	// SparseGradients n > 0 keeps the log-loss over all entities, but from the second epoch on
	// gives gradients to few entities per query: those with probability ≥ 1/n, and a random
	// choice of the others as if theirs were 1/n. The expected gradient is the full one. In the
	// first epoch most probabilities are alike, so its gradients are dense. The engine gomlx computes
	// the full gradient.
	SparseGradients int `json:"sparse_gradients,omitempty" min:"0" max:"1000000000" help:"From the second epoch on, update about this number of entities per query, such as 256: the most probable and a random choice of the others. 0: all."`
	// AnswersPerQuery n > 0 splits triples into tail queries and, through the reverse relation,
	// head queries, 2·Batch of them per step. In each epoch the answers of a query are
	// divided into groups of n. A step has whole groups, apart from those at its ends, and so computes
	// each query once for several answers. Each triple is learned as often and with the same loss as
	// without.
	AnswersPerQuery int `json:"answers_per_query,omitempty" min:"0" max:"1000000000" help:"Query grouping: learn up to this number of answers of a query in the same step, such as 8; faster if queries have many answers. 0: no grouping."`
	// Buckets n > 1 divides the entities into n ranges. An epoch has LoadedBuckets of them in memory
	// at a time, in an order in which each two meet. Triples train when both of their ends are in
	// memory, among candidates that are.
	Buckets int `json:"buckets,omitempty" min:"0" max:"1024" help:"Groups of entities that train one after the other, with sampled-softmax. Four groups are in memory at a time, which matters for tables in files (train --tables); 0 or 1: no groups."`
	// MaxNorm applies to each of the two vectors of an entity of a recurrent model.
	MaxNorm float64 `json:"max_norm,omitempty" min:"0" own:"Largest norm of entity embeddings; 0: unlimited." help:"Largest norm of entity embeddings, enforced after each step; 0: unlimited."`
	// RelationRate multiplies the learning rate of the tables of relations, such as RotatE's angles,
	// whose numbers are larger than those of entities.
	RelationRate    float64 `json:"relation_rate,omitempty" min:"0" own:"Factor on the learning rate of relations." help:"Factor on the learning rate of relations; 0: the same as that of entities."`
	MaxSteps        int     `json:"max_steps,omitempty" min:"0" max:"1000000000" help:"Largest number of steps per epoch, for timing; 0: unlimited."`
	LossFunction    `kong:"-"`
	Sampling        `kong:"-"`
	SelfAdversarial `kong:"-"`
	Convolution     `kong:"-"`
	Walks           `kong:"-"`
	// Distillation applies to triples.
	Distillation `kong:"-"`
	// Encoding applies to triples.
	Encoding `kong:"-"`
}

// Sampling selects the negative sampling loss, for paths and for triples.
type Sampling struct {
	// Negatives n > 0 replaces the log-loss over all entities. The query of a path then learns one of
	// its answers and n random entities that are no answers, drawn in each step, with the loss
	// -log σ(Margin + score) - mean log σ(-Margin - score)
	// (paper, Section V-B; Ren et al., 2020). Each 48 triples of a batch share n entities, without
	// the training answers of each query.
	Negatives int     `json:"negatives,omitempty" min:"0" max:"65536" own:"Negative sampling: entities drawn, such as 256." help:"Negative sampling: number of entities drawn per query, or per 48 triples, such as 256. 0: log-loss over all entities."`
	Margin    float64 `json:"margin,omitempty" placeholder:"MARGIN" needs:"negatives" own:"Margin added to scores with negatives." help:"Margin added to scores with negative sampling. Default: 24 for distance models with dimension 400, and proportionally less for smaller ones."`
}

// SelfAdversarial adds to the negative sampling of triples.
type SelfAdversarial struct {
	// AdversarialTemperature weighs the negatives of a triple's query by the softmax of their scores
	// times the temperature; gradients take the weights for constants (Sun et al., 2019, Equations 5
	// and 6).
	AdversarialTemperature float64 `json:"adversarial_temperature,omitempty" min:"0" placeholder:"NUMBER" needs:"negatives" own:"Weigh negatives by a softmax of scores." help:"Self-adversarial negative sampling: weigh negatives by a softmax of their scores times this number. 0 weighs all alike. Default: 1."`
	// Subsampling weighs a triple by 1/√(n+6) as the program of Sun et al. does, where n is the number
	// of training answers of its two queries. The weights of a batch are scaled to mean 1, and other
	// weights multiply them.
	Subsampling bool `json:"subsampling,omitempty" negatable:"" needs:"negatives" own:"Weigh frequent queries less." help:"With negative sampling, give triples less weight whose queries have many training answers."`
}

// Convolution has settings of ConvE. There InputDropout drops numbers of the image, and Dropout those
// of the product with W, before its normalization.
type Convolution struct {
	// FeatureDropout drops whole maps of a query.
	FeatureDropout float64 `json:"feature_dropout,omitempty" min:"0" below:"1" own:"Share of feature maps to drop in training." help:"With ConvE: share of the feature maps of each query that are dropped in a training step."`
}

// WalksPerTriple is the number of random walks of an epoch that start with a triple, in each
// direction, as in the program of Zhang et al. (2020).
const WalksPerTriple = 2

// Walks selects paths from random walks, which recurrent models read.
type Walks struct {
	// WalkHops n > 0 replaces triples by paths of n hops. Each triple starts [WalksPerTriple] in each
	// direction and epoch. A path teaches the entity after each of its hops, given those before, and
	// with RSN the relation of each hop too. Batch is a number of paths.
	WalkHops int `json:"walk_hops,omitempty" min:"0" max:"64" own:"Length of random walks to learn from, such as 3." help:"With Interstellar and RSN: length of the random walks to learn from, such as 3. 0: triples, which RSN does not learn."`
}

// DefaultSettings returns settings that are small enough for a laptop: d 64, 60 epochs,
// batches of 256, Adagrad.
func DefaultSettings() Settings {
	return Settings{Dim: 64, Epochs: 60, Batch: 256, Decay: 1, InitScale: 0.1, DataSeed: 1}
}

// LoadedBuckets is the number of buckets in memory at a time; see [Settings.Buckets].
const LoadedBuckets = 4

// Candidates returns the number of entities in the softmax of a step.
func (s Settings) Candidates(entities int) int {
	if s.SampledSoftmax == 0 {
		return entities
	}
	return min(s.SampledSoftmax, entities)
}

// In returns the settings of an epoch, from 1.
func (s Settings) In(epoch int) Settings {
	if epoch == 1 {
		s.SparseGradients = 0
	}
	return s
}

// Validate returns an error if the settings do not fit structures of k chunks.
func (s Settings) Validate(k int) error {
	if k < 1 {
		return fmt.Errorf("the structure has %d chunks: at least 1 is needed", k)
	}
	if s.Dim < 1 || s.Dim%k != 0 {
		next := max(1, (s.Dim+k-1)/k) * k
		return fmt.Errorf("dim is %d: it must be a positive multiple of the %d chunks of "+
			"the structure, such as %d", s.Dim, k, next)
	}
	if err := settings.Check(s); err != nil {
		return err
	}
	if err := s.validatePatience(); err != nil {
		return err
	}
	if err := s.validateDistillation(); err != nil {
		return err
	}
	if err := s.validateBCE(); err != nil {
		return err
	}
	return s.validateLoss()
}

// SkipValidation sets all that needs validation to 0, so that a training keeps its last epoch.
func (s *Settings) SkipValidation() {
	s.ValidateEvery, s.Patience, s.PlateauPatience, s.PlateauFactor = 0, 0, 0, 0
}

// validatePatience checks the settings that need validation.
func (s Settings) validatePatience() error {
	switch {
	case s.PlateauPatience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("plateau-patience is %d but nothing is validated: "+
			"set validate-every too", s.PlateauPatience)
	case s.PlateauPatience > 0 && s.PlateauFactor == 0:
		return errors.New("plateau-factor is 0: it must be above 0 and below 1, such as 0.5")
	case s.Patience > 0 && s.ValidateEvery == 0:
		return fmt.Errorf("patience is %d but nothing is validated: set validate-every too",
			s.Patience)
	}
	return nil
}

// CheckTemperature returns an error if the negatives of paths are to be weighed.
func (s Settings) CheckTemperature(d *Data) error {
	if s.AdversarialTemperature > 0 && !d.BothDirections {
		return errors.New("only the negatives of triples are weighed, not those of paths: " +
			"leave adversarial-temperature at 0")
	}
	return nil
}

// validateLoss checks that only one variant of the loss is selected.
func (s Settings) validateLoss() error {
	switch {
	case s.Negatives > 0 && s.SampledSoftmax > 0:
		return fmt.Errorf("negatives is %d and sampled-softmax is %d: "+
			"they are two losses; leave one of them at 0", s.Negatives, s.SampledSoftmax)
	case s.Negatives > 0 && s.SparseGradients > 0:
		return fmt.Errorf("negatives is %d and sparse-gradients is %d: "+
			"they exclude each other; leave one of them at 0", s.Negatives, s.SparseGradients)
	case s.Negatives > 0 && s.AnswersPerQuery > 0:
		return fmt.Errorf("negatives is %d and answers-per-query is %d: "+
			"they exclude each other; leave one of them at 0", s.Negatives, s.AnswersPerQuery)
	case s.Negatives == 0 && (s.AdversarialTemperature > 0 || s.Subsampling):
		return errors.New("adversarial-temperature and subsampling are parts of negative sampling: " +
			"set negatives, such as 256, or leave them out")
	case s.WalkHops > 0 && (s.Loss != LogLoss || s.Negatives > 0 || s.AnswersPerQuery > 0 || s.Buckets > 1):
		return errors.New("walk-hops is for the log-loss of single paths: leave out negatives, " +
			"answers-per-query, buckets and other losses, or set walk-hops to 0")
	case s.AnswersPerQuery != 0 && !s.Reciprocal:
		return fmt.Errorf("answers-per-query is %d without reverse relations: "+
			"set reciprocal, or leave answers-per-query at 0", s.AnswersPerQuery)
	case s.Buckets > 1 && s.SampledSoftmax == 0:
		return fmt.Errorf("buckets is %d with a softmax over all entities: "+
			"set sampled-softmax, such as 256, or leave buckets at 0", s.Buckets)
	case s.Buckets > 1 && s.Optimizer != Adagrad:
		return fmt.Errorf("buckets is %d with %s: set optimizer to adagrad", s.Buckets, s.Optimizer)
	case s.Buckets > 1 && s.AnswersPerQuery > 0:
		return fmt.Errorf("buckets is %d and answers-per-query is %d: "+
			"they exclude each other; set one of them to 0", s.Buckets, s.AnswersPerQuery)
	case s.Buckets > 1 && s.MaxNorm > 0:
		return fmt.Errorf("buckets is %d and max-norm is %g: they exclude each other; set one of them to 0",
			s.Buckets, s.MaxNorm)
	}
	return nil
}
