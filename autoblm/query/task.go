package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/dustin/go-humanize/english"
)

// TaskName is the name of [Task] in a study.
const TaskName = "query"

// Task is the answering of multi-hop queries by a bilinear model: the validation MRR of
// the queries decides between structures. A trial's metrics are those of answers at the
// ends of paths, as if these were tails.
type Task struct {
	task.Base
	Data     *Data
	Settings TaskSettings
	Engine   kge.Engine
	// Limits are as in [completion.Task], of queries.
	Limits eval.Limits
}

// Check implements [task.Task].
func (t *Task) Check() error {
	if err := t.Settings.Settings(DefaultSettings().Settings).Validate(kge.Member{Form: form.Diag, LearningRate: 1}); err != nil {
		return err
	}
	if _, err := t.Data.Training(t.Settings.Paths); err != nil {
		return err
	}
	for _, hops := range t.Settings.Hops {
		if err := t.Data.Needs(InValid, hops); err != nil {
			return err
		}
	}
	return nil
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	own, err := json.Marshal(t.Settings)
	if err != nil {
		return task.Identity{}, fmt.Errorf("cannot write the settings down: %w", err)
	}
	return task.Identity{
		Task: TaskName, Dataset: t.Data.Name, Fingerprint: t.Data.Fingerprint(t.Settings.Trained()...), Source: t.Data.Source(), TaskSettings: own,
	}, nil
}

// Train implements [task.Task].
func (t *Task) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]task.Artifact, error) {
	data, err := t.Data.Training(t.Settings.Paths)
	if err != nil {
		return nil, err
	}
	s := t.Settings.Settings(trials[0].Recipe.Training)
	for _, trial := range trials {
		if err := s.Validate(trial.Member()); err != nil {
			return nil, err
		}
	}
	job := kge.Job{Data: data, Settings: s.Settings, ValidateBy: t.Limits.Valid}
	return completion.TrainTrials(ctx, t.Engine, job, trials, onProgress, func(models []*kge.Model) ([]completion.Evaluations, error) {
		all := make([]completion.Evaluations, len(models))
		for i, m := range models {
			if m == nil {
				continue
			}
			e, err := EvaluateBy(ctx, t.Engine, m, t.Data, eval.Options{Limits: t.Limits}, t.Settings.Hops...)
			if err != nil {
				return nil, err
			}
			all[i] = completion.Evaluations{Valid: asTails(e.Valid), Test: asTails(e.Test)}
		}
		return all, nil
	})
}

// asTails are metrics of answers at the ends of paths, as if these were tails.
func asTails(e *Evaluation) *completion.Evaluation {
	if e == nil {
		return nil
	}
	return &completion.Evaluation{Triples: e.Answers, Of: e.AnswersOf, Ties: eval.Pessimistic, Both: e.Metrics, Tail: e.Metrics}
}

// NewPresentation are those of completion but for what queries do not have: sides, and a count of
// what was ranked, since a query has many answers.
func NewPresentation(own TaskSettings) task.Presentation {
	w := completion.NewPresentation()
	w.Purpose = strings.TrimSpace("answers to queries " + own.lengths())
	w.HowMeasured = "MRR, Hits@k and mean rank are means over the queries, and within a query over its answers that the smaller graph does not give. An answer is ranked among the entities that are no answer, and those that score the same as it count against it. " + completion.WhatDecides
	w.HowToRead = "A structure says which chunks of the entity before (rows), the relation (coloured blocks) and the entity behind (columns) multiply in the score of a hop; the matrices of the relations of a path are multiplied."
	w.SamplingError = task.SamplingError{
		Valid: [2]string{"validation query", "validation queries"}, Test: [2]string{"test query", "test queries"},
		Assuming: "as if no two queries had an edge in common",
	}
	w.Metrics = func(trials []task.LabeledTrial) []page.Part {
		return []page.Part{{Table: completion.CompareMetrics("Metrics over the %s queries", trials)}}
	}
	w.Breakdown, w.Models = "", nil
	w.Settings, w.Defaults = settings.Of(own), settings.Of(TaskSettings{Paths: DefaultSettings().Paths})
	return w
}

// lengths are those of the paths that decide, as "of 2 hops", "" if they are not known.
func (p Paths) lengths() string {
	if len(p.Hops) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s %s", format.List(p.Hops, "or"), english.PluralWord(slices.Max(p.Hops), "hop", ""))
}

// Presentation implements [task.Task], and knows how many queries there are.
func (t *Task) Presentation() task.Presentation {
	w := NewPresentation(t.Settings)
	w.SamplingError.Count = func(json.RawMessage) (valid, test int) { return t.count(InValid), t.count(InTest) }
	return w
}

// Size implements [task.Task].
func (t *Task) Size() task.Size {
	size := task.Size{Entities: len(t.Data.Entities), Validation: t.count(InValid), Test: t.count(InTest)}
	for _, hops := range t.Settings.Trained() {
		size.Examples += len(t.Data.Queries(InTrain, hops))
	}
	return size
}

// count is how many queries of a split have paths of the lengths that decide.
func (t *Task) count(s Split) int { return len(t.Data.together(s, t.Settings.Hops)) }

// Measure returns the sizes of the data.
func (t *Task) Measure(_ context.Context, b task.Best) (*task.Measures, error) {
	return &task.Measures{Data: []page.Part{{
		Text: fmt.Sprintf("The graph %s has %s and %s.", b.Dataset, format.Count(len(t.Data.Entities), "entity"), format.Count(len(t.Data.Relations), "relation")),
		Table: page.NewTable(strings.TrimSpace("The queries "+t.Settings.lengths()), []Split{InTrain, InValid, InTest},
			page.Text("split", func(s Split) any { return s }),
			page.Number("queries", func(s Split) any { return t.count(s) })),
	}}}, nil
}

var _ task.Task = (*Task)(nil)

// Arithmetic implements [task.Task].
func (t *Task) Arithmetic(p kge.Precision) (engine, backend string) {
	return t.Engine.Name(), t.Engine.Backend(p)
}

// Precision implements [task.Task].
func (t *Task) Precision(asked kge.Precision, f form.Form, dim int) (kge.Precision, error) {
	return t.Engine.Precision(asked, f, len(t.Data.Entities), dim)
}
