package search

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// halving is what the epochs grow by from one rung to the next, and what is left of the
// structures (Jamieson and Talwalkar, 2016; Li et al., 2018, whose η it is).
const halving = 3

// onRung is a recipe for a part of the epochs: all of them on the rung above the last.
func (s Settings) onRung(rung int, whole task.Recipe) task.Recipe {
	part := math.Pow(halving, float64(s.Rungs-rung))
	whole.Training.Epochs = int(math.Ceil(float64(whole.Training.Epochs) / part))
	return whole
}

// stageOf is that of the trials on a rung.
func (s Settings) stageOf(rung int) task.Stage {
	if rung < s.Rungs {
		return task.HalvingRung
	}
	return task.Searching
}

// climb adds trials for those that are worth more epochs: the best of those that ended on a
// rung, as long as no more than a third of all go on. One that is overtaken later keeps its
// place. The training begins anew, so that its result is that of its recipe alone: nine
// structures, of which three and then one go on, take the time of three.
func (s *searcher) climb() (climbed bool, err error) {
	var trials []task.Trial
	for rung := range s.Settings.Rungs {
		next, stage := s.Settings.onRung(rung+1, s.recipe), s.Settings.stageOf(rung+1)
		higher := map[structure.Structure]bool{}
		for _, t := range of(stage, s.trials) {
			if t.Round > 0 && t.Recipe.Training == next.Training {
				higher[t.Structure] = true
			}
		}
		ended := s.endedOn(rung)
		places := (len(ended) + halving - 1) / halving
		best := bestFirst(ended)
		for _, t := range best[:min(len(best), places)] {
			if !higher[t.Structure] && len(higher) < places {
				higher[t.Structure] = true
				trials = append(trials, task.Trial{Number: len(s.trials) + len(trials) + 1, Stage: stage, Round: t.Round, Structure: t.Structure, Recipe: next, Prediction: t.Prediction, State: task.Running})
			}
		}
	}
	if len(trials) == 0 {
		return false, nil
	}
	return true, s.put(Change{Trials: trials})
}

// endedOn are the trials on a rung that have a result, diverged ones too.
func (s *searcher) endedOn(rung int) []task.Trial {
	epochs, stage := s.Settings.onRung(rung, s.recipe).Training.Epochs, s.Settings.stageOf(rung)
	return slices.DeleteFunc(slices.Clone(s.trials), func(t task.Trial) bool {
		return t.Stage != stage || t.Round == 0 || t.Recipe.Training.Epochs != epochs || t.State == task.Running
	})
}

// history is what a strategy sees: the structures of the rounds, and the named models where
// the search begins with what is known. Those that stopped on a rung have the score that they
// would have gained, had they gained as much as those that went on from there did in the mean.
func (s *searcher) history() []task.Trial {
	var all []task.Trial
	if s.Settings.Known {
		for _, t := range s.trials {
			if t.Stage == task.Searching && t.Name != "" && t.Round == 0 && t.State != task.Running {
				all = append(all, t)
			}
		}
	}
	all = append(all, Proposed(s.trials)...)
	gains := s.gains()
	for i, t := range all {
		if t.Stage != task.HalvingRung || t.Score == nil {
			continue
		}
		score := *t.Score + gains[t.Recipe.Training.Epochs]
		all[i].Score = &score
	}
	return all
}

// gains are how much a score grows in the mean from the epochs of a rung to all of them.
func (s *searcher) gains() map[int]float64 {
	gains, above := map[int]float64{}, 0.0
	for rung := s.Settings.Rungs - 1; rung >= 0; rung-- {
		before := map[structure.Structure]float64{}
		for _, t := range bestFirst(s.endedOn(rung)) {
			before[t.Structure] = *t.Score
		}
		sum, count := 0.0, 0
		for _, t := range bestFirst(s.endedOn(rung + 1)) {
			if score, both := before[t.Structure]; both {
				sum, count = sum+*t.Score-score, count+1
			}
		}
		if count > 0 {
			above += sum / float64(count)
		}
		gains[s.Settings.onRung(rung, s.recipe).Training.Epochs] = above
	}
	return gains
}
