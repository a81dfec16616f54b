package report

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// outcome is a study sorted for its readers.
type outcome struct {
	Data
	task string
	wording
	// proposed are the finished trials of the strategy in the order of the rounds,
	// and found the complete ones of them, best first.
	proposed, found []search.Trial
	// named are the human-designed models, in their own order.
	named []search.Trial
	// tuned and final are the complete trials of these stages, best first.
	tuned, final []search.Trial
	// recipe is that of the search.
	recipe search.Recipe
	// failed diverged, and running have no result yet.
	failed, running []search.Trial
}

func newOutcome(d Data) *outcome {
	result := d.Result()
	task := taskOf(d)
	o := &outcome{Data: d, task: task, wording: wordingOf(task), named: result.Named, tuned: result.Tuned, final: result.Finals, recipe: result.Recipe}
	for _, t := range d.Trials {
		switch t.State {
		case search.Running:
			o.running = append(o.running, t)
			continue
		case search.Failed:
			o.failed = append(o.failed, t)
		}
		if t.Round > 0 {
			o.proposed = append(o.proposed, t)
		}
	}
	slices.SortStableFunc(o.proposed, func(a, b search.Trial) int { return cmp.Compare(a.Round, b.Round) })
	o.found = bestFirst(o.proposed)
	return o
}

// bestFirst are the complete trials, the highest score first.
func bestFirst(trials []search.Trial) []search.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t search.Trial) bool { return t.State != search.Complete })
	slices.SortStableFunc(complete, func(a, b search.Trial) int { return cmp.Compare(b.Score(), a.Score()) })
	return complete
}

// bestNamed is the human-designed model with the highest score.
func (o *outcome) bestNamed() (search.Trial, bool) {
	complete := bestFirst(o.named)
	if len(complete) == 0 {
		return search.Trial{}, false
	}
	return complete[0], true
}

// bestModel is the trial that the best model of the study is from: of the search
// or of the last stage.
func (o *outcome) bestModel() (search.Trial, bool) {
	best := bestFirst(slices.Concat(o.found, o.final))
	if len(best) == 0 {
		return search.Trial{}, false
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
	trials []search.Trial
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
		recipe    search.Recipe
	}
	lowest, highest := map[class]float64{}, map[class]float64{}
	for _, t := range o.Trials {
		if t.State != search.Complete || t.Stage != search.Searching {
			continue
		}
		c := class{t.Canonical(), t.Recipe}
		low, twice := lowest[c]
		if !twice {
			lowest[c], highest[c] = t.Score(), t.Score()
			continue
		}
		lowest[c], highest[c] = min(low, t.Score()), max(highest[c], t.Score())
		if between := highest[c] - lowest[c]; !ok || between > difference {
			difference, of, ok = between, c.structure, true
		}
	}
	return difference, of, ok
}
