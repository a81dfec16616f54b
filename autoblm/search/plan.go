package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Plan divides the time of a search among its stages. It is made once, from the measured pace of
// a few steps, and stored with the trials, so that a resumed search follows it. A longer time
// limit extends it.
type Plan struct {
	// NoSearch is true if the time limit is too short for a search: baselines are trained instead.
	NoSearch bool `json:"no_search,omitempty"`
	// Limit is the time limit of the search over all processes.
	Limit time.Duration `json:"limit"`
	// Used is the time that had passed when the plan was stored.
	Used time.Duration `json:"used"`
	// Elapsed is the time that had passed at the last change of the search. The trials' times add up
	// to more if several machines train them.
	Elapsed time.Duration `json:"elapsed,omitempty"`
	// Dim, Epochs and MaxSteps apply to the compared structures.
	Dim      int `json:"dim"`
	Epochs   int `json:"epochs"`
	MaxSteps int `json:"max_steps,omitempty"`
	// Recipes and Structures are the numbers of recipes to try and of structures to compare.
	// Halving is the number of rungs.
	Recipes    int `json:"recipes"`
	Structures int `json:"structures"`
	Halving    int `json:"halving"`
	// Each is the number of recipes to try for each of the best structures and each baseline, 0 for
	// none.
	Each int `json:"each,omitempty"`
	RetrainPlan
	// TuneUntil, SearchUntil and EachUntil are the latest ends of the first three stages.
	TuneUntil   time.Duration `json:"tune_until"`
	SearchUntil time.Duration `json:"search_until"`
	EachUntil   time.Duration `json:"each_until"`
	// Tuned is true once the recipe is chosen and the plan is revised by its pace. Searched is
	// true once the structures are compared.
	Tuned    bool `json:"tuned,omitempty"`
	Searched bool `json:"searched,omitempty"`
	// Ended is true once everything is done or the time limit is reached. Only a longer time
	// limit then resumes the search. Stopped and Note are the reason.
	Ended   bool   `json:"ended,omitempty"`
	Stopped Stop   `json:"stopped,omitempty"`
	Note    string `json:"note,omitempty"`
	// Ranked is the size of the sample of validation examples to rank, 0 for all. With a sample,
	// only retrained structures are tested, on a sample of the same size.
	Ranked int `json:"ranked,omitempty"`
	// FewValidation is true if the validation data are few, so that further splits help.
	FewValidation bool `json:"few,omitempty"`
	// Paces are the measured paces.
	Paces Paces `json:"paces"`
	// Seconds is the expected duration.
	Seconds float64 `json:"seconds"`
}

// RetrainPlan is the retraining stage of a plan.
type RetrainPlan struct {
	// Found structures and Baselines are retrained with Seeds seeds or more, and scored on
	// Splits further splits. Dims are the dimensions to choose from. RetrainSteps limits the steps
	// of an epoch if it is not 0.
	Found         int   `json:"found"`
	Baselines     int   `json:"baselines"`
	Seeds         int   `json:"seeds"`
	Splits        int   `json:"splits,omitempty"`
	Dims          []int `json:"dims,omitempty"`
	RetrainEpochs int   `json:"retrain_epochs"`
	RetrainSteps  int   `json:"retrain_steps,omitempty"`
}

// Pace is the speed of trainings at a dimension.
type Pace struct {
	Dim int `json:"dim"`
	// Step is the number of seconds per step. End is the number of seconds for everything that
	// happens once per training, such as the final ranking.
	Step float64 `json:"step"`
	End  float64 `json:"end"`
}

// Paces are the paces at several dimensions in ascending order.
type Paces struct {
	At []Pace `json:"at"`
	// Steps is the number of steps per epoch, and Every the number of epochs between
	// validations; 0 means no validation.
	Steps int `json:"steps"`
	Every int `json:"every,omitempty"`
	// Default is the size and the time of a training of the default model, all of it as End; zero
	// if there is none.
	Default Pace `json:"default,omitzero"`
}

// Of returns the pace at a dimension, extrapolated in proportion to the dimension.
func (p Paces) Of(dim int) Pace {
	best := p.At[0]
	for _, a := range p.At {
		if a.Dim <= dim {
			best = a
		}
	}
	factor := float64(dim) / float64(best.Dim)
	return Pace{dim, best.Step * factor, best.End * factor}
}

