package query

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TaskName is the name of [Task] in a study.
const TaskName = "query"

// Task is the answering of multi-hop queries by a bilinear model: the validation MRR of
// the queries decides between structures. A trial's metrics are those of answers at the
// ends of paths, as if these were tails.
type Task struct {
	Data   *Data
	Own    Own
	Engine kge.Engine
}

// Check implements [task.Task].
func (t *Task) Check() error {
	if err := t.Own.Settings(DefaultSettings().Settings).Validate(kge.Member{Form: form.Diag, LearningRate: 1}); err != nil {
		return err
	}
	if _, err := t.Data.Training(t.Own.Paths); err != nil {
		return err
	}
	for _, hops := range t.Own.Hops {
		if err := t.Data.Needs(InValid, hops); err != nil {
			return err
		}
	}
	return nil
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	own, err := json.Marshal(t.Own)
	if err != nil {
		return task.Identity{}, fmt.Errorf("cannot write the settings down: %w", err)
	}
	return task.Identity{
		Task: TaskName, Dataset: t.Data.Name, Fingerprint: t.Data.Fingerprint(t.Own.Trained()...), Source: t.Data.Source(), Own: own,
	}, nil
}

// Train implements [task.Task].
func (t *Task) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]task.Artifact, error) {
	data, err := t.Data.Training(t.Own.Paths)
	if err != nil {
		return nil, err
	}
	s := t.Own.Settings(trials[0].Recipe.Training)
	job := kge.Job{Data: data, Settings: s.Settings, OnEpoch: func(p kge.Progress) { onProgress(float64(p.Epoch) / float64(p.Epochs)) }}
	for _, trial := range trials {
		m := trial.Member()
		if err := s.Validate(m); err != nil {
			return nil, err
		}
		job.Members = append(job.Members, m)
	}
	report, err := kge.Train(ctx, t.Engine, job)
	if err != nil {
		return nil, err
	}
	artifacts := make([]task.Artifact, len(trials))
	for i, r := range report.Results {
		trial := &trials[i]
		trial.Loss, trial.Validations, trial.Engine = r.Loss, r.Validations, t.Engine.Name()
		if r.Err != nil {
			trial.State, trial.Error = task.Failed, r.Err.Error()
			continue
		}
		trial.State = task.Complete
		e, err := EvaluateModel(ctx, t.Engine, r.Model, t.Data, t.Own.Hops...)
		if err != nil {
			return nil, err
		}
		both := completion.Evaluations{Valid: asTails(e.Valid), Test: asTails(e.Test)}
		trial.Score, trial.TestScore = both.Scores()
		if trial.Details, err = both.Details(); err != nil {
			return nil, err
		}
		artifacts[i] = r.Model
	}
	return artifacts, nil
}

// asTails are metrics of answers at the ends of paths, as if these were tails.
func asTails(e *Evaluation) *completion.Evaluation {
	if e == nil {
		return nil
	}
	return &completion.Evaluation{Triples: e.Answers, Ties: kge.Pessimistic, Both: e.Metrics, Tail: e.Metrics}
}

var _ interface {
	task.Task
	task.Measured
} = (*Task)(nil)
