package autoblm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/triples"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/query/cpu"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// QueryTaskName is the name of [QueryTask] in a study.
const QueryTaskName = "query"

// QueryTask is the task of answering multi-hop queries by a bilinear model, for
// [SearchFor]. The validation MRR of the queries decides between structures; a
// trial's metrics are those of answers at the ends of paths, as if these were tails.
// All of a trial's recipe counts.
type QueryTask struct {
	data   *query.Data
	own    QuerySettings
	engine query.Engine
}

// QuerySettings are what a study keeps of a [QueryTask], as its TaskSettings.
type QuerySettings = query.Paths

// ForQueries is the search for structures on some threads, 0 for GOMAXPROCS.
func ForQueries(d *query.Data, s QuerySettings, threads int) *QueryTask {
	return &QueryTask{data: d, own: s, engine: cpu.New(threads)}
}

// Data are what it is trained on.
func (t *QueryTask) Data() *query.Data { return t.data }

func (t *QueryTask) settings(training completion.Settings) query.Settings {
	return query.Settings{Settings: training, Paths: t.own}
}

// Words implements [task.Task].
func (t *QueryTask) Words() task.Words { return triples.Words() }

// Check implements [task.Task].
func (t *QueryTask) Check() error {
	s := t.settings(query.DefaultSettings().Settings)
	if err := s.Validate(query.Member{Kind: query.Diag, Member: query.DefaultMember(query.Diag).Member}); err != nil {
		return err
	}
	for _, hops := range s.Trained() {
		if err := t.data.Needs(query.InTrain, hops); err != nil {
			return err
		}
	}
	for _, hops := range t.own.Hops {
		if err := t.data.Needs(query.InValid, hops); err != nil {
			return err
		}
	}
	return nil
}

// Identity implements [task.Task].
func (t *QueryTask) Identity() (task.Identity, error) {
	own, err := json.Marshal(t.own)
	if err != nil {
		return task.Identity{}, fmt.Errorf("cannot write the settings down: %w", err)
	}
	return task.Identity{
		Dataset: t.data.Name, Fingerprint: t.data.Fingerprint(t.own.Trained()...),
		Source: t.data.Source(), Task: QueryTaskName, Own: own,
	}, nil
}

// Train trains and ranks the trials one after the other.
func (t *QueryTask) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]task.Artifact, error) {
	job := query.Job{Data: t.data, Settings: t.settings(trials[0].Recipe.Training), OnEpoch: func(p query.Progress) { onProgress(p.Share()) }}
	for _, trial := range trials {
		r := trial.Recipe
		job.Members = append(job.Members, query.Member{Kind: query.Bilinear, Member: completion.Member{
			Structure: trial.Structure, Seed: r.Seed, LearningRate: r.LearningRate, Weights: r.Weights,
		}})
	}
	report, err := query.Train(ctx, t.engine, job)
	if err != nil {
		return nil, err
	}
	artifacts := make([]task.Artifact, len(trials))
	for i, r := range report.Results {
		trial := &trials[i]
		trial.Loss, trial.Validations, trial.Engine = r.Loss, r.Validations, t.engine.Name()
		if r.Err != nil {
			trial.State, trial.Error = task.Failed, r.Err.Error()
			continue
		}
		trial.State = task.Complete
		e, err := t.evaluate(ctx, r.Model)
		if err != nil {
			return nil, err
		}
		trial.Score, trial.TestScore = e.Scores()
		if trial.Details, err = e.Details(); err != nil {
			return nil, err
		}
		artifacts[i] = r.Model
	}
	return artifacts, nil
}

// evaluate ranks the valid and test queries of all lengths that the model is for.
func (t *QueryTask) evaluate(ctx context.Context, m *query.Model) (both completion.Evaluations, err error) {
	scorer, err := t.engine.NewScorer(m.Parameters)
	if err != nil {
		return both, err
	}
	of := func(split query.Split) (*completion.Evaluation, error) {
		var queries []query.Query
		for _, hops := range t.own.Hops {
			queries = append(queries, t.data.Queries(split, hops)...)
		}
		if len(queries) == 0 {
			return nil, nil
		}
		e, err := query.Evaluate(ctx, scorer, queries)
		return &completion.Evaluation{Triples: e.Answers, Ties: completion.Pessimistic, Both: e.Metrics, Tail: e.Metrics}, err
	}
	if both.Valid, err = of(query.InValid); err != nil {
		return both, err
	}
	both.Test, err = of(query.InTest)
	return both, err
}

var _, _ task.Task = (*QueryTask)(nil), (*ClassTask)(nil)
