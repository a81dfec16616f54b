package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// TuneSettings are the settings of a stage that tunes recipes. Before the search, it tries random
// recipes on SimplE and passes the best one to the search, in place of the learning rate, n3 and
// batch of [Settings]. After the search, each model gets a recipe of its own.
type TuneSettings struct {
	Trials int `json:"trials" min:"1" max:"10000" help:"Recipes to try."`
	// Ranges have no Dims; the search determines the dimension.
	Ranges Ranges `json:"ranges"`
	// Space replaces Ranges if it is not nil. Recipes are then tried on the best two baselines
	// in place of SimplE, for a third of the epochs first. A Parzen estimator draws them.
	Space *Space `json:"space,omitempty"`
}

// FinalSettings are the settings of the final stage, which trains random ones of the best
// structures with random recipes.
type FinalSettings struct {
	Trials int    `json:"trials" min:"1" max:"10000" help:"Trainings after the search."`
	Ranges Ranges `json:"ranges"`
	// Epochs, ValidateEvery and Patience replace those of the search.
	Epochs        int `json:"epochs" min:"1" max:"1000000000" help:"Epochs in the final stage."`
	ValidateEvery int `json:"validate_every" min:"0" max:"1000000000" help:"Epochs between validations in the final stage."`
	Patience      int `json:"patience" min:"0" max:"1000000000" help:"Validations without improvement before a training of the final stage stops; 0: never."`
}

// Ranges are the ranges that random recipes come from (paper, Algorithm 5).
type Ranges struct {
	// LearningRate is uniform in the half-open interval above the first number.
	LearningRate [2]float64 `json:"learning_rate" help:"Range of learning rates."`
	// N3 is uniform in its logarithm.
	N3 [2]float64 `json:"n3" help:"Range of weights n3."`
	// Batches and Dims are uniform.
	Batches []int `json:"batches" min:"1" max:"1000000000" help:"Batch sizes to draw from."`
	Dims    []int `json:"dims" min:"1" max:"1048576" help:"Dimensions to draw from; none: that of the search."`
}

// Penalty is a kind of penalty on embeddings.
type Penalty string

// The kinds of penalties, each with its own weights. A recipe without a penalty counts as N3.
const (
	N3Penalty   Penalty = "n3"
	DuraPenalty Penalty = "dura"
	IVRPenalty  Penalty = "ivr"
)

// PenaltyOf returns the kind of penalty of some weights: IVR or DURA if they have one, even with
// N3.
func PenaltyOf(w kge.Weights) Penalty {
	switch {
	case w.HasIVR():
		return IVRPenalty
	case w.EntityL2 > 0 || w.Products > 0:
		return DuraPenalty
	}
	return N3Penalty
}

