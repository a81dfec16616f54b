package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Ranges are where the full procedure draws recipes from (paper, Algorithm 5).
type Ranges struct {
	// LearningRate is drawn evenly from above the first to the second number.
	LearningRate [2]float64 `json:"learning_rate" help:"Learning rates that recipes are drawn from."`
	// N3 is drawn so that its logarithm is even between the two.
	N3 [2]float64 `json:"n3" help:"Weights n3 that recipes are drawn from."`
	// Batches and Dims are drawn evenly.
	Batches []int `json:"batches" min:"1" max:"1000000000" help:"Batches that recipes are drawn from."`
	Dims    []int `json:"dims" min:"1" max:"1048576" help:"Dimensions that recipes are drawn from; none for that of the search."`
}

// TuneSettings are those of the first stage, which tries random recipes on SimplE
// and gives the best of them to the search. Learning rate, n3 and batch in
// [Settings] are then of no use.
type TuneSettings struct {
	Trials int `json:"trials" min:"1" max:"10000" help:"Recipes tried on SimplE before the search."`
	// Ranges without Dims: the dimension is that of the search.
	Ranges Ranges `json:"ranges"`
	// Space, where there is one, takes the place of Ranges: recipes are then tried on the best
	// two named models, in place of SimplE, for a third of the epochs first, and new ones are
	// drawn like the good ones.
	Space *Space `json:"space,omitempty"`
}

func (t TuneSettings) validate() error {
	var err error
	switch {
	case t.Space != nil:
		err = cmp.Or(t.Space.validate(), settings.Check(t))
	case t.Trials < 1 || len(t.Ranges.Dims) > 0:
		return fmt.Errorf("the tuning stage has %d trials and dimensions %v: it needs at least 1 trial, and has the dimension of the search", t.Trials, t.Ranges.Dims)
	default:
		err = cmp.Or(t.Ranges.validate(), settings.Check(t))
	}
	if err != nil {
		return fmt.Errorf("the tuning stage: %w", err)
	}
	return nil
}

// FinalSettings are those of the last stage, which trains random ones of the I best
// structures by random recipes.
type FinalSettings struct {
	Trials int    `json:"trials" min:"1" max:"10000" help:"Trainings after the search."`
	Ranges Ranges `json:"ranges"`
	// Epochs, ValidateEvery and Patience replace those of the search.
	Epochs        int `json:"epochs" min:"1" max:"1000000000" help:"Passes over what is trained on in the last stage."`
	ValidateEvery int `json:"validate_every" min:"0" max:"1000000000" help:"Epochs between validations in the last stage."`
	Patience      int `json:"patience" min:"0" max:"1000000000" help:"Validations without a better one that end a training of the last stage; 0 never."`
}

// PaperRanges are those of the paper, with its λ as the weight of n3.
func PaperRanges(dims ...int) Ranges {
	return Ranges{LearningRate: [2]float64{0, 1}, N3: [2]float64{1e-5, 1e-1}, Batches: []int{256, 512, 1024}, Dims: dims}
}

// DefaultTune tries 10 recipes, as the paper does.
func DefaultTune() *TuneSettings { return &TuneSettings{Trials: 10, Ranges: PaperRanges()} }

// GuidedTune tries so many recipes over the default space.
func GuidedTune(trials int) *TuneSettings {
	return &TuneSettings{Trials: trials, Space: DefaultSpace()}
}

// DefaultFinal makes 10 trials with at most twice the dimension of the search, for
// two cores; the paper makes 50 with 256 to 2048.
func DefaultFinal() *FinalSettings {
	return &FinalSettings{Trials: 10, Ranges: PaperRanges(64, 128), Epochs: 60, ValidateEvery: 10}
}

// PaperFinal is the last stage of the paper.
func PaperFinal() *FinalSettings {
	return &FinalSettings{Trials: 50, Ranges: PaperRanges(256, 512, 1024, 2048), Epochs: 200, ValidateEvery: 10, Patience: 3}
}

