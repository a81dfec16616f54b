package completion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// TaskName is the name of [Task] in a study.
const TaskName = "completion"

// Task is knowledge-graph completion: the filtered MRR of the validation triples decides
// between structures. The trials of a call are one population.
type Task struct {
	task.Base
	Graph  *datasets.Graph
	Engine kge.Engine
	// Checkpoint, when set, keeps the trials that are being trained, so that an
	// interruption costs little of that too, and its time ends the search between two
	// epochs.
	Checkpoint *kge.Checkpoint
	// Limits are on what is ranked of a trial, while it trains and in the end. They are no
	// part of the identity: a study whose trials are to be compared keeps to the same.
	Limits eval.Limits
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	return task.Identity{Task: TaskName, Dataset: t.Graph.Name, Fingerprint: t.Graph.Fingerprint(), Source: t.Graph.Source()}, nil
}

// Check says so if there is nothing to compare structures by.
func (t *Task) Check() error {
	if len(t.Graph.Valid) == 0 {
		return fmt.Errorf("%s has %w", t.Graph.Name, ErrNoValidation)
	}
	return nil
}

// ErrNoValidation says why a graph cannot be searched on.
var ErrNoValidation = errors.New("no validation triples to compare structures by")

// Arithmetic implements [task.Task].
func (t *Task) Arithmetic(p kge.Precision) (engine, backend string) {
	return t.Engine.Name(), t.Engine.Backend(p)
}

// Precision implements [task.Task].
func (t *Task) Precision(asked kge.Precision, f form.Form, dim int) (kge.Precision, error) {
	return t.Engine.Precision(asked, f, len(t.Graph.Entities), dim)
}

// Size implements [task.Task].
func (t *Task) Size() task.Size {
	g := t.Graph
	return task.Size{Examples: len(g.Train), Entities: len(g.Entities), Validation: len(g.Valid), Test: len(g.Test)}
}

// Resplit implements [task.Task].
func (t *Task) Resplit(number int) task.Task {
	divided := *t
	divided.Graph, divided.Checkpoint, divided.Limits.Test = t.Graph.Resplit(uint64(number)), nil, eval.None
	return &divided
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
func (t *Task) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]task.Artifact, error) {
	job := kge.Job{Data: Data(t.Graph), Settings: trials[0].Recipe.Training, ValidateBy: t.Limits.Valid, Checkpoint: t.Checkpoint}
	return TrainTrials(ctx, t.Engine, job, trials, onProgress, func(models []*kge.Model) ([]Evaluations, error) {
		return EvaluateBy(ctx, t.Engine, models, t.Graph, eval.Options{Limits: t.Limits})
	})
}

// TrainTrials trains the members of trials as one population, for a task that ranks, and
// tells the trials what they came to. evaluate is given their models, nil for those that
// diverged.
func TrainTrials(ctx context.Context, engine kge.Engine, job kge.Job, trials []task.Trial, onProgress func(share float64), evaluate func([]*kge.Model) ([]Evaluations, error)) ([]task.Artifact, error) {
	for _, trial := range trials {
		job.Members = append(job.Members, trial.Member())
	}
	if end, is := task.StopTime(ctx); is {
		job.Deadline = &kge.Deadline{Began: time.Now(), End: end, Ranked: job.ValidateBy}
	}
	told := func(p kge.Progress) { onProgress(p.Share()) }
	job.OnEpoch, job.OnStep = told, told
	report, err := trainOrGoOn(ctx, engine, job)
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
		trial.Seconds = (report.Timing.Compile + report.Timing.Train + report.Timing.Evaluate) / float64(len(trials)) // of all pieces
		if r.Err != nil {
			trial.State, trial.Error = task.Failed, r.Err.Error()
			continue
		}
		trial.State, artifacts[i], trial.StoppedEarly = task.Complete, r.Model, report.StoppedEarly != nil
		trial.Score, trial.TestScore = evaluations[i].Scores()
		if trial.Details, err = evaluations[i].Details(); err != nil {
			return nil, err
		}
	}
	return artifacts, nil
}

// trainOrGoOn goes on with what the checkpoint has of these trials.
func trainOrGoOn(ctx context.Context, engine kge.Engine, job kge.Job) (*kge.Report, error) {
	report, err := kge.Train(ctx, engine, job)
	if errors.Is(err, kge.ErrOtherTraining) && !errors.Is(err, kge.ErrOtherEngine) { // of trials that have their results since
		if err := checkpoint.Remove(job.Checkpoint.File); err != nil {
			return nil, fmt.Errorf("cannot remove the checkpoint of an earlier population: %w", err)
		}
		report, err = kge.Train(ctx, engine, job)
	}
	if err == nil && !report.Complete && report.StoppedEarly == nil {
		err = task.ErrDeadlineExceeded
	}
	return report, err
}

// ModelOf is the model that a search kept, nil for none.
func ModelOf(a task.Artifact) (*kge.Model, error) {
	switch a := a.(type) {
	case nil:
		return nil, nil
	case *kge.Model:
		return a, nil
	}
	files, err := a.Files()
	if err != nil {
		return nil, err
	}
	return kge.LoadFiles(files)
}
