package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings are the settings of a search.
type Settings struct {
	// Model is the form to tune recipes for, without a search for structures. With [form.AnyCell],
	// the search chooses the cell too. The zero value searches for bilinear structures.
	Model form.Form `json:"model,omitzero" brief:"Tune a model that has no structure instead." help:"Tune the settings of a model without a structure: ${forms}. For interstellar, the search chooses the cell too. Help with a model, such as --model rotate --help, lists the values to try; a flag that is given keeps its value."`
	// Space has the values to try for the settings of a Model; nil means [ModelSpace].
	Space *Space `json:"space,omitempty" kong:"-"`
	// Options configure the strategy.
	strategy.Options
	// FewerK are numbers of chunks, in ascending order, that compete with K, which is a multiple of
	// each. Rounds take turns, and the numbers with the best structures go on.
	FewerK []int `json:"fewer_k,omitempty" kong:"-" help:"Smaller numbers of chunks that compete with k."`
	// Budget excludes the baselines. A study does not store it: a resumed search may raise it.
	Budget int `json:"-" min:"1" max:"100000" brief:"Number of structures or recipes to train." help:"Number of structures, or recipes of a model, to train."`
	// TimeLimit ends the search once a structure is trained. A resumed search trains what the
	// limit interrupted. 0 means no limit.
	TimeLimit time.Duration `json:"-" kong:"-" min:"0"`
	// Halving is the number of rungs before full training. Each rung promotes the best third to
	// three times the epochs.
	Halving int `json:"halving,omitempty" min:"0" max:"4" help:"Rungs of successive halving: the best third of each rung trains for three times the epochs. Default: 2 from 18 epochs, 1 from 6, else 0."`
	// WarmStart adds the baselines to the history of the strategy and the predictor.
	WarmStart bool `json:"warm_start,omitempty" negatable:"" help:"Derive new structures from the baselines too."`
	// RetrainSeeds is the number of other seeds per retrained structure; 0 skips retraining.
	RetrainSeeds int `json:"retrain_seeds,omitempty" min:"0" max:"100" help:"After the search, retrain the three best structures and the two best baselines with this many other seeds; the best mean wins. 0 skips the stage."`
	// RetrainSplits is the number of other splits of train and valid to score them on.
	RetrainSplits int `json:"retrain_splits,omitempty" min:"0" max:"100" with:"retrain-seeds" help:"Score retrained structures on this many other splits of train and valid too, for graphs with few validation triples. For completion."`
	// RetrainFound structures and RetrainBaselines baselines are retrained; 3 and 2 if both are 0.
	RetrainFound     int   `json:"retrain_found,omitempty" kong:"-" min:"0" max:"1000" help:"Structures to retrain; 3 if this and retrain_baselines are 0."`
	RetrainBaselines int   `json:"retrain_baselines,omitempty" kong:"-" min:"0" max:"1000" help:"Baselines to retrain; 2 if this and retrain_found are 0."`
	RetrainDims      []int `json:"retrain_dims,omitempty" min:"1" max:"1048576" with:"retrain-seeds" help:"Dimensions to try when retraining; the best on the top two structures is used. Default: that of the search."`
	RetrainEpochs    int   `json:"retrain_epochs,omitempty" min:"0" max:"1000000000" with:"retrain-seeds" help:"Epochs when retraining; 0: those of the search."`
	// RetrainSteps limits the steps of each of those epochs; 0 means no limit.
	RetrainSteps int `json:"retrain_steps,omitempty" kong:"-" min:"0" max:"1000000000" help:"Steps of each epoch when retraining; 0: all."`
	// Planned selects the settings that a [Plan] chooses in a search with a TimeLimit. If it
	// selects none, the plan only divides the time.
	Planned *Planned `json:"planned,omitempty" kong:"-"`
	// Ensemble is the maximum number of members; 0 without retraining or without support by the
	// task.
	Ensemble int `json:"ensemble,omitempty" min:"0" max:"1024" with:"retrain-seeds" help:"Select an ensemble of at most this many retrained models; it is kept if it beats the best model on unused validation triples. 0 keeps one model. For completion."`
	// Recipe trains each structure, unless there is a tuning stage.
	kge.Recipe `group:"Training"`
	// Tune is the stage before the search, and Final the stage after it in the paper's full
	// procedure (Algorithm 5); nil skips a stage.
	Tune  *TuneSettings  `json:"tune,omitempty" kong:"-"`
	Final *FinalSettings `json:"final,omitempty" kong:"-"`
	// TuneEach is the stage after the comparison of structures. It tunes the recipe of each of the
	// best structures and of each baseline over its Space, with Trials recipes for each, so that a
	// structure is compared under a penalty that suits it; nil skips the stage.
	TuneEach *TuneSettings `json:"tune_each,omitempty" kong:"-"`
}

