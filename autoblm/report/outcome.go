package report

import (
	"cmp"
	"html/template"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// outcome is a study sorted for its readers.
type outcome struct {
	Data
	// proposed are the finished trials of the strategy in the order of the rounds,
	// and found the complete ones of them, best first.
	proposed, found []task.Trial
	// named are the human-designed models, in their own order.
	named []task.Trial
	// tuned and final are the complete trials of these stages, best first.
	tuned, final []task.Trial
	// best is the best of the structures found, in the search or in the last stage, and
	// bestNamed the best human-designed model. kept is the trial that the best model of the
	// study is from. All may be nil.
	best, bestNamed, kept *task.Trial
	// recipe is that of the search.
	recipe task.Recipe
	// failed diverged, and running have no result yet.
	failed, running []task.Trial
	// rounds are those with a finished trial, or that are on record.
	rounds []round
	// err is the first of a picture that could not be drawn.
	err error
}

// round has what happened in one.
type round struct {
	search.Round
	trials []task.Trial
	// seconds is what its trainings took; those of named models were made before.
	seconds float64
}

func newOutcome(d Data) *outcome {
	d.Words = d.Words.WithDefaults()
	result := d.Result()
	o := &outcome{Data: d, named: result.Named, tuned: result.Tuned, final: result.Finals, kept: result.Kept, recipe: result.Recipe}
	for _, t := range d.Trials {
		switch t.State {
		case task.Running:
			o.running = append(o.running, t)
			continue
		case task.Failed:
			o.failed = append(o.failed, t)
		}
		if t.Round > 0 && t.Stage != task.HalvingRung {
			o.proposed = append(o.proposed, t)
		}
	}
	slices.SortStableFunc(o.proposed, func(a, b task.Trial) int { return cmp.Compare(a.Round, b.Round) })
	o.found = bestFirst(o.proposed)
	if all := bestFirst(slices.Concat(o.found, o.final)); len(all) > 0 {
		o.best = &all[0]
	}
	if all := bestFirst(o.named); len(all) > 0 {
		o.bestNamed = &all[0]
	}
	o.rounds = roundsOf(d.Rounds, o.proposed)
	return o
}

// bestFirst are the complete trials, the highest score first.
func bestFirst(trials []task.Trial) []task.Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.State != task.Complete })
	slices.SortStableFunc(complete, func(a, b task.Trial) int { return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero()) })
	return complete
}

func roundsOf(recorded []search.Round, proposed []task.Trial) []round {
	var rounds []round
	at := map[int]int{}
	for _, r := range recorded {
		at[r.Number] = len(rounds)
		rounds = append(rounds, round{Round: r})
	}
	for _, t := range proposed {
		n, known := at[t.Round]
		if !known {
			n = len(rounds)
			at[t.Round] = n
			rounds = append(rounds, round{Round: search.Round{Number: t.Round}})
		}
		rounds[n].trials = append(rounds[n].trials, t)
		if t.Name == "" {
			rounds[n].seconds += t.Seconds
		}
	}
	return rounds
}

// seconds are those that the rounds took to train and to judge structures, and to
// propose them.
func (o *outcome) seconds() (training, proposing float64) {
	for _, r := range o.rounds {
		training, proposing = training+r.seconds, proposing+r.Seconds
	}
	return training, proposing
}

// bySeed is the largest difference in score between two trials of one class and recipe,
// which is all by their seeds, and that class; ok is false when no class was trained
// twice.
func (o *outcome) bySeed() (difference float64, of structure.Structure, ok bool) {
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

// title is the name of a human-designed model as papers print it.
func title(name string) string {
	for _, named := range structure.Baselines() {
		if named.Name == name {
			return named.Title
		}
	}
	return name
}

// guise names the human-designed model that a trial's structure is equivalent to.
func guise(t task.Trial) string {
	if same := t.Structure.Name(); same != "" && t.Name == "" {
		return "is " + title(same)
	}
	return ""
}

// inline is a picture as a part of the page.
func (o *outcome) inline(picture plot.Picture, label string) template.HTML {
	element, err := picture.Inline(label)
	o.err = cmp.Or(o.err, err)
	return template.HTML(element)
}
