package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/nats-io/nats.go/jetstream"
)

// Task trains the trials of another task on the workers of a cluster. Everything else, such as
// ensembles and the measurement of paces, runs here. Trials with a stop time train here too,
// because their results depend on this machine's time.
type Task struct {
	task.Task
	cluster    *Cluster
	data       Data
	source     string // file or folder of the data, "" for data that all workers have
	arithmetic string
	split      int
	limits     eval.Limits
}

// NewTask returns a task whose trials train on a cluster. It sends the data to the cluster, unless
// they are there. source is the file or the folder of the data, "" for data that are part of the
// program. Only workers with the arithmetic train its trials; "" lets all of them.
func NewTask(
	ctx context.Context, c *Cluster, t task.Task, source, arithmetic string,
) (*Task, error) {
	identity, err := t.Identity()
	if err != nil {
		return nil, err
	}
	clustered := &Task{
		Task: t, cluster: c, arithmetic: arithmetic,
		data: Data{
			Task: identity.Task, Dataset: identity.Dataset, Fingerprint: identity.Fingerprint,
			TaskSettings: identity.TaskSettings, Name: identity.Dataset, IsEmbedded: source == "",
			Source: identity.Source,
		},
	}
	if source != "" {
		if clustered.source, err = filepath.Abs(source); err != nil {
			return nil, err
		}
		clustered.data.Source = clustered.source // as in models that are trained here
		if clustered.data.Name, err = sentName(source); err != nil {
			return nil, err
		}
		full := error(nil) // is an error at once
		err = c.retry(ctx, "send the data", func(context.Context) error {
			err := c.sendData(ctx, clustered.data, clustered.source)
			if full = nil; isFull(err) {
				full = withFix(err)
				return nil
			}
			return err
		})
		if err := cmp.Or(err, full); err != nil {
			return nil, err
		}
	}
	return clustered, nil
}

// keepData sends the data again if the cluster has lost them or will soon remove them.
func (t *Task) keepData(ctx context.Context) error {
	if t.source == "" {
		return nil
	}
	return t.cluster.retry(ctx, "keep the data", func(context.Context) error {
		return t.cluster.sendData(ctx, t.data, t.source)
	})
}

// Resplit implements [task.Task].
func (t *Task) Resplit(number int) task.Task {
	inner := t.Task.Resplit(number)
	if inner == nil {
		return nil
	}
	resplit := *t
	resplit.Task, resplit.split = inner, number
	return &resplit
}

// Limit implements [task.Task].
func (t *Task) Limit(l eval.Limits) task.Task {
	inner := t.Task.Limit(l)
	if inner == nil {
		return nil
	}
	limited := *t
	limited.Task, limited.limits = inner, l
	return &limited
}

// Train implements [task.Task]. The artifacts are fetched from the workers when they are read.
func (t *Task) Train(
	ctx context.Context, trials []task.Trial, onProgress func(share float64),
) ([]task.Artifact, error) {
	if _, timed := task.StopTime(ctx); timed || task.IsMeasuring(ctx) {
		return t.Task.Train(ctx, trials, onProgress)
	}
	works := make([]work, len(trials))
	for i, trial := range trials {
		works[i] = t.work(trial)
	}
	results, err := t.cluster.train(ctx, works, t.keepData, onProgress)
	if err != nil {
		return nil, err
	}
	artifacts := make([]task.Artifact, len(trials))
	for i, r := range results {
		r.apply(&trials[i])
		if r.HasArtifact {
			artifacts[i] = &artifact{ctx: ctx, task: t, work: works[i], from: r}
		}
	}
	return artifacts, nil
}

func (t *Task) work(trial task.Trial) work {
	return work{
		Version: version, Program: program(), Data: t.data, Arithmetic: t.arithmetic,
		Split: t.split, Limits: t.limits, Form: trial.Form, Structure: trial.Structure, Recipe: trial.Recipe,
	}
}

// artifact is the model of a trial, on the worker that trained it.
type artifact struct {
	ctx   context.Context // of the step that trained the trial and stores its model
	task  *Task
	work  work
	from  result
	files map[string][]byte
}

// Files implements [task.Artifact]. It asks the worker for the model. If the model is lost, it
// removes the result, so that a worker trains the trial again, at most [maxFailures] times.
func (a *artifact) Files() (map[string][]byte, error) {
	if a.files != nil {
		return a.files, nil
	}
	key, err := a.work.key()
	if err != nil {
		return nil, err
	}
	for lost := 0; ; {
		a.files, err = a.task.cluster.artifact(a.ctx, key, a.from)
		if !errors.Is(err, errModelLost) {
			return a.files, err
		}
		if lost++; lost > maxFailures {
			return nil, fmt.Errorf("fetch the model of trial %s, lost %d times: %w; look for the cause "+
				"in the messages of the workers, and repeat the search", key, lost, err)
		}
		a.task.cluster.note(fmt.Sprintf("%v: training trial %s again", err, key))
		if err := a.task.cluster.forget(a.ctx, key, a.from); err != nil {
			return nil, err
		}
		results, err := a.task.cluster.train(a.ctx, []work{a.work}, a.task.keepData, func(float64) {})
		if err != nil {
			return nil, err
		}
		r := results[0]
		if !r.HasArtifact {
			return nil, fmt.Errorf("train the lost model of trial %s again: %s", key, r.Trial.Error)
		}
		a.from = r
	}
}

// forget removes the result of a trial whose model is lost, unless it is another one by now.
func (c *Cluster) forget(ctx context.Context, key string, lost result) error {
	return c.retry(ctx, "remove a result", func(ctx context.Context) error {
		entry, err := c.results.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if now, err := decode[result](entry.Value()); err == nil && now.Models != lost.Models {
			return nil
		}
		err = c.results.Delete(ctx, key, jetstream.LastRevision(entry.Revision()))
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return nil // it changed at the same time
		}
		return err
	})
}
