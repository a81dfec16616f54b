package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Settings of a search, in the letters of the paper (Algorithms 3 and 4).
type Settings struct {
	// Model, where it is not bilinear, has no structure to search for: as many recipes as
	// the budget allows are drawn for it, from
	// [PaperRanges].
	Model form.Form `json:"model,omitzero" brief:"Tune a model that has no structure instead." help:"Tune the recipe of a model that is not bilinear and has no structure to search for: ${forms}."`
	K     int       `json:"k" min:"2" max:"8" help:"Chunks of an embedding."`
	// Budget does not count the named models. It is not part of a study: it may be
	// raised later.
	Budget int `json:"-" min:"1" max:"100000" brief:"How many structures to train." help:"How many structures to train."`
	// TimeLimit ends the search, once a structure is trained; what is in training then is
	// trained when the search is gone on with. 0 never does.
	TimeLimit time.Duration `json:"-" kong:"-" min:"0"`
	N         int           `json:"n" min:"1" max:"65536" help:"Candidates generated in a round."`
	// P candidates are one population.
	P int `json:"p" min:"1" max:"1024" help:"Candidates trained in a round, together."`
	// I is also how many the first round trains.
	I      int     `json:"i" min:"1" max:"1024" help:"Best structures that new ones are made from, and that are listed at the end."`
	B0     int     `json:"b0" name:"b0" min:"0" max:"64" help:"Nonzeros of the first structures; 0 stands for k."`
	Pm     float64 `json:"pm" min:"0" max:"1" help:"Probability that a mutation changes an entry; 0 stands for 2/k²."`
	Filter Filter  `json:"filter" help:"Which candidates are not worth training: exact, paper, none, or linear, which also drops what may be an earlier structure in another basis, although it may learn better."`
	// Rungs is how many a structure climbs before it is trained for all epochs: on each, the
	// best third goes on to three times as many, so that two rungs begin with a ninth.
	Rungs int `json:"rungs,omitempty" min:"0" max:"4" help:"Train structures for a part of the epochs first, and only the best third for three times as many, on so many rungs below all of them; 0 trains each to its end. When left out, 2 from 18 epochs on, 1 from 6 on, else 0."`
	// Known gives the strategy and the predictor the named models as trials before the first.
	Known bool `json:"known,omitempty" negatable:"" help:"Begin with the named models: new structures are made from them, too."`
	// Again, where it is above 0, is with how many other seeds the best structures are trained
	// again after the search.
	Again int `json:"again,omitempty" min:"0" max:"100" help:"After the search, train the three best structures found and the two best named models again with so many other seeds, and keep the one that is best in the mean."`
	// Splits is by how many other splits of train and valid what is trained again is judged,
	// too.
	Splits int `json:"splits,omitempty" min:"0" max:"100" help:"Judge the structures of --again by so many other splits of train and valid, too, which few validation triples need; 0 by the one that there is. For completion."`
	// AgainFound and AgainNamed are how many structures are, 3 and 2 where both are 0; by one
	// of AgainDims, that which suits the best two, or that of the search where there are none;
	// for AgainEpochs, or those of the search where that is 0.
	AgainFound  int   `json:"again_found,omitempty" kong:"-" min:"0" max:"1000"`
	AgainNamed  int   `json:"again_named,omitempty" kong:"-" min:"0" max:"1000"`
	AgainDims   []int `json:"again_dims,omitempty" min:"1" max:"1048576" help:"Dimensions for --again, of which that is taken which suits the best two structures; that of the search when left out."`
	AgainEpochs int   `json:"again_epochs,omitempty" min:"0" max:"1000000000" help:"Epochs for --again; 0 for those of the search."`
	// AgainSteps, where it is not 0, is where each of those epochs ends.
	AgainSteps int `json:"again_steps,omitempty" kong:"-" min:"0" max:"1000000000"`
	// Planned, of a search with a TimeLimit, says which settings a [Plan] replaces; where it is
	// none, nothing is timed for it, and it only divides the time.
	Planned *Planned `json:"planned,omitempty" kong:"-"`
	// Ensemble, where it is above 0, is how many members an ensemble of what was trained again has at
	// most. It is 0 in a search that trains nothing again, or whose task makes no ensembles.
	Ensemble int `json:"ensemble,omitempty" min:"0" max:"1024" help:"Of what --again has trained, choose an ensemble of so many members at most by validation, which add their log-probabilities, and keep it if it is better than the best model on validation triples that had no part in the choice; 0 keeps one model. For completion."`
	// Predictor picks P of N candidates; nil takes the first P of them, which
	// come in random order.
	Predictor *predictor.Settings `json:"predictor" kong:"-"`
	// Seed decides the initial embeddings of each trial; the order of the triples
	// has its own seed in Training.
	Seed uint64 `json:"seed" brief:"Decides proposals and initial embeddings." help:"Decides the proposals and the initial embeddings."`
	// Recipe is how each structure is trained.
	kge.Recipe
	// Tune is the stage before the search, and Final the one after it, of the paper's full
	// procedure (Algorithm 5), or, with a [Space], ours; nil leaves one out.
	Tune  *TuneSettings  `json:"tune,omitempty" kong:"-"`
	Final *FinalSettings `json:"final,omitempty" kong:"-"`
}

