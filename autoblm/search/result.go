package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Stop says why a search ended.
type Stop string

// The reasons why a search ends.
const (
	BudgetSpent    Stop = "budget"
	SpaceExhausted Stop = "space exhausted"
	TimeUp         Stop = "time"
	Interrupted    Stop = "interrupted"
)

// Result is what a search came to.
type Result struct {
	// Tuned has the trials of the tuning stage and Finals those of the last one,
	// best first; both are empty where the settings leave the stage out.
	Tuned, Finals []task.Trial
	// Again are the structures that were trained again with other seeds, the highest mean
	// first.
	Again []Retrained
	// Settings are those that were followed: of a plan, where there is one.
	Settings Settings
	Plan     *Plan
	// Ensemble is the trial that stands for the ensemble that was chosen among them, nil where there
	// is none. Of one member it says that no ensemble is better.
	Ensemble *task.Trial
	// Recipe is how the structures of the search were trained.
	Recipe task.Recipe
	// Best has the up to I best structures of the search, best first.
	Best []task.Trial
	// Named has the human-designed models under the same recipe; empty when K is not 4.
	Named []task.Trial
	// Trials has all trials of the study by number, and Rounds all rounds.
	Trials []task.Trial
	Rounds []Round
	// Artifact is what the best trial of the search, named models counted, and of the stages
	// after it has left; nil when no trial was complete, or where the task keeps nothing. Kept
	// is that trial where there is an artifact.
	Artifact task.Artifact
	Kept     *task.Trial
	// Trained counts the finished trials of the strategy, Complete those of them
	// that did not diverge, and Resumed those that the store had before.
	Trained, Complete, Resumed int
	Stopped                    Stop
	// Note explains Stopped where there is more to say.
	Note string
	// Metric is what the scores are, as "MRR"; "" of what was read from a file.
	Metric string
	// Seconds is the time of all trials of the study, and Overhead that of all
	// rounds: strategy, filter and predictor.
	Seconds, Overhead float64
}

func (s *searcher) result(stopped Stop, note string) (*Result, error) {
	best, err := s.Store.Best()
	if err != nil {
		return nil, err
	}
	r := Summarize(s.Settings, s.trials, s.rounds)
	r.Plan = s.plan
	r.Artifact, r.Metric, r.Resumed, r.Stopped, r.Note = best, s.Task.Presentation().Metric, s.resumed, stopped, note
	return r, nil
}

// Summarize is what a study came to, from its trials and rounds alone: without
// the artifact, the reason why it ended, and what was resumed.
func Summarize(settings Settings, trials []task.Trial, rounds []Round) *Result {
	history := Proposed(trials)
	complete := bestFirst(history)
	best := slices.DeleteFunc(slices.Clone(complete), func(t task.Trial) bool { return t.Stage == task.HalvingRung })
	r := &Result{
		Settings: settings,
		Tuned:    tunedRecipes(settings, trials), Finals: bestFirst(of(task.Final, trials)), Recipe: settings.TrialRecipe(),
		Best: best[:min(len(best), settings.I)], Trials: trials, Rounds: rounds,
		Trained: finished(history), Complete: len(complete), Kept: kept(trials), Again: retrained(trials), Ensemble: ensembleOf(trials),
	}
	if searched := of(task.Searching, trials); len(searched) > 0 { // the recipe may come from the tuning stage
		r.Recipe = searched[0].Recipe
	}
	for _, t := range trials {
		r.Seconds += t.Seconds
		if t.Name != "" && t.Stage == task.Searching && t.State != task.Running {
			r.Named = append(r.Named, t)
		}
	}
	for _, round := range rounds {
		r.Overhead += round.Seconds
	}
	return r
}