// Times returns the paces of trainings that take factor times as long.
func (p Paces) Times(factor float64) Paces {
	p.At = slices.Clone(p.At)
	for i := range p.At {
		p.At[i].Step *= factor
		p.At[i].End *= factor
	}
	p.Default.End *= factor
	return p
}

// Training returns the expected number of seconds of a training.
func (p Paces) Training(dim, epochs, maxSteps int) float64 {
	a, steps := p.Of(dim), p.Steps
	if maxSteps > 0 {
		steps = min(steps, maxSteps)
	}
	validations := 0.0
	if p.Every > 0 {
		validations = math.Ceil(float64(epochs) / float64(p.Every))
	}
	// Half of End is the ranking of the test split, which validations skip.
	return float64(epochs*steps)*a.Step + (1+validations/2)*a.End
}

// String describes the plan in a line, or the rest of it once the recipe is chosen.
func (p Plan) String() string {
	if p.NoSearch {
		return fmt.Sprintf("no search fits; more baselines and seeds at d %d: about %s", p.Dim,
			format.Seconds(p.Seconds))
	}
	var steps []string
	if p.Recipes > 0 && !p.Tuned {
		steps = append(steps, format.Count(p.Recipes, "recipe"))
	}
	compared := fmt.Sprintf("%s at d %d", format.Count(p.Structures, "structure"), p.Dim)
	if len(p.Paces.At) == 0 {
		compared = "up to " + compared
	}
	if p.Halving > 0 {
		compared += ", " + format.Count(p.Halving, "rung")
	}
	if p.MaxSteps > 0 {
		compared += fmt.Sprintf(", %s of an epoch each", format.Count(p.MaxSteps, "step"))
	} else {
		compared += ", " + format.Count(p.Epochs, "epoch")
	}
	steps = append(steps, compared)
	if p.Each > 0 {
		steps = append(steps, format.Count(p.Each, "recipe")+" for each of the best")
	}
	if p.Seeds > 0 {
		retrain := fmt.Sprintf("then the best %d with %s",
			p.Found+p.Baselines, format.Count(p.Seeds, "seed"))
		if p.Splits > 0 {
			retrain += " and " + format.Count(p.Splits, "split")
		}
		retrain += fmt.Sprintf(" at d %d", p.LargestDim())
		if p.RetrainSteps > 0 {
			retrain += ", " + format.Count(p.RetrainSteps, "step")
		} else if p.RetrainEpochs != p.Epochs {
			retrain += ", " + format.Count(p.RetrainEpochs, "epoch")
		}
		steps = append(steps, retrain)
	}
	return fmt.Sprintf("%s: about %s", strings.Join(steps, ", "), format.Seconds(p.Seconds))
}

// A search needs at least MinStructures, which train for at least MinEpochs epochs.
const (
	MinStructures = 8
	MinEpochs     = 5
)

// LargestDim returns the largest dimension of retraining.
func (p Plan) LargestDim() int {
	if len(p.Dims) == 0 {
		return p.Dim
	}
	return slices.Max(p.Dims)
}

// Apply returns the settings with the choices of the plan.
func (p Plan) Apply(s Settings) Settings {
	s.Training.Dim, s.Training.Epochs, s.Training.MaxSteps = p.Dim, p.Epochs, p.MaxSteps
	if p.NoSearch {
		return s
	}
	if s.Planned.Structures {
		s.Budget, s.Halving = p.Structures, p.Halving
	}
	if s.Planned.Tune && p.Recipes == 0 {
		s.Tune = nil
	} else if s.Planned.Tune {
		tune := *s.Tune
		tune.Trials = p.Recipes
		s.Tune = &tune
	}
	if s.Planned.TuneEach && p.Each > 0 {
		s.TuneEach = EachTune(p.Each)
		if s.Training.Translate {
			s = s.WithTranslation()
		}
	}
	if s.Planned.Retrain {
		s.RetrainFound, s.RetrainBaselines = p.Found, p.Baselines
		s.RetrainSeeds, s.RetrainSplits = p.Seeds, p.Splits
		s.RetrainDims, s.RetrainEpochs, s.RetrainSteps = p.Dims, p.RetrainEpochs, p.RetrainSteps
	}
	return s
}
