package report

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// outcome is a study sorted for its readers.
type outcome struct {
	Data
	task string
	wording
	// proposed are the finished trials of the strategy in the order of the rounds,
	// and found the complete ones of them, best first.
	proposed, found []task.Trial
	// named are the human-designed models, in their own order.
	named []task.Trial
	// tuned and final are the complete trials of these stages, best first.
	tuned, final []task.Trial
	// recipe is that of the search.
	recipe task.Recipe
	// failed diverged, and running have no result yet.
	failed, running []task.Trial
}

func newOutcome(d Data) *outcome {
	result := d.Result()
	o := &outcome{Data: d, task: d.About.Task, wording: wordingOf(d.About.Task), named: result.Named, tuned: result.Tuned, final: result.Finals, recipe: result.Recipe}
	for _, t := range d.Trials {
		switch t.State {
		case task.Running:
			o.running = append(o.running, t)
			continue
		case task.Failed:
			o.failed = append(o.failed, t)
		}
		if t.Round > 0 {
			o.proposed = append(o.proposed, t)
		}
	}
	slices.SortStableFunc(o.proposed, func(a, b task.Trial) int { return cmp.Compare(a.Round, b.Round) })
	o.found = bestFirst(o.proposed)
	return o
}

// bestFirst are the complete trials, the highest score first.
func bestFirst(trials []task.Trial) []task.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.State != task.Complete })
	slices.SortStableFunc(complete, func(a, b task.Trial) int { return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero()) })
	return complete
}

// bestNamed is the human-designed model with the highest score.
func (o *outcome) bestNamed() (task.Trial, bool) {
	complete := bestFirst(o.named)
	if len(complete) == 0 {
		return task.Trial{}, false
	}
	return complete[0], true
}

// bestModel is the trial that the best model of the study is from: of the search
// or of the last stage.
func (o *outcome) bestModel() (task.Trial, bool) {
	best := bestFirst(slices.Concat(o.found, o.final))
	if len(best) == 0 {
		return task.Trial{}, false
	}
	return best[0], true
}

// title is the name of a human-designed model as papers print it.
func title(name string) string {
	for _, named := range structure.HumanDesigned() {
		if named.Name == name {
			return named.Title
		}
	}
	return name
}

// roundOf has what happened in a round.
type roundOf struct {
	search.Round
	trials []task.Trial
	// seconds is what its trainings took; those of named models were made before.
	seconds float64
}

// byRound are the rounds with a finished trial, or that are on record.
func (o *outcome) byRound() []roundOf {
	var rounds []roundOf
	at := map[int]int{}
	for _, r := range o.Rounds {
		at[r.Number] = len(rounds)
		rounds = append(rounds, roundOf{Round: r})
	}
	for _, t := range o.proposed {
		n, known := at[t.Round]
		if !known {
			n = len(rounds)
			at[t.Round] = n
			rounds = append(rounds, roundOf{Round: search.Round{Number: t.Round}})
		}
		rounds[n].trials = append(rounds[n].trials, t)
		if t.Name == "" {
			rounds[n].seconds += t.Seconds
		}
	}
	return rounds
}

// seconds is what training and ranking the structures of the rounds took.
func (o *outcome) seconds() float64 {
	sum := 0.0
	for _, r := range o.byRound() {
		sum += r.seconds
	}
	return sum
}

// again is the largest difference in score between two trials of one
// class and recipe, which is all by their seeds, and that class; ok is
// false when no class was trained twice.
func (o *outcome) again() (difference float64, of structure.Structure, ok bool) {
	type class struct {
		structure structure.Structure
		recipe    task.Recipe
	}
	lowest, highest := map[class]float64{}, map[class]float64{}
	for _, t := range o.Trials {
		if t.State != task.Complete || t.Stage != task.Searching {
			continue
		}
		c := class{t.Canonical(), t.Recipe}
		low, twice := lowest[c]
		if !twice {
			lowest[c], highest[c] = t.ScoreOrZero(), t.ScoreOrZero()
			continue
		}
		lowest[c], highest[c] = min(low, t.ScoreOrZero()), max(highest[c], t.ScoreOrZero())
		if between := highest[c] - lowest[c]; !ok || between > difference {
			difference, of, ok = between, c.structure, true
		}
	}
	return difference, of, ok
}
