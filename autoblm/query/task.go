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
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/dustin/go-humanize/english"
)

// TaskName is the name of [Task] in a study.
const TaskName = "query"

// Task searches structures for answering multi-hop queries with a bilinear model. It scores them by
// the validation MRR of the queries. A trial reports the metrics of answers as those of tails.
type Task struct {
	task.Base
	Data     *Data
	Settings TaskSettings
	Engine   kge.Engine
	// Limits limit the queries to rank, as in [completion.Task].
	Limits eval.Limits
}

// Default returns ComplEx, or a model of another form, with the default settings, as the command
// query train has them.
func (t *Task) Default(f form.Form) (task.Trial, bool) {
	s, m := Default(f)
	r := kge.Recipe{Training: s.Settings, LearningRate: m.LearningRate, Weights: m.Weights}
	trial := task.Trial{Form: f, Recipe: task.Recipe{Recipe: r}}
	if f == form.Bilinear {
		trial.Name, trial.Structure = "complex", structure.MustParse("complex")
	}
	return trial, true
}

// Check implements [task.Task].
func (t *Task) Check() error {
	s := t.Settings.Settings(BasicSettings().Settings)
	if err := s.Validate(kge.Member{Form: form.Diag, LearningRate: 1}); err != nil {
		return err
	}
	_, err := t.Data.Training(t.Settings.Paths)
	return err
}

// CannotSelect implements [task.Task].
func (t *Task) CannotSelect() string {
	for _, hops := range t.Settings.Hops {
		if t.Data.Queries(InValid, hops) == nil {
			return fmt.Sprintf("%s has no valid queries of %s", t.Data.Name, format.Count(hops, "hop"))
		}
	}
	return ""
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	encoded, err := json.Marshal(t.Settings)
	if err != nil {
		return task.Identity{}, fmt.Errorf("encode the task settings: %w", err)
	}
	return task.Identity{
		Task: TaskName, Dataset: t.Data.Name, Source: t.Data.Source(), TaskSettings: encoded,
		Fingerprint: t.Data.Fingerprint(t.Settings.TrainingHops()...),
	}, nil
}

// Train implements [task.Task].
func (t *Task) Train(
	ctx context.Context, trials []task.Trial, onProgress func(share float64),
) ([]task.Artifact, error) {
	if t.Engine == nil {
		return nil, task.ErrNoEngine
	}
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
	return completion.TrainTrials(ctx, t.Engine, job, trials, onProgress,
		func(models []*kge.Model) ([]completion.Evaluations, error) {
			all := make([]completion.Evaluations, len(models))
			for i, m := range models {
				if m == nil {
					continue
				}
				limits := eval.Options{Limits: t.Limits}
				e, err := EvaluateModel(ctx, t.Engine, m, t.Data, limits, t.Settings.Hops...)
				if err != nil {
					return nil, err
				}
				all[i] = completion.Evaluations{Valid: asTails(e.Valid), Test: asTails(e.Test)}
			}
			return all, nil
		})
}

// asTails reports the metrics of answers as those of tails.
func asTails(e *Evaluation) *completion.Evaluation {
	if e == nil {
		return nil
	}
	return &completion.Evaluation{
		Triples: e.Answers, Of: e.AnswersOf, MRRError: e.MRRError,
		Ties: eval.Pessimistic, Both: e.Metrics, Tail: e.Metrics,
	}
}

// newPresentation returns the presentation of completion, adapted to queries, which have no sides
// and several answers each.
func newPresentation(s TaskSettings) task.Presentation {
	p := completion.NewPresentation()
	p.Purpose = strings.TrimSpace("answers to queries " + s.hopsText())
	p.HowMeasured = "MRR, Hits@k and mean rank are means over the queries, and within a query over " +
		"its hard answers, which the smaller graph does not contain. An answer is ranked among the " +
		"entities that are not answers; ties count against it. " + completion.SelectionNote
	p.HowToRead = "A structure says which chunks of the entity before a hop (rows), the relation " +
		"(coloured blocks) and the entity after it (columns) multiply in the score of the hop. The " +
		"matrices of the relations of a path are multiplied."
	p.SamplingError = task.SamplingError{
		Valid:    [2]string{"validation query", "validation queries"},
		Test:     [2]string{"test query", "test queries"},
		Assuming: "as if no two queries had an edge in common",
	}
	p.Metrics = func(trials []task.LabeledTrial) []page.Part {
		return []page.Part{{Table: completion.CompareMetrics("Metrics over the %s queries", trials)}}
	}
	p.Breakdown, p.Models = "", nil
	defaults, _ := Default(form.Bilinear)
	p.Settings, p.Defaults = settings.Of(s), settings.Of(TaskSettings{Paths: defaults.Paths})
	return p
}

// hopsText describes the lengths of the paths to rank, as in "of 2 hops"; "" if they are unknown.
func (p Paths) hopsText() string {
	if len(p.Hops) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s %s", format.List(p.Hops, "or"),
		english.PluralWord(slices.Max(p.Hops), "hop", ""))
}

// Presentation implements [task.Task].
func (t *Task) Presentation() task.Presentation {
	p := newPresentation(t.Settings)
	p.SamplingError.Count = func(json.RawMessage) (valid, test int) {
		return t.count(InValid), t.count(InTest)
	}
	return p
}

// Size implements [task.Task].
func (t *Task) Size() task.Size {
	size := task.Size{
		Entities: len(t.Data.Entities), Validation: t.count(InValid), Test: t.count(InTest),
	}
	for _, hops := range t.Settings.TrainingHops() {
		size.Examples += len(t.Data.Queries(InTrain, hops))
	}
	return size
}

// count returns the number of queries to rank in a split.
func (t *Task) count(s Split) int { return len(t.Data.queriesWith(s, t.Settings.Hops)) }

// Measure returns the sizes of the data, and examples of the best model.
func (t *Task) Measure(_ context.Context, b task.Best) (*task.Measures, error) {
	examples, err := t.Examples(b.Artifact)
	if err != nil {
		return nil, err
	}
	return &task.Measures{Examples: examples, Data: []page.Part{{
		Text: fmt.Sprintf("The graph %s has %s and %s.", b.Dataset,
			format.Count(len(t.Data.Entities), "entity"), format.Count(len(t.Data.Relations), "relation")),
		Table: page.NewTable(strings.TrimSpace("The queries "+t.Settings.hopsText()),
			[]Split{InTrain, InValid, InTest},
			page.Text("split", func(s Split) any { return s }),
			page.Number("queries", func(s Split) any { return t.count(s) })),
	}}}, nil
}

// Arithmetic implements [task.Task].
func (t *Task) Arithmetic(p kge.Precision) (engine, backend string) {
	if t.Engine == nil {
		return "", ""
	}
	return t.Engine.Name(), t.Engine.Backend(p)
}

// Precision implements [task.Task].
func (t *Task) Precision(s kge.Settings, f form.Form) (kge.Precision, error) {
	if t.Engine == nil {
		return 0, task.ErrNoEngine
	}
	return s.ResolvePrecision(t.Engine, f, len(t.Data.Entities), false)
}
