package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// work shows the rounds and their cost, and all trials.
func (a *analysis) work() []Part {
	if len(a.rounds) == 0 {
		return nil
	}
	training, proposing := a.seconds()
	text := fmt.Sprintf("Training and %s the structures of the rounds took %s. "+
		"Filter, predictor and strategy took %s",
		a.Presentation.ScoredBy, duration(training), duration(proposing))
	if training > proposing {
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
		text += fmt.Sprintf(" %s stopped at a rung of successive halving.",
			format.Count(stopped, "structure"))
	}
	return []Part{{Text: text, Table: a.roundsTable()}}
}

// stoppedOnRungs counts the structures that were not promoted to all epochs.
func (a *analysis) stoppedOnRungs() int {
	stopped := 0
	for _, t := range search.Proposed(a.Trials) {
		if t.Stage == task.HalvingRung && t.State == task.Complete {
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
			if best := task.BestFirst(r.trials); len(best) > 0 {
				return best[0].Score
			}
			return format.Missing
		}),
		page.Number("mean "+metric, func(r round) any { return meanScore(task.BestFirst(r.trials)) }),
		page.Number("seconds to propose", func(r round) any {
			return fmt.Sprintf("%.2f", r.Seconds)
		}),
		page.Number("seconds to train", func(r round) any {
			return fmt.Sprintf("%.1f", r.seconds)
		}))
}

// mostFailures is the number of failed trials that are visible without unfolding.
const mostFailures = 10

// failures lists the trials that diverged or were lost.
func (a *analysis) failures() []Part {
	if len(a.failed) == 0 {
		return nil
	}
	columns := []column{trialNumber, stage, structureColumn("structure")}
	if a.Presentation.ByRecipe {
		columns = append(columns, learningRate, dim)
	}
	columns = append(columns, page.Text("reason", func(t task.Trial) any { return t.Error }))
	table := page.NewTable("Trials that failed", a.failed, columns...)
	return []Part{{
		Text: format.Count(len(a.failed), "trial") +
			" failed. They are not retried and count as trained.",
		Table: table.Fold(mostFailures, "trial"),
	}}
}
