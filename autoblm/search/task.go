package search

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// Task is what structures are searched for. Without one a search is for
// knowledge-graph completion.
type Task interface {
	// Ready says why there is nothing to search on.
	Ready() error
	// Train trains the trials, which have one and the same Recipe.Training, side by
	// side, and gives each its result: State, Error, Score, TestScore, Details, Loss,
	// Validations, Engine and Backend, and Seconds where they are more than this call
	// takes. Where it has models that a study can keep, it returns
	// one for each trial, nil for one that failed. It calls onProgress with the share
	// that is done, from 0 to 1. A trial's result depends on the data, its structure and its recipe only.
	// The error is for what stops the search, as the end of ctx.
	Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]*completion.Model, error)
	// Words are how its results are told.
	Words() task.Words
}

// completionTask trains and ranks on an engine.
type completionTask struct {
	graph      *datasets.Graph
	engine     completion.Engine
	checkpoint *completion.Checkpoint // may be nil
}

// errTimeUp marks a training that its checkpoint ended in time.
var errTimeUp = errors.New("the time is up")

// Searchable says why a graph cannot be searched on.
func Searchable(g *datasets.Graph) error {
	if len(g.Valid) == 0 {
		return fmt.Errorf("%s has no validation triples to compare structures by: autoblm dataset split makes some of a file of triples", g.Name)
	}
	return nil
}

// train goes on with what the checkpoint has of these trials.
func (c completionTask) train(ctx context.Context, job completion.Job) (*completion.Report, error) {
	job.Checkpoint = c.checkpoint
	report, err := completion.Train(ctx, c.engine, job)
	if errors.Is(err, completion.ErrOtherTraining) { // of trials that have their results since
		if err := os.Remove(c.checkpoint.File); err != nil {
			return nil, fmt.Errorf("cannot remove the checkpoint of an earlier population: %w", err)
		}
		report, err = completion.Train(ctx, c.engine, job)
	}
	if err == nil && !report.Complete {
		err = errTimeUp
	}
	return report, err
}

func (completionTask) Words() task.Words { return task.Words{Metric: "MRR"} }

func (c completionTask) Ready() error { return Searchable(c.graph) }

func (c completionTask) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]*completion.Model, error) {
	job := completion.Job{Graph: c.graph, Settings: trials[0].Recipe.Training}
	for _, t := range trials {
		job.Members = append(job.Members, t.Recipe.Member(t.Structure))
	}
	job.OnEpoch = func(p completion.Progress) { onProgress(float64(p.Epoch) / float64(p.Epochs)) }
	report, err := c.train(ctx, job)
	if err != nil {
		return nil, err
	}
	models := make([]*completion.Model, len(trials))
	var trained []*completion.Model
	for i, r := range report.Results {
		trials[i].Loss, trials[i].Validations = r.Loss, r.Validations
		trials[i].Engine, trials[i].Backend = c.engine.Name(), c.engine.Backend()
		trials[i].Seconds = (report.Timing.Compile + report.Timing.Train + report.Timing.Evaluate) / float64(len(trials)) // of all pieces
		if r.Err != nil {
			trials[i].State, trials[i].Error = task.Failed, r.Err.Error()
			continue
		}
		trials[i].State = task.Complete
		models[i], trained = r.Model, append(trained, r.Model)
	}
	if err := completion.EvaluateAll(ctx, c.engine, trained, c.graph); err != nil {
		return nil, err
	}
	for i, m := range models {
		if m != nil {
			e := completion.Evaluations{Valid: m.Valid, Test: m.Test}
			trials[i].Score, trials[i].TestScore = e.Scores()
			if trials[i].Details, err = e.Details(); err != nil {
				return nil, err
			}
		}
	}
	return models, nil
}
