package search

import (
	"math"
	"slices"
)

// Pace is how fast trainings are at a dimension.
type Pace struct {
	Dim int `json:"dim"`
	// Step is the seconds of a step, and End of all that comes once in a training, as the
	// ranking at its end.
	Step float64 `json:"step"`
	End  float64 `json:"end"`
}

// Paces are those at several dimensions, ascending; what is between and beyond is taken to be
// proportional.
type Paces struct {
	At []Pace `json:"at"`
	// Steps is how many an epoch has, and Every how many epochs lie between validations, 0
	// without any.
	Steps int `json:"steps"`
	Every int `json:"every,omitempty"`
}

// of is the pace at a dimension.
func (p Paces) of(dim int) Pace {
	best := p.At[0]
	for _, a := range p.At {
		if a.Dim <= dim {
			best = a
		}
	}
	times := float64(dim) / float64(best.Dim)
	return Pace{dim, best.Step * times, best.End * times}
}

// times are the paces of what takes so many times as long.
func (p Paces) times(factor float64) Paces {
	p.At = slices.Clone(p.At)
	for i := range p.At {
		p.At[i].Step *= factor
		p.At[i].End *= factor
	}
	return p
}

// training is the seconds of a whole one.
func (p Paces) training(dim, epochs, maxSteps int) float64 {
	a, steps := p.of(dim), p.Steps
	if maxSteps > 0 {
		steps = min(steps, maxSteps)
	}
	validations := 0.0
	if p.Every > 0 {
		validations = math.Ceil(float64(epochs) / float64(p.Every))
	}
	return float64(epochs*steps)*a.Step + (1+validations/2)*a.End // of which one half is the test
}
