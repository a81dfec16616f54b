package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// work tells what the rounds did and what they cost.
func (o *outcome) work() []part {
	if len(o.rounds) == 0 {
		return nil
	}
	training, proposing := o.seconds()
	text := fmt.Sprintf("Training and %s the structures of the rounds took %s. Filter, predictor and strategy took %s", o.Words.ScoredBy, duration(training), duration(proposing))
	if training > 0 {
		text += fmt.Sprintf(", %.1f %% of that", 100*proposing/training)
	}
	text += ". What the study's file took to write is not on record."
	repeats := 0
	for _, r := range o.rounds {
		repeats += r.Repeats
	}
	if repeats > 0 {
		text += fmt.Sprintf(" %s had a result already, which was taken from there.", format.Count(repeats, "proposal"))
	}
	if stopped := o.stoppedOnRungs(); stopped > 0 {
		text += fmt.Sprintf(" %s ended on a rung, after a part of the epochs, and are below only among all trials.", format.Count(stopped, "structure"))
	}
	return []part{{Text: text, Table: o.roundsTable()}, {Table: o.allTrials()}}
}

// stoppedOnRungs counts the structures that were not worth all epochs.
func (o *outcome) stoppedOnRungs() int {
	stopped := 0
	for _, t := range search.Proposed(o.Trials) {
		if t.Stage == task.HalvingRung && t.State != task.Running {
			stopped++
		}
	}
	return stopped
}

func (o *outcome) roundsTable() *page.Table {
	return page.NewTable("The rounds of the strategy", o.rounds,
		page.Number("round", func(r round) any { return fmt.Sprint(r.Number) }),
		page.Number("proposed", func(r round) any { return r.Proposed }),
		page.Number("known before", func(r round) any { return r.Repeats }),
		page.Number("trained", func(r round) any { return len(r.trials) }),
		page.Number("best "+o.Words.Metric, func(r round) any {
			if best := bestFirst(r.trials); len(best) > 0 {
				return best[0].Score
			}
			return format.Missing
		}),
		page.Number("mean "+o.Words.Metric, func(r round) any { return meanScore(bestFirst(r.trials)) }),
		page.Number("Spearman of the guesses", func(r round) any {
			rho, n := rankCorrelation(r.trials)
			if n < fewestToRank {
				rho = math.NaN()
			}
			return coefficient(rho)
		}),
		page.Number("seconds to propose", func(r round) any { return fmt.Sprintf("%.2f", r.Seconds) }),
		page.Number("seconds to train", func(r round) any { return fmt.Sprintf("%.1f", r.seconds) }))
}

// allTrials is folded away whole. An ensemble is none of them: nothing was trained.
func (o *outcome) allTrials() *page.Table {
	trained := slices.DeleteFunc(slices.Clone(o.Trials), func(t task.Trial) bool { return t.Stage == task.EnsembleSelection })
	return page.NewTable("All trials of the study by number", trained,
		trialNumber, stage,
		page.Number("round", func(t task.Trial) any {
			if t.Round == 0 {
				return format.Missing
			}
			return fmt.Sprint(t.Round)
		}),
		page.Number("prediction", func(t task.Trial) any { return t.Prediction }),
		o.score(), o.testScore(),
		page.Number("seconds", func(t task.Trial) any { return fmt.Sprintf("%.2f", t.Seconds) }),
		structureAs("structure"),
		page.Text("", func(t task.Trial) any {
			switch {
			case t.State == task.Failed:
				return "diverged"
			case t.State == task.Running:
				return "no result yet"
			case t.Name != "":
				return title(t.Name)
			}
			return guise(t)
		}),
	).Fold(0, "trial")
}

// mostFailures are shown before a reader asks for more.
const mostFailures = 10

// failures lists the trials that diverged, and why.
func (o *outcome) failures() []part {
	if len(o.failed) == 0 {
		return nil
	}
	columns := []column{trialNumber, stage, structureAs("structure")}
	if o.Words.ByRecipe {
		columns = append(columns, learningRate, dim)
	}
	columns = append(columns, page.Text("reason", func(t task.Trial) any { return t.Error }))
	return []part{{
		Text:  format.Count(len(o.failed), "trial") + " failed. They are never tried again, and count as trained.",
		Table: page.NewTable("Trials that failed", o.failed, columns...).Fold(mostFailures, "trial"),
	}}
}