// Planned selects the settings that a plan chooses so that the search fits its time limit.
type Planned struct {
	// Dim and Epochs apply to the compared and the retrained structures.
	Dim    bool `json:"dim,omitempty"`
	Epochs bool `json:"epochs,omitempty"`
	// Structures selects the numbers of structures and, without FixedHalving, of rungs.
	Structures   bool `json:"structures,omitempty"`
	FixedHalving bool `json:"fixed_halving,omitempty"`
	// Tune selects the number of recipes to try, and Retrain everything about retraining except for
	// the number of seeds with FixedSeeds, and of other splits with FixedSplits.
	Tune        bool `json:"tune,omitempty"`
	Retrain     bool `json:"retrain,omitempty"`
	FixedSeeds  bool `json:"fixed_seeds,omitempty"`
	FixedSplits bool `json:"fixed_splits,omitempty"`
	// TuneEach adds the stage if there is much time, over [PenaltySpace].
	TuneEach bool `json:"tune_each,omitempty"`
}

// DefaultSettings returns settings for two cores and a graph of a few thousand triples: they tune
// 20 recipes, compare 64 structures of dimension 64, and retrain the best ones with 3 seeds and
// dimension 256 or 512.
func DefaultSettings() Settings {
	s := TimedSettings()
	s.Planned = nil
	s.Budget, s.Halving, s.Tune = 64, 2, GuidedTune(20)
	s.Training.Dim, s.Training.Epochs, s.Training.ValidateEvery = 64, 27, 3
	s.RetrainDims, s.RetrainEpochs = []int{256, 512}, 60
	return s
}

// BasicSettings returns the simplest settings: all structures train with one fixed recipe of
// dimension 64 and 20 epochs. The weight of n3 prevents overfitting on small graphs.
func BasicSettings() Settings {
	s := PaperSettings()
	s.Budget = 64
	s.Training.Epochs = 20
	s.N3 = 0.03
	return s
}

// TimedSettings returns settings for a search with a TimeLimit, whose plan replaces some of them.
// The search tunes recipes on baselines, compares structures with successive halving, tunes the
// recipes of the best ones if there is much time, and retrains them larger and with other seeds.
func TimedSettings() Settings {
	s := PaperSettings()
	s.WarmStart, s.RetrainSeeds, s.Ensemble = true, 3, 16
	s.Tune = GuidedTune(12)
	s.Training.Dim, s.Training.Batch, s.Training.Epochs, s.Training.ValidateEvery = 256, 128, 60, 5
	s.Training.Reciprocal, s.Training.InitScale = true, 1e-3
	s.LearningRate, s.N3 = 0.1, 0.02
	s.Planned = &Planned{
		Dim: true, Epochs: true, Structures: true, Tune: true, Retrain: true, TuneEach: true,
	}
	return s
}

