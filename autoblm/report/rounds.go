package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// work shows the rounds and their cost, and all trials.
func (a *analysis) work() []part {
	if len(a.rounds) == 0 {
		return nil
	}
	training, proposing := a.seconds()
	text := fmt.Sprintf("Training and %s the structures of the rounds took %s. "+
		"Filter, predictor and strategy took %s",
		a.Presentation.ScoredBy, duration(training), duration(proposing))
	if training > 0 {
		text += fmt.Sprintf(", %.1f %% of that", 100*proposing/training)
	}
	text += ". Writing the study is not included."
	repeats := 0
	for _, r := range a.rounds {
		repeats += r.Repeats
	}
	if repeats > 0 {
		text += fmt.Sprintf(" %s had a result already, which was reused.",
			format.Count(repeats, "proposal"))
	}
	if stopped := a.stoppedOnRungs(); stopped > 0 {
		text += fmt.Sprintf(" %s stopped at a rung of successive halving; "+
			"only the table of all trials has them.", format.Count(stopped, "structure"))
	}
	return []part{{Text: text, Table: a.roundsTable()}, {Table: a.allTrials()}}
}

// stoppedOnRungs counts the structures that were not promoted to all epochs.
func (a *analysis) stoppedOnRungs() int {
	stopped := 0
	for _, t := range search.Proposed(a.Trials) {
		if t.Stage == task.HalvingRung && t.State != task.Running {
			stopped++
		}
	}
	return stopped
}

func (a *analysis) roundsTable() *page.Table {
	metric := a.Presentation.Metric
	return page.NewTable("Rounds of the strategy", a.rounds,
		page.Number("round", func(r round) any { return fmt.Sprint(r.Number) }),
		page.Number("proposed", func(r round) any { return r.Proposed }),
		page.Number("repeats", func(r round) any { return r.Repeats }),
		page.Number("trained", func(r round) any { return len(r.trials) }),
		page.Number("best "+metric, func(r round) any {
			if best := bestFirst(r.trials); len(best) > 0 {
				return best[0].Score
			}
			return format.Missing
		}),
		page.Number("mean "+metric, func(r round) any { return meanScore(bestFirst(r.trials)) }),
		page.Number("predictor ρ", func(r round) any {
			rho, n := rankCorrelation(r.trials)
			if n < fewestToRank {
				rho = math.NaN()
			}
			return coefficient(rho)
		}),
		page.Number("seconds to propose", func(r round) any {
			return fmt.Sprintf("%.2f", r.Seconds)
		}),
		page.Number("seconds to train", func(r round) any {
			return fmt.Sprintf("%.1f", r.seconds)
		}))
}

// allTrials returns a folded table of the trials that trained a model.
func (a *analysis) allTrials() *page.Table {
	trained := slices.DeleteFunc(slices.Clone(a.Trials), func(t task.Trial) bool {
		return t.Stage == task.EnsembleSelection
	})
	return page.NewTable("All trials of the study by number", trained,
		trialNumber, stage,
		page.Number("round", func(t task.Trial) any {
			if t.Round == 0 {
				return format.Missing
			}
			return fmt.Sprint(t.Round)
		}),
		page.Number("prediction", func(t task.Trial) any { return t.Prediction }),
		a.score(), a.testScore(),
		page.Number("seconds", func(t task.Trial) any { return fmt.Sprintf("%.2f", t.Seconds) }),
		structureColumn("structure"),
		page.Text("", func(t task.Trial) any {
			switch {
			case t.State == task.Failed:
				return "diverged"
			case t.State == task.Running:
				return "no result yet"
			case t.Name != "":
				return structure.TitleOf(t.Name)
			}
			return equivalence(t)
		}),
	).Fold(0, "trial")
}

// mostFailures is the number of failed trials that are visible without unfolding.
const mostFailures = 10

// failures lists the trials that diverged.
func (a *analysis) failures() []part {
	if len(a.failed) == 0 {
		return nil
	}
	columns := []column{trialNumber, stage, structureColumn("structure")}
	if a.Presentation.ByRecipe {
		columns = append(columns, learningRate, dim)
	}
	columns = append(columns, page.Text("reason", func(t task.Trial) any { return t.Error }))
	table := page.NewTable("Trials that failed", a.failed, columns...)
	return []part{{
		Text: format.Count(len(a.failed), "trial") +
			" failed. They are not retried and count as trained.",
		Table: table.Fold(mostFailures, "trial"),
	}}
}
