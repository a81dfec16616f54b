package stage

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// halving is successive halving over rungs of epochs. Rung 0 is the lowest; the rung above the
// last one trains for all epochs.
type halving struct {
	rungs int
	full  task.Recipe
}

// promotions returns how many of n trials a rung promotes.
func promotions(n int) int { return (n + search.Reduction - 1) / search.Reduction }

// recipe returns the recipe of a rung.
func (h halving) recipe(rung int) task.Recipe {
	r := h.full
	part := math.Pow(search.Reduction, float64(h.rungs-rung))
	r.Training.Epochs = int(math.Ceil(float64(r.Training.Epochs) / part))
	return r
}

// stage returns the stage of the trials of a rung.
func (h halving) stage(rung int) task.Stage {
	if rung < h.rungs {
		return task.HalvingRung
	}
	return task.Searching
}

// isFirst returns true if a trial is the first training of a proposed structure.
func (h halving) isFirst(t task.Trial) bool {
	return t.Stage == h.stage(0) && t.Name == "" &&
		t.Recipe.Training.Epochs == h.recipe(0).Training.Epochs
}

// promote returns trials for those of the best third of each rung that are not on the next rung
// yet. A structure that is overtaken later keeps its place. Each trial trains from scratch, so that
// its result depends on the recipe alone. Nine structures, of which three and then one are
// promoted, take the time of three full trainings.
func (h halving) promote(all []task.Trial) (trials []task.Trial) {
	for rung := range h.rungs {
		next, stage := h.recipe(rung+1), h.stage(rung+1)
		ended := h.ended(all, rung)
		onRung := map[task.Model]bool{} // baselines of a round begin with all epochs
		for _, t := range ended {
			onRung[t.Model()] = true
		}
		promoted := map[task.Model]bool{}
		for _, t := range task.InStage(stage, all) {
			as := next
			as.Training.Message = t.Recipe.Training.Message
			if onRung[t.Model()] && t.Recipe.Training == as.Training {
				promoted[t.Model()] = true
			}
		}
		places := promotions(len(ended))
		best := task.BestFirst(ended)
		for _, t := range best[:min(len(best), places)] {
			if !promoted[t.Model()] && len(promoted) < places {
				promoted[t.Model()] = true
				full := task.Trial{
					Number: len(all) + len(trials) + 1, Stage: stage, Round: t.Round,
					Structure: t.Structure, Recipe: next, Prediction: t.Prediction,
					State: task.Running,
				}
				full.Recipe.Training.Message = t.Recipe.Training.Message
				trials = append(trials, full)
			}
		}
	}
	return trials
}

// ended returns the trials on a rung that have a result, diverged ones too.
func (h halving) ended(all []task.Trial, rung int) []task.Trial {
	epochs, stage := h.recipe(rung).Training.Epochs, h.stage(rung)
	return slices.DeleteFunc(slices.Clone(all), func(t task.Trial) bool {
		return t.Stage != stage || t.Round == 0 || t.Recipe.Training.Epochs != epochs ||
			t.State == task.Running
	})
}

// extrapolate returns trials in which the score of a structure that stopped on a rung is its
// expected score after full training: it is raised by the mean gain of the promoted ones.
func (h halving) extrapolate(trials, all []task.Trial) []task.Trial {
	gains := h.gains(all)
	for i, t := range trials {
		if t.Stage != task.HalvingRung || t.Score == nil {
			continue
		}
		score := *t.Score + gains[t.Recipe.Training.Epochs]
		trials[i].Score = &score
	}
	return trials
}

// gains returns the mean gain in score from the epochs of each rung to full training.
func (h halving) gains(all []task.Trial) map[int]float64 {
	gains, above := map[int]float64{}, 0.0
	for rung := h.rungs - 1; rung >= 0; rung-- {
		before := map[task.Model]float64{}
		for _, t := range task.BestFirst(h.ended(all, rung)) {
			before[t.Model()] = *t.Score
		}
		sum, count := 0.0, 0
		for _, t := range task.BestFirst(h.ended(all, rung+1)) {
			if score, both := before[t.Model()]; both {
				sum, count = sum+*t.Score-score, count+1
			}
		}
		if count > 0 {
			above += sum / float64(count)
		}
		gains[h.recipe(rung).Training.Epochs] = above
	}
	return gains
}
