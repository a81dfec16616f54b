package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// analysis holds the trials of a study, sorted for the sections of a report.
type analysis struct {
	Data
	// proposed has the finished trials of the strategy, by round. found has the complete ones of
	// these, best first.
	proposed, found []task.Trial
	// trained and complete count the structures of the strategy with a result, also those that
	// stopped on a rung; complete leaves out diverged ones.
	trained, complete int
	baselines         []task.Trial
	// tuned and final have the complete trials of these stages, best first.
	tuned, final []task.Trial
	// tunedEach has the best trial of each model with its own recipe, best first.
	tunedEach []task.Trial
	// bestSearched is the best structure found, with its own recipe if it has one, and bestBaseline
	// the best baseline. best is the best structure with those of the final stage. kept is the
	// trial whose model is kept. All are nil if there is none.
	best, bestSearched, bestBaseline, kept *task.Trial
	recipe                                 task.Recipe  // of the search
	failed, running                        []task.Trial // diverged; without a result
	rounds                                 []round
}

// round holds the trials of a round.
type round struct {
	search.Round
	trials []task.Trial
	// seconds is the training time. It excludes baselines, which train before the rounds.
	seconds float64
}

func newAnalysis(d Data) *analysis {
	d.Presentation = d.Presentation.WithDefaults()
	result := d.Result()
	a := &analysis{
		Data:      d,
		baselines: result.Baselines,
		tuned:     result.Tuned,
		tunedEach: result.TunedEach,
		final:     result.Finals,
		kept:      result.Kept,
		recipe:    result.Recipe,
		trained:   result.Trained,
		complete:  result.Complete,
	}
	for _, t := range d.Trials {
		switch t.State {
		case task.Running:
			a.running = append(a.running, t)
			continue
		case task.Diverged, task.Lost:
			a.failed = append(a.failed, t)
		}
		if t.Round > 0 && t.Stage != task.HalvingRung {
			a.proposed = append(a.proposed, t)
		}
	}
	slices.SortStableFunc(a.proposed, func(x, y task.Trial) int {
		return cmp.Compare(x.Round, y.Round)
	})
	a.found = task.BestFirst(a.proposed)
	found, baselines := slices.Clone(a.found), slices.Clone(a.baselines)
	for _, t := range a.tunedEach {
		if t.Name == "" {
			found = append(found, t)
		} else {
			baselines = append(baselines, t)
		}
	}
	a.bestSearched, a.bestBaseline = first(found), first(baselines)
	a.best = first(slices.Concat(found, a.final))
	a.rounds = roundsOf(d.Rounds, d.Trials)
	return a
}

// first returns the best trial, nil without a complete one.
func first(trials []task.Trial) *task.Trial {
	best := task.BestFirst(trials)
	if len(best) == 0 {
		return nil
	}
	return &best[0]
}

// roundsOf returns the recorded rounds and those with a finished trial. Rungs count in their time.
func roundsOf(recorded []search.Round, trials []task.Trial) []round {
	var rounds []round
	index := map[int]int{}
	for _, r := range recorded {
		index[r.Number] = len(rounds)
		rounds = append(rounds, round{Round: r})
	}
	for _, t := range trials {
		if t.Round == 0 || t.State == task.Running {
			continue
		}
		n, known := index[t.Round]
		if !known {
			n = len(rounds)
			index[t.Round] = n
			rounds = append(rounds, round{Round: search.Round{Number: t.Round}})
		}
		if t.Stage != task.HalvingRung {
			rounds[n].trials = append(rounds[n].trials, t)
		}
		if t.Name == "" {
			rounds[n].seconds += t.Seconds
		}
	}
	return rounds
}

// seconds returns how long all rounds trained and scored structures, and how long they proposed
// them.
func (a *analysis) seconds() (training, proposing float64) {
	for _, r := range a.rounds {
		training, proposing = training+r.seconds, proposing+r.Seconds
	}
	return training, proposing
}

// label returns a label for a trial of the search or of a later stage.
func (a *analysis) label(t task.Trial) string {
	if t.Ensemble != nil {
		return "the ensemble"
	}
	label := capital(a.trialName(t))
	if study.IsBaseline(t) {
		return label
	}
	switch t.Stage {
	case task.TuningEach:
		label += " with its own recipe"
	case task.Final:
		label += " with the recipe of the final stage"
	case task.Retraining:
		label += fmt.Sprintf(" with seed %d", t.Recipe.Seed)
	}
	return label
}

// equivalence names the baseline to which the structure of a trial is equivalent.
func equivalence(t task.Trial) string {
	if same := t.Equivalent(); same != "" {
		return "is " + same
	}
	return ""
}