func (r Ranges) validate() error {
	low, high := r.LearningRate[0], r.LearningRate[1]
	switch {
	case !(low >= 0) || !(high > low) || math.IsInf(high, 0):
		return fmt.Errorf("the range of learning rates is %v to %v: it must go up from at least 0", low, high)
	case !(r.N3[0] > 0) || !(r.N3[1] >= r.N3[0]) || math.IsInf(r.N3[1], 0):
		return fmt.Errorf("the range of n3 is %v to %v: both must be above 0, in order", r.N3[0], r.N3[1])
	case len(r.Batches) == 0:
		return errors.New("there are no batch sizes to draw from: give at least one")
	}
	return settings.Check(r)
}

// draw is a random recipe; what the ranges do not name is as in base.
func (r Ranges) draw(base task.Recipe, rng *rand.Rand) task.Recipe {
	base.LearningRate = r.LearningRate[1] - rng.Float64()*(r.LearningRate[1]-r.LearningRate[0]) // never the lower end, which may be 0
	base.N3 = r.N3[0] * math.Pow(r.N3[1]/r.N3[0], rng.Float64())
	base.Training.Batch = r.Batches[rng.IntN(len(r.Batches))]
	if len(r.Dims) > 0 {
		base.Training.Dim = r.Dims[rng.IntN(len(r.Dims))]
	}
	return base
}

// Random numbers of a stage do not depend on those of the rounds.
const (
	tuningStream = 1<<63 + iota
	finalStream
)

// tuned is the structure that recipes are tried on, SimplE: chunks in pairs, each
// crossed with the other; the last one of an odd number stands alone.
func tuned(k int) structure.Structure {
	s := structure.Zero(k)
	for i := range k {
		s = s.With(i, min(i^1, k-1), i+1)
	}
	return s
}

// tune is the first stage.
func (s *searcher) tune(ctx context.Context) error {
	if s.Settings.Tune.Space != nil {
		return s.tuneOverSpace(ctx)
	}
	if len(of(task.Tuning, s.trials)) == 0 {
		rng := rand.New(rand.NewPCG(s.Settings.Seed, tuningStream))
		var trials []task.Trial
		for i := range s.Settings.Tune.Trials {
			trials = append(trials, task.Trial{Number: i + 1, Stage: task.Tuning, Structure: tuned(s.Settings.K), Recipe: s.Settings.Tune.Ranges.draw(s.recipe, rng), State: task.Running})
		}
		if err := s.put(Change{Trials: sameTraining(trials)}); err != nil {
			return err
		}
	}
	over, err := s.trainTuning(ctx)
	if err != nil {
		return err
	}
	if best := bestFirst(of(task.Tuning, s.trials)); len(best) > 0 {
		s.recipe = best[0].Recipe
	} else if !over {
		return fmt.Errorf("all %d recipes of the tuning stage diverged: lower the learning rates it draws from", s.Settings.Tune.Trials)
	}
	return nil
}

// finish is the last stage.
func (s *searcher) finish(ctx context.Context) error {
	final := s.Settings.Final
	if len(of(task.Final, s.trials)) == 0 {
		best := bestFirst(of(task.Searching, Proposed(s.trials)))
		if len(best) == 0 || s.timeIsUp() {
			return nil
		}
		best = best[:min(len(best), s.Settings.I)]
		rng := rand.New(rand.NewPCG(s.Settings.Seed, finalStream))
		base := s.recipe
		base.Training.Epochs, base.Training.ValidateEvery, base.Training.Patience = final.Epochs, final.ValidateEvery, final.Patience
		var trials []task.Trial
		for i := range final.Trials {
			trials = append(trials, task.Trial{Number: len(s.trials) + i + 1, Stage: task.Final, Structure: best[rng.IntN(len(best))].Structure, Recipe: final.Ranges.draw(base, rng), State: task.Running})
		}
		if err := s.put(Change{Trials: sameTraining(trials)}); err != nil {
			return err
		}
	}
	return s.trainRunning(ctx, task.Final)
}

// sameTraining brings trials with the same training settings together, so that
// they train as populations, and numbers them in that order.
func sameTraining(trials []task.Trial) []task.Trial {
	first := trials[0].Number
	var ordered []task.Trial
	for len(trials) > 0 {
		training := trials[0].Recipe.Training
		other := func(t task.Trial) bool { return t.Recipe.Training != training }
		ordered = append(ordered, slices.DeleteFunc(slices.Clone(trials), other)...)
		trials = slices.DeleteFunc(trials, func(t task.Trial) bool { return !other(t) })
	}
	for i := range ordered {
		ordered[i].Number = first + i
	}
	return ordered
}
