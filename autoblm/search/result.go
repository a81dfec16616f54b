package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Stop is the reason why a search ended.
type Stop string

// The reasons why a search ends.
const (
	BudgetSpent      Stop = "budget"
	SpaceExhausted   Stop = "space exhausted"
	TimeLimitReached Stop = "time"
	Interrupted      Stop = "interrupted"
	// CannotSelect means that validation data cannot select between models.
	CannotSelect Stop = "no validation"
)

// Result holds the results of a search.
type Result struct {
	// Tuned has the trials of the tuning stage and Finals those of the final stage, best first;
	// empty if the settings skip the stage.
	Tuned, Finals []task.Trial
	// TunedEach are the trials with the best recipes of the stage that tunes each model, best first;
	// empty if there is none. A model whose recipe stays that of the search has its trial there.
	TunedEach []task.Trial
	// Retrained are the retrained structures in the order of [RetrainedOf].
	Retrained []Retrained
	// Settings include the choices of the plan if there is one.
	Settings Settings
	Plan     *Plan
	// Ensemble is the trial of the ensemble, nil if none was selected. If it has one member, no
	// ensemble is better.
	Ensemble *task.Trial
	// Recipe is the recipe of the structures of the search.
	Recipe task.Recipe
	// Best has the best structures of the search, at most Settings.Parents, best first.
	Best []task.Trial
	// Baselines has the baselines with the same recipe; empty unless [Settings.HasBaselines].
	Baselines []task.Trial
	// Trials has all trials of the study by number, and Rounds all rounds.
	Trials []task.Trial
	Rounds []Round
	// Artifact is the best artifact of the search and the stages after it; nil if no trial is
	// complete or the task has no artifacts. Kept is the trial that it belongs to.
	Artifact task.Artifact
	Kept     *task.Trial
	// Trained counts the finished trials of the strategy, Complete those of them that did not
	// diverge, and Resumed those that the store already had.
	Trained, Complete, Resumed int
	Stopped                    Stop
	// Note explains Stopped if there is more to say.
	Note string
	// Metric is the metric of the scores, such as "MRR"; "" if the result is from a file.
	Metric string
	// Seconds is the time of all trials, and Overhead that of all rounds: strategy, filter and
	// predictor.
	Seconds, Overhead float64
}

// Summarize computes the results of a study from its trials and rounds. It leaves out the tuned
// recipes, the artifact, the reason why the search ended, and the number of resumed trials.
func Summarize(s Settings, trials []task.Trial, rounds []Round) *Result {
	history := Proposed(trials)
	complete := task.BestFirst(history)
	best := slices.DeleteFunc(slices.Clone(complete), func(t task.Trial) bool {
		return t.Stage == task.HalvingRung
	})
	r := &Result{
		Settings: s, Recipe: s.TrialRecipe(),
		Best: best[:min(len(best), s.Parents)], Trials: trials, Rounds: rounds,
		Trained: task.Finished(history), Complete: len(complete), Kept: Kept(trials),
		Retrained: RetrainedOf(trials), Ensemble: EnsembleOf(trials),
		Finals: task.BestFirst(task.InStage(task.Final, trials)),
	}
	if searched := task.InStage(task.Searching, trials); len(searched) > 0 {
		r.Recipe = searched[0].Recipe // which may come from the tuning stage
	}
	for _, t := range trials {
		r.Seconds += t.Seconds
		if t.Name != "" && t.Stage == task.Searching && t.State != task.Running {
			r.Baselines = append(r.Baselines, t)
		}
	}
	for _, round := range rounds {
		r.Overhead += round.Seconds
	}
	return r
}

// Kept returns the trial whose artifact the study stores as the best, or nil: the ensemble, else
// the kept trial of retraining or of the default model, else the best kept trial.
func Kept(trials []task.Trial) *task.Trial {
	for _, t := range task.InStage(task.EnsembleSelection, trials) {
		if t.Kept {
			return &t
		}
	}
	if t := KeptRetrained(trials); t != nil {
		return t
	}
	best := task.BestFirst(trials)
	at := slices.IndexFunc(best, func(t task.Trial) bool { return t.Kept })
	if at < 0 {
		return nil
	}
	return &best[at]
}

// KeptRetrained returns the kept trial of retraining or of the default model, or nil.
func KeptRetrained(trials []task.Trial) *task.Trial {
	for _, t := range trials {
		if t.Kept && IsRetrained(t) {
			return &t
		}
	}
	return nil
}

// IsRetrained returns true for trials at full size: those of retraining and of default models.
func IsRetrained(t task.Trial) bool {
	return t.Stage == task.Retraining || t.Stage == task.Default
}

// EnsembleOf returns the trial of the ensemble, nil if none was selected.
func EnsembleOf(trials []task.Trial) *task.Trial {
	ensembles := task.InStage(task.EnsembleSelection, trials)
	if len(ensembles) == 0 {
		return nil
	}
	return &ensembles[0]
}

// Members returns the trials of the members of the ensemble in the order of selection.
func (r *Result) Members() (members []task.Trial) {
	if r.Ensemble == nil {
		return nil
	}
	for _, number := range r.Ensemble.Ensemble.Members {
		at := slices.IndexFunc(r.Trials, func(t task.Trial) bool { return t.Number == number })
		members = append(members, r.Trials[at])
	}
	return members
}