// DefaultSettings suit two cores and a graph of a few thousand triples: 20 recipes and 64
// structures of d 64, and the best of them again with 3 seeds of d 256 or 512.
func DefaultSettings() Settings {
	s := Timed()
	s.Planned = nil
	s.Budget, s.Rungs, s.Tune = 64, 2, GuidedTune(20)
	s.Training.Dim, s.Training.Epochs, s.Training.ValidateEvery = 64, 27, 3
	s.AgainDims, s.AgainEpochs = []int{256, 512}, 60
	return s
}

// Plain are the settings of the first version of this program: all structures are trained by
// one recipe that nothing tunes, for d 64 and 20 epochs, with a little n3, without which so
// small a graph is learnt by heart.
func Plain() Settings {
	s := Paper()
	s.Budget = 64
	s.Training.Epochs = 20
	s.N3 = 0.03
	return s
}

// Timed are settings for a search with a TimeLimit, which decides the rest: recipes are tuned
// on the named models, structures compared by the best, on rungs, and the best of all trained
// again, larger and with other seeds.
func Timed() Settings {
	s := Paper()
	s.Known, s.Again, s.Ensemble = true, 3, 16
	s.Tune = GuidedTune(fewestRecipes)
	s.Training.Dim, s.Training.Batch, s.Training.Epochs, s.Training.ValidateEvery = 256, 128, 60, 5
	s.Training.Reciprocal, s.Training.InitScale = true, 1e-3
	s.LearningRate, s.N3 = 0.1, 0.02
	s.Planned = &Planned{Dim: true, Epochs: true, Structures: true, Tune: true, Again: true}
	return s
}

// Paper has the sizes of the paper's search (Section V-A): N=128, P=8, I=8,
// b0=K=4, p_m=2/K², a budget of 256 structures, d 64. How the structures are
// trained is ours, since the paper tunes that for each graph, and the filter is
// the exact one; [PaperFilter] is the paper's.
func Paper() Settings {
	fit := predictor.DefaultSettings()
	return Settings{
		K: 4, Budget: 256, N: 128, P: 8, I: 8,
		Predictor: &fit,
		Seed:      1,
		Recipe:    kge.DefaultRecipe(),
	}
}

func (s Settings) firstNonzeros() int {
	if s.B0 == 0 {
		return s.K
	}
	return s.B0
}

func (s Settings) mutationRate() float64 {
	if s.Pm == 0 {
		return 2 / float64(s.K*s.K)
	}
	return s.Pm
}

// mostRecipes are drawn and stored at once.
const mostRecipes = 10000