// Space lists the values that tuning tries for each field of a recipe, in ascending order, so that
// neighbors are similar. Tuning also tries the value of the initial recipe. A field without values
// keeps its initial value. Tags name the flags of the fields.
type Space struct {
	// Penalties are the kinds to choose from: a recipe that changes its kind loses the weights of
	// the others. Without them, the weights of several kinds are combined.
	Penalties []Penalty `json:"penalties,omitempty"`
	// Translate are values of [kge.Settings.Translate], for recipes with reverse relations.
	Translate     []bool    `json:"translate,omitempty" flag:"translate"`
	Dims          []int     `json:"dims,omitempty" flag:"dim"`
	Batches       []int     `json:"batches,omitempty" flag:"batch"`
	LearningRates []float64 `json:"learning_rates,omitempty" flag:"lr"`
	// Negatives are values of [kge.Sampling.Negatives], where 0 is the log-loss. Margins,
	// Temperatures and Subsampling apply to recipes with negatives.
	Negatives    []int     `json:"negatives,omitempty" flag:"negatives"`
	Margins      []float64 `json:"margins,omitempty" flag:"margin"`
	Temperatures []float64 `json:"temperatures,omitempty" flag:"adversarial-temperature"`
	Subsampling  []bool    `json:"subsampling,omitempty" flag:"subsampling"`
	// LabelSmoothings apply to recipes with binary cross entropy.
	LabelSmoothings []float64 `json:"label_smoothings,omitempty" flag:"label-smoothing"`
	N3              []float64 `json:"n3,omitempty" flag:"n3"`
	// EntityN3 and RelationN3 are weights in addition to N3.
	EntityN3   []float64 `json:"entity_n3,omitempty" flag:"entity-n3"`
	RelationN3 []float64 `json:"relation_n3,omitempty" flag:"relation-n3"`
	// N3Blocks are values of [kge.Weights.N3Block]; those that do not divide the number of chunks
	// are left out.
	N3Blocks []int `json:"n3_blocks,omitempty" flag:"n3-block"`
	// PenaltyFrequencies are values of [kge.Weights.PenaltyFrequency].
	PenaltyFrequencies []float64 `json:"penalty_frequencies,omitempty" flag:"penalty-frequency"`
	// Dura are the weights of entities and of products, which are equal unless Products has
	// values for the latter.
	Dura                []float64 `json:"dura,omitempty" flag:"dura"`
	Products            []float64 `json:"products,omitempty" flag:"products"`
	IVR                 []float64 `json:"ivr,omitempty" flag:"ivr"`
	IVRProducts         []float64 `json:"ivr_products,omitempty" flag:"ivr-products"`
	IVRPowers           []float64 `json:"ivr_powers,omitempty" flag:"ivr-power"`
	Orthogonalities     []float64 `json:"orthogonalities,omitempty" flag:"orthogonality"`
	RelationPredictions []float64 `json:"relation_predictions,omitempty" flag:"relation-prediction"`
	InputDropouts       []float64 `json:"input_dropouts,omitempty" flag:"input-dropout"`
	FeatureDropouts     []float64 `json:"feature_dropouts,omitempty" flag:"feature-dropout"`
	Dropouts            []float64 `json:"dropouts,omitempty" flag:"dropout"`
	InitScales          []float64 `json:"init_scales,omitempty" flag:"init-scale"`
	Reciprocal          []bool    `json:"reciprocal,omitempty" flag:"reciprocal"`
	WalkHops            []int     `json:"walk_hops,omitempty" flag:"walk-hops"`
	// Cells chooses the cell of [form.AnyCell].
	Cells bool `json:"cells,omitempty"`
}

// PaperRanges returns the ranges of the paper; its λ is the weight of n3.
func PaperRanges(dims ...int) Ranges {
	return Ranges{
		LearningRate: [2]float64{0, 1}, N3: [2]float64{1e-5, 1e-1},
		Batches: []int{256, 512, 1024}, Dims: dims,
	}
}

// DefaultTune returns a tuning stage of 10 random recipes, as in the paper.
func DefaultTune() *TuneSettings { return &TuneSettings{Trials: 10, Ranges: PaperRanges()} }

// GuidedTune returns a tuning stage over the default space.
func GuidedTune(trials int) *TuneSettings {
	return &TuneSettings{Trials: trials, Space: DefaultSpace()}
}

// EachTune returns a stage over [PenaltySpace] with a number of recipes for each model.
func EachTune(trials int) *TuneSettings {
	return &TuneSettings{Trials: trials, Space: PenaltySpace()}
}

// DefaultFinal returns a final stage of 10 trials with at most twice the dimension of the search,
// for two cores; the paper makes 50 with 256 to 2048.
func DefaultFinal() *FinalSettings {
	return &FinalSettings{Trials: 10, Ranges: PaperRanges(64, 128), Epochs: 60, ValidateEvery: 10}
}

// DefaultSpace returns the values in which published recipes differ.
func DefaultSpace() *Space {
	return &Space{
		Batches:             []int{64, 128, 256, 512, 1024},
		LearningRates:       []float64{.02, .03, .05, .07, .1, .15, .2, .3, .5},
		N3:                  []float64{0, .001, .002, .005, .01, .02, .05, .1, .2},
		N3Blocks:            []int{0, 2, 4, 8},
		PenaltyFrequencies:  []float64{0, .5, 1},
		Dura:                []float64{0, .002, .005, .01, .02, .05, .1},
		RelationPredictions: []float64{0, .05, .125, .25, .5, 1, 4},
		Dropouts:            []float64{0, .1, .2, .3, .4, .5},
		InitScales:          []float64{1e-3, 1e-2, 1e-1},
		Reciprocal:          []bool{false, true},
	}
}

