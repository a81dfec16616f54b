package classify

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Task searches structures for the classification of entities with the encoder [BLM]. It scores
// structures by the accuracy of cross-validation. A trial's test score is the mean accuracy on the
// test nodes, if models are tested. It uses only the seed of a trial's recipe. Close the task
// before the engine.
type Task struct {
	task.Base
	Graph    *rdf.Graph
	Settings TaskSettings
	Engine   Engine

	trainer *Trainer // created by the first call of Train
}

// TaskSettings are the settings that only this task has. The member has no structure and no seed:
// these belong to a trial.
type TaskSettings struct {
	Convolution Settings `json:"convolution" embed:""`
	Member      Member   `json:"member" kong:"-"`
}

// Default returns ComplEx with the settings of the task, which all structures of a search have. It
// returns false for other forms, and if the dimension is not a multiple of its chunks.
func (t *Task) Default(f form.Form) (task.Trial, bool) {
	r := SearchRecipe(task.Recipe{Recipe: kge.DefaultRecipe()}, false)
	r.Training.Dim, r.Training.Epochs = t.Settings.Convolution.Dim, t.Settings.Convolution.Epochs
	m := t.Settings.Member
	r.LearningRate, r.Training.Dropout, r.L2 = m.LearningRate, m.Dropout, m.L2
	trial := task.Trial{Name: "complex", Structure: structure.MustParse("complex"), Recipe: r}
	return trial, f == form.Bilinear && r.Training.Dim%trial.Structure.K() == 0
}

// Check implements [task.Task].
func (t *Task) Check() error {
	if e := t.Settings.Convolution.Encoder; e != BLM {
		return fmt.Errorf("the encoder %v has no structure to search for: use the encoder %v", e, BLM)
	}
	if err := t.Settings.Member.Validate(); err != nil {
		return err
	}
	return CheckGraph(t.Graph, t.Settings.Convolution)
}

// Identity implements [task.Task].
func (t *Task) Identity() (task.Identity, error) {
	s := t.Settings
	s.Member.Structure, s.Member.Seed = structure.Structure{}, 0
	encoded, err := json.Marshal(s)
	if err != nil {
		return task.Identity{}, fmt.Errorf("encode the task settings: %w", err)
	}
	return task.Identity{
		Task: TaskName, Dataset: t.Graph.Name, Fingerprint: t.Graph.Fingerprint(),
		Source: t.Graph.Source(), TaskSettings: encoded,
	}, nil
}

// Supports implements [task.Task]. The models of a trial have consecutive seeds.
func (t *Task) Supports() task.Capabilities {
	s := t.Settings.Convolution
	return task.Capabilities{Seeds: max(s.heldOut(), s.Runs)}
}

// Size implements [task.Task].
func (t *Task) Size() task.Size {
	g := t.Graph
	return task.Size{
		Examples: len(g.Train), Entities: len(g.Nodes),
		Validation: len(g.Train) * t.Settings.Convolution.Repeats, Test: len(g.Test),
	}
}

// Arithmetic implements [task.Task].
func (t *Task) Arithmetic(kge.Precision) (engine, backend string) {
	if t.Engine == nil {
		return "", ""
	}
	return t.Engine.Name(), t.Engine.Backend()
}

// Train implements [task.Task]. It cross-validates the trials, and tests them and returns a model
// of each if the settings have runs.
func (t *Task) Train(
	ctx context.Context, trials []task.Trial, onProgress func(share float64),
) ([]task.Artifact, error) {
	if t.Engine == nil {
		return nil, task.ErrNoEngine
	}
	var members []Member
	for _, trial := range trials {
		switch trial.Stage {
		case task.Default, task.Searching, task.Retraining:
		default:
			return nil, fmt.Errorf(
				"classification has no stage %s: tune its settings before the search", trial.Stage)
		}
		m := t.Settings.Member
		m.Structure, m.Seed = trial.Structure, trial.Recipe.Seed
		members = append(members, m)
	}
	if t.trainer == nil {
		var err error
		t.trainer, err = NewTrainer(t.Graph, t.Settings.Convolution, Options{
			Engine: t.Engine, KeepModels: t.Settings.Convolution.Runs > 0,
		})
		if err != nil {
			t.trainer = nil
			return nil, err
		}
	}
	o := &t.trainer.options
	o.Deadline, _ = task.StopTime(ctx)
	o.OnProgress = func(done, total int) { onProgress(float64(done) / float64(total)) }
	results, err := t.trainer.Train(ctx, members)
	if err != nil {
		return nil, err
	}
	artifacts := make([]task.Artifact, len(trials))
	for i, r := range results {
		trial := &trials[i]
		trial.Engine, trial.Backend = t.Engine.Name(), t.Engine.Backend()
		if r.Err != nil {
			trial.State, trial.Error = task.Diverged, r.Err.Error()
			continue
		}
		trial.State, trial.Score = task.Complete, &r.CVAccuracy
		trial.StoppedEarly = r.StoppedEarly != nil
		if mean, _ := r.TestAccuracy(); len(r.TestAccuracies) > 0 {
			trial.TestScore = &mean
		}
		if r.Model != nil {
			artifacts[i] = r.Model
		}
	}
	return artifacts, nil
}

// Close frees the resources of training.
func (t *Task) Close() {
	if t.trainer != nil {
		t.trainer.Close()
		t.trainer = nil
	}
}