// PaperSettings returns the sizes of the paper's search (Section V-A): N=128, P=8, I=8, b0=K=4,
// p_m=2/K², a budget of 256 structures, dimension 64. The paper tunes the recipe for each graph;
// this one is fixed. The filter is exact; [strategy.PaperFilter] is the paper's.
func PaperSettings() Settings {
	fit := surrogate.DefaultSettings()
	return Settings{
		Options: strategy.Options{
			K: 4, Candidates: 128, RoundSize: 8, Parents: 8, Predictor: &fit, Seed: 1,
		},
		Budget: 256,
		Recipe: kge.DefaultRecipe(),
	}
}

// maxRecipes is the maximum number of recipes that a search without structures tries.
const maxRecipes = 10000

// Validate returns an error if a setting is out of range or contradicts another.
func (s Settings) Validate() error {
	if err := settings.Check(s); err != nil {
		return err
	}
	if s.Model == form.Translated {
		return errors.New("a search for translated models needs translate, and no model")
	}
	if s.Halving+s.RetrainSeeds > 0 && s.Model != form.Bilinear {
		return fmt.Errorf("%v has no structure to halve or retrain: "+
			"set halving and retrain-seeds to 0", s.Model)
	}
	if least := LeastEpochs(s.Halving); s.Training.Epochs < least {
		return fmt.Errorf("epochs is %d: %s need at least %d",
			s.Training.Epochs, format.Count(s.Halving, "rung"), least)
	}
	if err := s.validateChunks(); err != nil {
		return err
	}
	member := s.TrialRecipe().Member(structure.Zero(s.K))
	if s.Model != form.Bilinear {
		member.Form, member.Structure = s.FirstForm(), structure.Structure{}
		if s.Tune != nil || s.Final != nil || s.TuneEach != nil {
			return fmt.Errorf("%v has no structure: its search already tries recipes; "+
				"leave out the stages tune, tune-each and final", s.Model)
		}
		if s.Budget > maxRecipes {
			return fmt.Errorf("budget is %d: a search for recipes draws at most %d",
				s.Budget, maxRecipes)
		}
		if err := s.SpaceOf(s.Model).validate(); err != nil {
			return err
		}
	}
	if err := s.Training.ValidateFor(member); err != nil {
		return err
	}
	return s.validateStages()
}

// validateChunks returns an error if a number of chunks does not fit the others or the options.
func (s Settings) validateChunks() error {
	if s.Model != form.Bilinear && len(s.FewerK) > 0 {
		return fmt.Errorf("k is %s, but %v has no structure with chunks: give one k or none",
			format.List(s.Ks(), "and"), s.Model)
	}
	for i, k := range s.FewerK {
		if k < 2 || k >= s.K || s.K%k != 0 || i > 0 && k <= s.FewerK[i-1] {
			return fmt.Errorf("k is %s: each number must be at least 2 and divide the largest, %d, so "+
				"that structures with fewer chunks also have more", format.List(s.Ks(), "and"), s.K)
		}
	}
	for _, k := range s.Ks() {
		if err := s.OptionsFor(k).Check(); err != nil {
			return err
		}
		if k == s.K {
			continue // checked with the form
		}
		if err := s.Training.ValidateFor(s.TrialRecipe().Member(structure.Zero(k))); err != nil {
			return fmt.Errorf("structures with %d chunks: %w", k, err)
		}
	}
	return nil
}

// validateStages returns an error if the stages before and after the search are invalid.
func (s Settings) validateStages() error {
	if s.Tune != nil {
		if err := s.Tune.validate(); err != nil {
			return fmt.Errorf("the tuning stage: %w", err)
		}
	}
	if s.TuneEach != nil {
		if s.TuneEach.Space == nil {
			return errors.New("the stage that tunes each model has no space: set TuneEach.Space")
		}
		if err := s.TuneEach.validate(); err != nil {
			return fmt.Errorf("the stage that tunes each model: %w", err)
		}
	}
	if err := s.validateRetrainDims(); err != nil {
		return err
	}
	if s.Final == nil {
		return nil
	}
	if s.RetrainSeeds > 0 {
		return errors.New("a search has either a final stage of random recipes or a retraining " +
			"stage: set retrain-seeds to 0, or leave out the final stage")
	}
	if s.Final.Trials < 1 || len(s.Final.Ranges.Dims) == 0 {
		return fmt.Errorf("the final stage has %d trials and dimensions %v: "+
			"it needs at least 1 of each", s.Final.Trials, s.Final.Ranges.Dims)
	}
	if err := cmp.Or(s.Final.Ranges.validate(), settings.Check(*s.Final)); err != nil {
		return fmt.Errorf("the final stage: %w", err)
	}
	for _, dim := range s.Final.Ranges.Dims {
		training := s.Final.Apply(s.Training)
		training.Dim = dim
		if err := training.Validate(s.K); err != nil {
			return fmt.Errorf("the final stage: %w", err)
		}
	}
	return nil
}

