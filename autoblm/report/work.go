package report

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// work tells what the rounds did and what they cost.
func (o *outcome) work() (section, error) {
	s := section{ID: "rounds", Title: "Rounds and their cost"}
	rounds := o.byRound()
	if len(rounds) == 0 {
		return s, nil
	}
	t := &table{
		Caption: "The rounds of the strategy",
		Columns: numbers("round", "proposed", "known before", "trained", "best "+o.metric, "mean "+o.metric, "Spearman of the guesses", "seconds to propose", "seconds to train"),
	}
	var training, proposing float64
	repeats := 0
	for _, r := range rounds {
		training, proposing, repeats = training+r.seconds, proposing+r.Seconds, repeats+r.Repeats
		best, mean := missing, missing
		if complete := bestFirst(r.trials); len(complete) > 0 {
			sum := 0.0
			for _, trial := range complete {
				sum += trial.ScoreOrZero()
			}
			best, mean = score(complete[0]), number(sum/float64(len(complete)))
		}
		rho, n := rankCorrelation(r.trials)
		if n < fewestToRank {
			rho = math.NaN()
		}
		t.add(r.Number, r.Proposed, r.Repeats, len(r.trials), best, mean, coefficient(rho), fmt.Sprintf("%.2f", r.Seconds), fmt.Sprintf("%.1f", r.seconds))
	}
	judging := "ranking"
	if o.task == classes {
		judging = "testing"
	}
	text := fmt.Sprintf("Training and %s the structures of the rounds took %s. Filter, predictor and strategy took %s", judging, duration(training), duration(proposing))
	if training > 0 {
		text += fmt.Sprintf(", %.1f %% of that", 100*proposing/training)
	}
	text += ". What the study's file took to write is not on record."
	if repeats > 0 {
		text += fmt.Sprintf(" %s had a result already, which was taken from there.", count(repeats, "proposal"))
	}
	s.Parts = []part{{Text: text}, {Table: t}, {Table: o.allTrials()}}
	return s, nil
}

// allTrials is folded away whole.
func (o *outcome) allTrials() *table {
	t := &table{
		Caption: "All trials of the study by number",
		Columns: append(numbers("trial"), append(texts("stage"), append(numbers("round", "guess", o.validColumn, o.testColumn, "seconds"), texts("structure", "")...)...)...),
	}
	for _, trial := range o.Trials {
		guess, round, note := missing, missing, guise(trial)
		if trial.Guess != nil {
			guess = number(*trial.Guess)
		}
		if trial.Round > 0 {
			round = fmt.Sprint(trial.Round)
		}
		if trial.Name != "" {
			note = title(trial.Name)
		}
		switch trial.State {
		case task.Failed:
			note = "diverged"
		case task.Running:
			note = "no result yet"
		}
		t.add(trial.Number, trial.Stage, round, guess, score(trial), testScore(trial), fmt.Sprintf("%.2f", trial.Seconds), code(trial.Structure.String()), note)
	}
	t.fold(0, "trial")
	return t
}

// failures lists the trials that diverged, and why.
func (o *outcome) failures() (section, error) {
	s := section{ID: "failures", Title: "What went wrong"}
	if len(o.failed) == 0 {
		return s, nil
	}
	recipe := numbers("learning rate", "d")
	if o.task == classes { // all have those of the settings
		recipe = nil
	}
	t := &table{
		Caption: "Trials that failed",
		Columns: append(numbers("trial"), append(texts("stage", "structure"), append(recipe, texts("reason")...)...)...),
	}
	for _, trial := range o.failed {
		cells := []any{trial.Number, trial.Stage, code(trial.Structure.String())}
		if recipe != nil {
			cells = append(cells, fmt.Sprintf("%.3g", trial.Recipe.LearningRate), trial.Recipe.Training.Dim)
		}
		t.add(append(cells, trial.Error)...)
	}
	t.fold(mostFailures, "trial")
	s.Parts = []part{{Text: count(len(o.failed), "trial") + " failed. They are never tried again, and count as trained."}, {Table: t}}
	return s, nil
}

// data tells of the graph.
func (o *outcome) data() (section, error) {
	s := section{ID: "data", Title: "The data"}
	if o.Sizes != nil {
		s.Parts = o.sizes()
		return s, nil
	}
	if o.Statistics == nil {
		if o.NoGraph != "" {
			s.Parts = []part{{Text: fmt.Sprintf("Of %s nothing more can be said: %s", o.About.Dataset, o.NoGraph)}}
		}
		return s, nil
	}
	g := o.Statistics
	splits := &table{
		Caption: "The triples of " + o.About.Dataset,
		Columns: append(texts("split"), numbers("triples", "duplicates", "with something that train lacks")...),
	}
	splits.add("train", thousands(g.Train.Triples), thousands(g.Train.Duplicates), thousands(g.Train.Unseen))
	splits.add("valid", thousands(g.Valid.Triples), thousands(g.Valid.Duplicates), thousands(g.Valid.Unseen))
	splits.add("test", thousands(g.Test.Triples), thousands(g.Test.Duplicates), thousands(g.Test.Unseen))
	patterns := &table{
		Caption: "Its relation patterns (inverse relations are some of the general ones)",
		Columns: append(texts("pattern"), numbers("relations", "test triples", "share of test")...),
	}
	for _, p := range g.Patterns {
		patterns.add(p.Pattern, thousands(p.Relations), thousands(p.TestTriples), cell{Text: fmt.Sprintf("%.1f %%", p.TestPercent), Share: p.TestPercent})
	}
	text := fmt.Sprintf("The graph %s has %s and %s.", o.About.Dataset, counted(g.Entities, "entity", "entities"), count(g.Relations, "relation"))
	for _, odd := range []struct {
		n    int
		says string
	}{
		{g.EntitiesNotInTrain, "Entities that train lacks: %s."},
		{g.RelationsNotInTrain, "Relations that train lacks: %s."},
		{g.InSeveralSplits, "Triples in more than one split: %s."},
	} {
		if odd.n > 0 {
			text += " " + fmt.Sprintf(odd.says, thousands(odd.n))
		}
	}
	s.Parts = []part{{Text: text}, {Table: splits}, {Table: patterns}}
	return s, nil
}

// commands are what a reader may run.
func (o *outcome) commands() (section, error) {
	s := section{ID: "again", Title: "Run it again"}
	for _, c := range o.Commands {
		s.Parts = append(s.Parts, part{Command: &c})
	}
	return s, nil
}
