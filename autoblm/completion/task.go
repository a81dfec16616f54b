package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/dustin/go-humanize/english"
)

const (
	// TaskName identifies [Task] in studies.
	TaskName = "completion"
	// SearchPurpose names what a search for completion optimizes.
	SearchPurpose = "completion of the graph"
)

// Task searches structures for knowledge-graph completion, scored by the filtered MRR of the
// validation triples. The trials of a call form a population.
type Task struct {
	task.Base
	Graph  *datasets.Graph
	Engine kge.Engine
	// Checkpoint, when set, saves trials in training, so that little is lost when the search is
	// interrupted. Its Until ends the search between two epochs.
	Checkpoint *kge.Checkpoint
	// Limits limit the triples to rank, during and after training. They are not part of the
	// identity, so trials to compare must have the same limits.
	Limits eval.Limits
}

// OpenTask opens the graph of a source. It calls warn with warnings. open opens the engine.
func OpenTask(source string, open func() (kge.Engine, error), warn func([]string)) (*Task, error) {
	g, err := datasets.Open(source)
	if err != nil {
		return nil, err
	}
	warn(g.Warnings("valid", "test"))
	engine, err := open()
	return &Task{Graph: g, Engine: engine}, err
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	return task.Identity{
		Task: TaskName, Dataset: t.Graph.Name, Fingerprint: t.Graph.Fingerprint(),
		Source: t.Graph.Source(),
	}, nil
}

// Check implements [task.Task].
func (t *Task) Check() error { return t.Graph.Validate() }

// Default returns ComplEx with the default recipe of the graph and the engine, or a model of another
// form with its default recipe.
func (t *Task) Default(f form.Form) (task.Trial, bool) {
	if f != form.Bilinear {
		r := task.Recipe{Recipe: recipe.ForGraph(t.Graph, f).Recipe}
		return task.Trial{Form: f, Recipe: r}, true
	}
	size := recipe.SizeOf(t.Graph)
	size.Full = t.Engine != nil && t.Engine.Name() != kge.NativeEngine
	r := recipe.Default(size)
	return task.Trial{
		Name: r.Structure.Name(), Structure: r.Structure, Recipe: task.Recipe{Recipe: r.Recipe},
	}, true
}

// FitTime implements [task.Task].
func (t *Task) FitTime(
	ctx context.Context, trial task.Trial, seconds float64, fit kge.Fit,
) (kge.Settings, error) {
	if t.Engine == nil {
		return kge.Settings{}, task.ErrNoEngine
	}
	return kge.FitTime(ctx, t.Engine, kge.Job{
		Data: Data(t.Graph), Settings: trial.Recipe.Training, Members: []kge.Member{trial.Member()},
	}, seconds, fit)
}

// CannotSelect implements [task.Task]. A validation triple that was trained, or of an entity or a
// relation that was not, says nothing about a model.
func (t *Task) CannotSelect() string {
	if len(t.Graph.Valid) == 0 {
		return t.Graph.Name + " has no validation triples"
	}
	valid := datasets.Describe(t.Graph).Valid
	count := english.Plural(valid.Triples, "validation triple", "")
	switch {
	case valid.InTrain+valid.Unseen < valid.Triples:
		return ""
	case valid.Unseen == 0:
		return fmt.Sprintf("all %s are also in train", count)
	case valid.InTrain == 0:
		return fmt.Sprintf("all %s have an entity or a relation that train lacks", count)
	}
	return fmt.Sprintf("of %s, %d are also in train and the rest have an entity or a relation "+
		"that train lacks", count, valid.InTrain)
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
	return s.ResolvePrecision(t.Engine, f, len(t.Graph.Entities), true)
}

// Size implements [task.Task].
func (t *Task) Size() task.Size {
	g := t.Graph
	return task.Size{
		Examples: len(g.Train), Entities: len(g.Entities), Validation: len(g.Valid), Test: len(g.Test),
	}
}