// validateRetrainDims returns an error if retraining has a dimension that the structures cannot have.
func (s Settings) validateRetrainDims() error {
	if s.RetrainSeeds == 0 {
		return nil
	}
	for _, dim := range s.RetrainDims {
		training := s.Training
		training.Dim = dim
		for _, k := range s.Ks() {
			if err := training.ValidateFor(s.TrialRecipe().Member(structure.Zero(k))); err != nil {
				return fmt.Errorf("retrain-dims has %d: %w", dim, err)
			}
		}
	}
	return nil
}

// Ks returns the numbers of chunks that the search tries, in ascending order.
func (s Settings) Ks() []int { return append(slices.Clone(s.FewerK), s.K) }

// OptionsFor returns the options of the strategy for structures with k chunks.
func (s Settings) OptionsFor(k int) strategy.Options {
	o := s.Options
	o.K, o.Messages = k, s.searchesMessages()
	return o
}

// searchesMessages reports whether the strategy proposes the structures of an encoder's messages too,
// because the encoder needs one and none is given.
func (s Settings) searchesMessages() bool {
	return s.Model == form.Bilinear && s.Training.Encoder == kge.BLM && s.Training.Message.K() == 0
}

// TrialRecipe returns the recipe of the structures of the search, with which tuning begins.
func (s Settings) TrialRecipe() task.Recipe {
	return task.Recipe{Recipe: s.Recipe, Seed: s.Seed}
}

// WithRecipe returns the settings with another recipe.
func (s Settings) WithRecipe(r task.Recipe) Settings {
	s.Recipe, s.Seed = r.Recipe, r.Seed
	return s
}

// WithoutRelationPrediction removes relation prediction from the recipes that tuning tries, and what
// only triples have from the space of a Model.
func (s Settings) WithoutRelationPrediction() Settings {
	remove := func(from *Space) { from.RelationPredictions = nil }
	if s.Model != form.Bilinear {
		s.Space = s.SpaceOf(s.Model).forPaths()
	}
	s.Tune, s.TuneEach = s.Tune.withSpace(remove), s.TuneEach.withSpace(remove)
	return s
}

// WithTranslation removes what a translated model cannot have from the recipes that tuning tries:
// relation prediction, IVR, and no translation.
func (s Settings) WithTranslation() Settings {
	s = s.WithoutRelationPrediction()
	s.TuneEach = s.TuneEach.withSpace(func(space *Space) {
		space.Translate = nil
		space.Penalties = slices.DeleteFunc(slices.Clone(space.Penalties),
			func(p Penalty) bool { return p == IVRPenalty })
	})
	return s
}

// WithoutTuningEach removes the stage that tunes each model.
func (s Settings) WithoutTuningEach() Settings {
	s.TuneEach = nil
	if s.Planned != nil {
		planned := *s.Planned
		planned.TuneEach = false
		s.Planned = &planned
	}
	return s
}

// WithFixedTraining removes the stages, and the choices of a plan, that change how structures are
// trained.
func (s Settings) WithFixedTraining() Settings {
	s.Tune, s.TuneEach, s.Final, s.Halving = nil, nil, nil, 0
	if s.Planned != nil {
		s.Planned = &Planned{}
	}
	s.RetrainSeeds, s.RetrainDims, s.RetrainEpochs, s.RetrainSteps = min(s.RetrainSeeds, 3), nil, 0, 0
	return s
}