// Validate says what is wrong with the settings.
func (s Settings) Validate() error {
	if err := settings.Check(s); err != nil {
		return err
	}
	switch {
	case s.Rungs+s.Again > 0 && s.Model != form.Bilinear:
		return fmt.Errorf("%v has no structure that could climb rungs or be trained again: leave rungs and again at 0", s.Model)
	case float64(s.Training.Epochs) < math.Pow(halving, float64(s.Rungs)):
		return fmt.Errorf("epochs is %d: %s need at least %v", s.Training.Epochs, format.Count(s.Rungs, "rung"), math.Pow(halving, float64(s.Rungs)))
	case s.firstNonzeros() < 1 || s.firstNonzeros() > s.K*s.K:
		return fmt.Errorf("b0 is %d: it must be from 1 to k², %d", s.B0, s.K*s.K)
	case s.firstNonzeros() < s.K && s.Filter != NoFilter:
		return fmt.Errorf("b0 is %d: with fewer than k = %d nonzeros all structures are degenerate, which only the filter none lets pass", s.B0, s.K)
	}
	if s.Predictor != nil {
		if err := s.Predictor.Validate(); err != nil {
			return err
		}
	}
	member := s.TrialRecipe().Member(structure.Zero(s.K))
	if s.Model != form.Bilinear {
		member.Form, member.Structure = s.Model, structure.Structure{}
		if s.Tune != nil || s.Final != nil {
			return fmt.Errorf("%v has no structure to search for, but recipes to try, which is the search: leave out the stages before and after", s.Model)
		}
	}
	if s.Model != form.Bilinear && s.Budget > mostRecipes {
		return fmt.Errorf("budget is %d: of recipes, which are drawn all at once, it must be at most %d", s.Budget, mostRecipes)
	}
	if err := s.Training.ValidateFor(member); err != nil {
		return err
	}
	return s.validateStages()
}

// validateStages says what is wrong with the stages before and after the search.
func (s Settings) validateStages() error {
	if s.Tune != nil {
		if err := s.Tune.validate(); err != nil {
			return err
		}
	}
	if s.Final == nil {
		return nil
	}
	if s.Again > 0 {
		return errors.New("after the search comes either the last stage of random recipes or other seeds: leave again at 0, or the last stage out")
	}
	if s.Final.Trials < 1 || len(s.Final.Ranges.Dims) == 0 {
		return fmt.Errorf("the last stage has %d trials and dimensions %v: it needs at least 1 of each", s.Final.Trials, s.Final.Ranges.Dims)
	}
	if err := cmp.Or(s.Final.Ranges.validate(), settings.Check(*s.Final)); err != nil {
		return fmt.Errorf("the last stage: %w", err)
	}
	for _, dim := range s.Final.Ranges.Dims {
		training := s.Training
		training.Dim, training.Epochs, training.ValidateEvery, training.Patience = dim, s.Final.Epochs, s.Final.ValidateEvery, s.Final.Patience
		if err := training.Validate(s.K); err != nil {
			return fmt.Errorf("the last stage: %w", err)
		}
	}
	return nil
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

// WithoutRelationPrediction removes relation prediction from the recipes that tuning tries.
func (s Settings) WithoutRelationPrediction() Settings {
	if s.Tune != nil && s.Tune.Space != nil {
		tune, space := *s.Tune, *s.Tune.Space
		space.RelationPredictions = nil
		tune.Space = &space
		s.Tune = &tune
	}
	return s
}

// WithFixedTraining removes the stages that change how structures are trained, and what a plan
// would choose of that.
func (s Settings) WithFixedTraining() Settings {
	s.Tune, s.Rungs = nil, 0
	if s.Planned != nil {
		s.Planned = &Planned{}
	}
	s.Again, s.AgainDims, s.AgainEpochs = min(s.Again, 3), nil, 0
	return s
}

// ErrFixedTraining means that a stage would change the training of a task that always trains with
// the same settings.
var ErrFixedTraining = errors.New("the task trains all structures with the same settings: " +
	"leave out the stages tune and final, and set rungs to 0")

// CheckFixedTraining returns [ErrFixedTraining] if a stage would change how structures are
// trained.
func (s Settings) CheckFixedTraining() error {
	if s.Tune != nil || s.Final != nil || s.Rungs > 0 {
		return ErrFixedTraining
	}
	return nil
}
