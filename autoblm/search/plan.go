package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Planned are the settings that a search chooses for itself, so that it ends in its time; the
// others stay as they are.
type Planned struct {
	// Dim and Epochs are those of the structures that are compared, and of those that are
	// trained again.
	Dim    bool `json:"dim,omitempty"`
	Epochs bool `json:"epochs,omitempty"`
	// Structures is how many are trained, and on how many rungs.
	Structures bool `json:"structures,omitempty"`
	// Tune is how many recipes are tried, and Again how many models are trained at the end.
	Tune  bool `json:"tune,omitempty"`
	Again bool `json:"again,omitempty"`
}

// Plan is what a search does with its time. It is made once, from what a few steps took, and
// kept with the trials: whoever goes on with the search goes on by it. A longer time makes
// another.
type Plan struct {
	// Limit is the time of the search, all processes taken together.
	Limit time.Duration `json:"limit"`
	// Used is how much of it was gone when the plan was kept.
	Used time.Duration `json:"used"`
	// Dim, Epochs and MaxSteps are those of the structures that are compared.
	Dim      int `json:"dim"`
	Epochs   int `json:"epochs"`
	MaxSteps int `json:"max_steps,omitempty"`
	// Recipes are tried, and Structures trained on so many Rungs.
	Recipes    int `json:"recipes"`
	Structures int `json:"structures"`
	Rungs      int `json:"rungs"`
	LastPlan
	// TuneUntil and SearchUntil are when the first two stages end at the latest.
	TuneUntil   time.Duration `json:"tune_until"`
	SearchUntil time.Duration `json:"search_until"`
	// Tuned is set once the recipe is found, whose pace the rest is planned by, and Searched
	// once the structures are compared.
	Tuned    bool `json:"tuned,omitempty"`
	Searched bool `json:"searched,omitempty"`
	// Ended is set once all is done, or the time is up: only a longer one goes on then. Stopped
	// and Note are why.
	Ended   bool   `json:"ended,omitempty"`
	Stopped Stop   `json:"stopped,omitempty"`
	Note    string `json:"note,omitempty"`
	// Ranked is how many validation questions of a trial are ranked at most, and as many of the
	// test of what is trained again, and none of the rest; 0 where all are.
	Ranked int `json:"ranked,omitempty"`
	// Few is whether there is little validation data, which splits make up for.
	Few bool `json:"few,omitempty"`
	// Paces is how fast trainings are.
	Paces Paces `json:"paces"`
	// Seconds is what the plan is likely to take.
	Seconds float64 `json:"seconds"`
}

// LastPlan is what is trained again in the end.
type LastPlan struct {
	// Found and Named structures are, by Seeds at least and judged by so many Splits, of one of
	// Dims, for AgainEpochs, each of which ends after AgainSteps where that is not 0.
	Found       int   `json:"found"`
	Named       int   `json:"named"`
	Seeds       int   `json:"seeds"`
	Splits      int   `json:"splits,omitempty"`
	Dims        []int `json:"dims,omitempty"`
	AgainEpochs int   `json:"again_epochs"`
	AgainSteps  int   `json:"again_steps,omitempty"`
}

// String is the plan in a line, or what is left of it once the recipe is found.
func (p Plan) String() string {
	var steps []string
	if p.Recipes > 0 && !p.Tuned {
		steps = append(steps, format.Count(p.Recipes, "recipe"))
	}
	compared := fmt.Sprintf("%s at d %d", format.Count(p.Structures, "structure"), p.Dim)
	if len(p.Paces.At) == 0 {
		compared = "up to " + compared
	}
	if p.Rungs > 0 {
		compared += ", " + format.Count(p.Rungs, "rung")
	}
	if p.MaxSteps > 0 {
		compared += fmt.Sprintf(", %s of an epoch each", format.Count(p.MaxSteps, "step"))
	} else {
		compared += ", " + format.Count(p.Epochs, "epoch")
	}
	steps = append(steps, compared)
	if p.Seeds > 0 {
		again := fmt.Sprintf("then the best %d with %s", p.Found+p.Named, format.Count(p.Seeds, "seed"))
		if p.Splits > 0 {
			again += " and " + format.Count(p.Splits, "split")
		}
		again += fmt.Sprintf(" at d %d", p.largest())
		if p.AgainSteps > 0 {
			again += ", " + format.Count(p.AgainSteps, "step")
		} else if p.AgainEpochs != p.Epochs {
			again += ", " + format.Count(p.AgainEpochs, "epoch")
		}
		steps = append(steps, again)
	}
	return fmt.Sprintf("%s: about %s", strings.Join(steps, ", "), format.Seconds(p.Seconds))
}

func (p Plan) largest() int {
	if len(p.Dims) == 0 {
		return p.Dim
	}
	return slices.Max(p.Dims)
}

// Apply are settings by the plan.
func (p Plan) Apply(s Settings) Settings {
	s.Training.Dim, s.Training.Epochs, s.Training.MaxSteps = p.Dim, p.Epochs, p.MaxSteps
	if s.Planned.Structures {
		s.Budget, s.Rungs = p.Structures, p.Rungs
	}
	if s.Planned.Tune && p.Recipes == 0 {
		s.Tune = nil
	} else if s.Planned.Tune {
		tune := *s.Tune
		tune.Trials = p.Recipes
		s.Tune = &tune
	}
	if s.Planned.Again {
		s.Again, s.AgainFound, s.AgainNamed, s.AgainDims, s.AgainEpochs, s.AgainSteps, s.Splits = p.Seeds, p.Found, p.Named, p.Dims, p.AgainEpochs, p.AgainSteps, p.Splits
	}
	return s
}