// ErrFixedTraining means that a stage would change the training of a task that always trains with
// the same settings.
var ErrFixedTraining = errors.New("the task trains all structures with the same settings: " +
	"leave out the stages tune, tune-each and final and the settings of retraining, such as retrain-dims, " +
	"and set halving to 0")

// CheckFixedTraining returns [ErrFixedTraining] if a stage would change how structures are
// trained.
func (s Settings) CheckFixedTraining() error {
	if s.Tune != nil || s.TuneEach != nil || s.Final != nil || s.Halving > 0 ||
		len(s.RetrainDims) > 0 || s.RetrainEpochs > 0 || s.RetrainSteps > 0 {
		return ErrFixedTraining
	}
	return nil
}

// RetrainCounts returns how many found structures and how many baselines are retrained.
func (s Settings) RetrainCounts() (found, baselines int) {
	if s.RetrainFound+s.RetrainBaselines == 0 {
		return 3, 2
	}
	return s.RetrainFound, s.RetrainBaselines
}

// NamedBaselines returns the baselines that have a structure, each with the fewest chunks that the
// search tries and that it can be written with.
func (s Settings) NamedBaselines() (all []structure.Baseline) {
	for _, k := range s.Ks() {
		for _, b := range structure.BaselinesWith(k) {
			if !slices.ContainsFunc(all, func(c structure.Baseline) bool { return c.Name == b.Name }) {
				all = append(all, b)
			}
		}
	}
	return all
}

// BlockBaselines returns trials of models with dense blocks of the sizes that a search with several
// numbers of chunks tries: a structure fixes which entries of such a block are equal or zero. It
// leaves out models that cannot train with the recipe, such as one with IVR.
func (s Settings) BlockBaselines(recipe task.Recipe) (trials []task.Trial) {
	if len(s.FewerK) == 0 {
		return nil
	}
	recipe.N3Block = 0 // a block has no chunks
	for _, k := range s.Ks() {
		t := task.Trial{Form: form.Block(k), Recipe: recipe}
		t.Name = t.Form.String()
		if recipe.Training.ValidateFor(t.Member()) == nil {
			trials = append(trials, t)
		}
	}
	return trials
}

// CountBaselines returns the number of baselines that the search trains, 0 without any. It counts
// the models with dense blocks, which few tasks train.
func (s Settings) CountBaselines() int {
	if !s.HasBaselines() {
		return 0
	}
	return len(s.NamedBaselines()) + len(s.BlockBaselines(s.TrialRecipe()))
}

// HasBaselines reports whether several baselines can be written with K chunks, so that the search
// trains them.
func (s Settings) HasBaselines() bool { return s.K%2 == 0 }

// TunedOn describes the models that recipes of a [Space] are tried on.
func (s Settings) TunedOn() string {
	if !s.HasBaselines() {
		return "a structure like SimplE"
	}
	return "the best two baselines"
}

// Resolve returns the settings that a task can follow. It removes the ensemble and the splits if
// the task or the settings do not support them, and resolves the precision. One precision, that
// of the dimension of the search, applies to all stages. Of two values with the same meaning, it
// takes 0, so that no recipe is tried twice.
func Resolve(t task.Task, s Settings) (Settings, error) {
	if s.N3Block == 1 {
		s.N3Block = 0
	}
	if s.IVRPower == 2 {
		s.IVRPower = 0
	}
	supports := t.Supports()
	if !supports.Ensembles || s.RetrainSeeds == 0 {
		s.Ensemble = 0
	}
	if !supports.Resplits || s.RetrainSeeds == 0 {
		s.RetrainSplits = 0
	}
	if s.Training.Precision == kge.Float32 {
		return s, nil
	}
	var err error
	s.Training.Precision, err = t.Precision(s.Training, s.Model)
	return s, err
}