// PenaltySpace returns the values in which the best recipes of different structures differ: the kind
// of penalty, its weights, and the settings that go with it.
func PenaltySpace() *Space {
	return &Space{
		Penalties:           []Penalty{N3Penalty, DuraPenalty, IVRPenalty},
		Translate:           []bool{false, true},
		LearningRates:       []float64{.05, .1, .2, .3},
		N3:                  []float64{0, .001, .003, .01, .02, .05, .1, .2},
		EntityN3:            []float64{0, .005, .02, .05, .1, .3},
		RelationN3:          []float64{0, .005, .02, .05, .1},
		N3Blocks:            []int{0, 2, 4, 8},
		PenaltyFrequencies:  []float64{0, .25, .5, .75, 1},
		Dura:                []float64{.002, .005, .01, .02, .05, .1},
		Products:            []float64{.002, .005, .01, .02, .05, .1, .2},
		IVR:                 []float64{.001, .003, .01, .03, .1},
		IVRProducts:         []float64{0, .003, .01, .03, .1},
		IVRPowers:           []float64{0, 2.25, 2.5, 3},
		RelationPredictions: []float64{0, .05, .125, .25, .5, 1, 4},
	}
}

// Apply returns the training settings of the final stage.
func (f FinalSettings) Apply(t kge.Settings) kge.Settings {
	t.Epochs, t.ValidateEvery, t.Patience = f.Epochs, f.ValidateEvery, f.Patience
	return t
}

// withSpace returns the settings with a changed copy of their space; nil without one.
func (t *TuneSettings) withSpace(change func(*Space)) *TuneSettings {
	if t == nil || t.Space == nil {
		return t
	}
	tune, space := *t, *t.Space
	change(&space)
	tune.Space = &space
	return &tune
}

func (t TuneSettings) validate() error {
	if t.Space != nil {
		return cmp.Or(t.Space.validate(), settings.Check(t))
	}
	if t.Trials < 1 || len(t.Ranges.Dims) > 0 {
		return fmt.Errorf("%d trials, dimensions %v: at least 1 trial is needed, "+
			"and the dimension is that of the search", t.Trials, t.Ranges.Dims)
	}
	return cmp.Or(t.Ranges.validate(), settings.Check(t))
}

func (r Ranges) validate() error {
	low, high := r.LearningRate[0], r.LearningRate[1]
	switch {
	case !(low >= 0) || !(high > low) || math.IsInf(high, 0):
		return fmt.Errorf("learning rates range from %v to %v: "+
			"they must be at least 0, in ascending order", low, high)
	case !(r.N3[0] > 0) || !(r.N3[1] >= r.N3[0]) || math.IsInf(r.N3[1], 0):
		return fmt.Errorf("n3 ranges from %v to %v: both must be above 0, in ascending order",
			r.N3[0], r.N3[1])
	case len(r.Batches) == 0:
		return errors.New("there are no batch sizes to draw from: give at least one")
	}
	return settings.Check(r)
}

func (s Space) validate() error {
	empty := !s.Cells
	for _, of := range s.fields() {
		empty = empty && of.values.Len() == 0
		for i := range of.values.Len() {
			v := of.values.Index(i)
			if v.CanInt() && v.Int() < 0 || v.CanFloat() && (!(v.Float() >= 0) || math.IsInf(v.Float(), 0)) {
				return fmt.Errorf("the space of recipes has the value %v of %s: "+
					"use finite numbers of at least 0", v, of.flag)
			}
		}
	}
	if empty {
		return errors.New("the space of recipes is empty: list values for at least one field")
	}
	return s.validatePenalties()
}

// validatePenalties returns an error if a kind of penalty is unknown or has no weight to begin with.
func (s Space) validatePenalties() error {
	for _, p := range s.Penalties {
		weights, known := map[Penalty][]float64{
			N3Penalty: s.N3, DuraPenalty: s.Dura, IVRPenalty: s.IVR,
		}[p]
		if !known {
			return enum.Unknown("penalty", string(p),
				[]string{string(N3Penalty), string(DuraPenalty), string(IVRPenalty)})
		}
		if len(weights) == 0 || weights[len(weights)-1] == 0 {
			return fmt.Errorf("the space of recipes has the penalty %s without positive weights: "+
				"list some", p)
		}
	}
	return nil
}

// Reduction is the factor of successive halving: each rung has three times the epochs of the one
// below and keeps a third of the structures (Jamieson and Talwalkar, 2016; η in Li et al., 2018).
const Reduction = 3

// LeastEpochs returns the smallest number of epochs of a full training above some rungs.
func LeastEpochs(rungs int) int { return int(math.Pow(Reduction, float64(rungs))) }

// RungCost returns the average cost of a structure in full trainings, promotions included.
func RungCost(rungs int) float64 {
	return float64(rungs+1) / math.Pow(Reduction, float64(rungs))
}

// DefaultHalving returns the number of rungs for a full training of some epochs.
func DefaultHalving(epochs int) int {
	switch {
	case epochs >= 18:
		return 2
	case epochs >= 6:
		return 1
	}
	return 0
}