// Resplit implements [task.Task].
func (t *Task) Resplit(number int) task.Task {
	resplit := *t
	resplit.Graph, resplit.Checkpoint = t.Graph.Resplit(uint64(number)), nil
	resplit.Limits.Test = eval.None
	return &resplit
}

// Limit implements [task.Task].
func (t *Task) Limit(l eval.Limits) task.Task {
	limited := *t
	limited.Limits = l
	return &limited
}

// Presentation implements [task.Task].
func (t *Task) Presentation() task.Presentation { return NewPresentation() }

// Train implements [task.Task].
func (t *Task) Train(
	ctx context.Context, trials []task.Trial, onProgress func(share float64),
) ([]task.Artifact, error) {
	if t.Engine == nil {
		return nil, task.ErrNoEngine
	}
	job := kge.Job{
		Data: Data(t.Graph), Settings: trials[0].Recipe.Training, ValidateBy: t.Limits.Valid,
		Checkpoint: t.Checkpoint,
	}
	return TrainTrials(ctx, t.Engine, job, trials, onProgress,
		func(models []*kge.Model) ([]Evaluations, error) {
			return EvaluateAll(ctx, t.Engine, models, t.Graph, eval.Options{Limits: t.Limits})
		})
}

// TrainTrials trains trials of a ranking task as one population and sets their results. evaluate
// receives their models, nil for diverged ones.
func TrainTrials(
	ctx context.Context, engine kge.Engine, job kge.Job, trials []task.Trial,
	onProgress func(share float64), evaluate func([]*kge.Model) ([]Evaluations, error),
) ([]task.Artifact, error) {
	for _, trial := range trials {
		job.Members = append(job.Members, trial.Member())
	}
	if end, found := task.StopTime(ctx); found {
		ranked := 2 * cmp.Or(job.ValidateBy, job.Data.HeldOut) // with test examples
		job.Deadline = &kge.Deadline{Began: time.Now(), End: end, Ranked: ranked}
	}
	reportProgress := func(p kge.Progress) { onProgress(p.Share()) }
	job.OnEpoch, job.OnStep = reportProgress, reportProgress
	report, err := trainOrResume(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	models := make([]*kge.Model, len(trials))
	for i, r := range report.Results {
		models[i] = r.Model
	}
	evaluations, err := evaluate(models)
	if err != nil {
		return nil, err
	}
	artifacts := make([]task.Artifact, len(trials))
	for i, r := range report.Results {
		trial := &trials[i]
		trial.Loss, trial.Validations = r.Loss, r.Validations
		trial.Engine, trial.Backend = engine.Name(), engine.Backend(report.Precision)
		seconds := report.Timing.Compile + report.Timing.Train + report.Timing.Evaluate
		trial.Seconds = seconds / float64(len(trials))
		if r.Err != nil {
			trial.State, trial.Error = task.Diverged, r.Err.Error()
			continue
		}
		trial.State, artifacts[i] = task.Complete, r.Model
		trial.StoppedEarly = report.StoppedEarly != nil
		trial.Score, trial.TestScore = evaluations[i].Scores()
		if trial.Details, err = evaluations[i].Details(); err != nil {
			return nil, err
		}
	}
	return artifacts, nil
}

// trainOrResume trains the trials, or resumes them if the checkpoint has them. It replaces the
// checkpoint of finished trials.
func trainOrResume(ctx context.Context, engine kge.Engine, job kge.Job) (*kge.Report, error) {
	report, err := kge.Train(ctx, engine, job)
	if errors.Is(err, kge.ErrOtherTraining) && !errors.Is(err, kge.ErrOtherEngine) {
		if err := checkpoint.Remove(job.Checkpoint.File); err != nil {
			return nil, fmt.Errorf("remove the checkpoint of finished trials: %w", err)
		}
		report, err = kge.Train(ctx, engine, job)
	}
	if err == nil && !report.Complete && report.StoppedEarly == nil {
		err = task.ErrDeadlineExceeded
	}
	return report, err
}
