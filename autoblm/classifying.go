package autoblm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	classifycpu "github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// ClassTaskName is the name of [ClassTask] in a study.
const ClassTaskName = "classify"

// ClassTask is the task of telling classes of entities apart, for [SearchFor]. A
// trial's Score is the accuracy of cross-validation, and its TestScore the mean
// accuracy on the nodes to test with, if any models are tested. A trial has
// the initial parameters that its recipe's seed decides; the rest of the recipe is
// that of completion and means nothing here.
type ClassTask struct {
	graph      *rdf.Graph
	own        ClassSettings
	options    classify.Options
	trainer    *classify.Trainer // made when it is first needed
	onProgress func(share float64)
}

// ClassSettings are what a study keeps of a [ClassTask], as its TaskSettings.
type ClassSettings = classify.SearchSettings

// ClassDetails are the details of a trial: its scores, by the names that they have
// always had in files.
type ClassDetails struct {
	Objective     *float64 `json:"objective,omitempty"`
	TestObjective *float64 `json:"test_objective,omitempty"`
}

func classDetailsOf(t task.Trial) (d ClassDetails) {
	_ = json.Unmarshal(t.Details, &d) // those of another task have none
	return d
}

// ForClasses is the search for structures of the encoder blm with the settings s
// and the learning rate, dropout and l2 of m. Programs are compiled once, for all
// calls. [ClassTask.Close] it in the end. Without an engine in the options it is cpu.
func ForClasses(g *rdf.Graph, s classify.Settings, m classify.Member, o classify.Options) *ClassTask {
	m.Structure, m.Seed = structure.Structure{}, 0
	if o.Engine == nil {
		o.Engine = classifycpu.New(0)
	}
	t := &ClassTask{graph: g, own: ClassSettings{Convolution: s, Member: m}, options: o}
	t.options.OnProgress = func(done, total int) {
		if o.OnProgress != nil {
			o.OnProgress(done, total)
		}
		t.onProgress(float64(done) / float64(total))
	}
	return t
}

// Graph has the classes.
func (t *ClassTask) Graph() *rdf.Graph { return t.graph }

// Close frees what the training holds.
func (t *ClassTask) Close() {
	if t.trainer != nil {
		t.trainer.Close()
		t.trainer = nil
	}
}

// Words implements [task.Task].
func (t *ClassTask) Words() task.Words {
	w := classWords(t.own)
	w.Chance.Count = func(json.RawMessage) (valid, test int) { return len(t.graph.Train), len(t.graph.Test) }
	return w
}

func classWords(s ClassSettings) task.Words {
	w := classify.Words(s)
	w.Fields = []task.Column{
		{Name: "objective", Of: func(t task.Trial) *float64 { return classDetailsOf(t).Objective }},
		{Name: "test_objective", Of: func(t task.Trial) *float64 { return classDetailsOf(t).TestObjective }},
	}
	return w
}

// Measure implements [task.Measured].
func (t *ClassTask) Measure(_ context.Context, o task.Outcome) (task.Measures, error) {
	return task.Measures{Data: classify.Describe(t.graph, o.Dataset)}, nil
}

// Check implements [task.Task].
func (t *ClassTask) Check() error {
	if e := t.own.Convolution.Encoder; e != classify.BLM {
		return fmt.Errorf("the encoder %v has no structure to search for: the encoder must be %v", e, classify.BLM)
	}
	if err := t.own.Member.Validate(); err != nil {
		return err
	}
	return classify.Check(t.graph, t.own.Convolution)
}

// Identity implements [task.Task].
func (t *ClassTask) Identity() (task.Identity, error) {
	own, err := json.Marshal(t.own)
	if err != nil {
		return task.Identity{}, fmt.Errorf("cannot write the settings down: %w", err)
	}
	return task.Identity{
		Dataset: t.graph.Name, Fingerprint: t.graph.Fingerprint(), Source: t.graph.Source(),
		Task: ClassTaskName, Own: own,
	}, nil
}

// ErrNoStages says why a search for classes has none before and after it.
var ErrNoStages = errors.New("classes have no stages tune and final: find settings before the search, as classify.Tune does")

// Train cross-validates and tests the trials. It has no models that a study can keep.
func (t *ClassTask) Train(ctx context.Context, trials []task.Trial, onProgress func(share float64)) ([]task.Artifact, error) {
	var members []classify.Member
	for _, trial := range trials {
		if trial.Stage != task.Searching {
			return nil, ErrNoStages
		}
		m := t.own.Member
		m.Structure, m.Seed = trial.Structure, trial.Recipe.Seed
		members = append(members, m)
	}
	if t.trainer == nil {
		trainer, err := classify.NewTrainer(t.graph, t.own.Convolution, t.options)
		if err != nil {
			return nil, err
		}
		t.trainer = trainer
	}
	t.onProgress = onProgress
	results, err := t.trainer.Train(ctx, members)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		trial := &trials[i]
		trial.Engine, trial.Backend = t.options.Engine.Name(), t.options.Engine.Backend()
		if r.Err != nil {
			trial.State, trial.Error = task.Failed, r.Err.Error()
			continue
		}
		trial.State, trial.Score = task.Complete, &r.CVAccuracy
		if mean, _ := r.TestAccuracy(); len(r.TestAccuracies) > 0 {
			trial.TestScore = &mean
		}
		if trial.Details, err = json.Marshal(ClassDetails{trial.Score, trial.TestScore}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
