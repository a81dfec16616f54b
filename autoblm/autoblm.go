package autoblm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// Query asks for the missing end of a triple.
type Query = completion.Query

// Load opens a graph: "world", which is embedded; the name of a benchmark in
// the folder AUTOBLM_DATA or in the cache; or a folder with train, valid and
// test files. It never downloads.
func Load(name string) (*datasets.Graph, error) { return datasets.Open(name) }

// TrainSettings are the settings of [Train].
type TrainSettings struct {
	kge.Settings
	// Member has the structure, the seed, the learning rate and the regularization.
	Member  kge.Member
	Compute Compute
}

// DefaultTrain trains the given structure on g as does well on most graphs, by
// [recipe.ForGraph], which knows other forms of models, too: d 512, reverses of relations, a
// penalty, and no more epochs than pay.
func DefaultTrain(g *datasets.Graph, s structure.Structure) TrainSettings {
	r := recipe.ForGraph(g, form.Bilinear)
	return TrainSettings{Settings: r.Training, Member: r.Member(s, 1)}
}

// Train trains one model.
func Train(ctx context.Context, g *datasets.Graph, s TrainSettings) (*kge.Model, error) {
	engine, err := s.Compute.For(s.Member.Form).Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	report, err := kge.Train(ctx, engine, kge.Job{Data: completion.Data(g), Settings: s.Settings, Members: []kge.Member{s.Member}})
	if err != nil {
		return nil, err
	}
	return report.Results[0].Model, report.Results[0].Err
}

// Evaluate ranks a split of g, "valid" or "test", with all known answers left out and
// ties counted against the model. c does the arithmetic; its zero value chooses by itself.
func Evaluate(ctx context.Context, m *kge.Model, g *datasets.Graph, split string, c Compute) (completion.Evaluation, error) {
	aligned, err := completion.Align(m, g)
	if err != nil {
		return completion.Evaluation{}, err
	}
	engine, err := c.For(m.Form).Open()
	if err != nil {
		return completion.Evaluation{}, err
	}
	defer engine.Close()
	return completion.Evaluate(ctx, engine, m, aligned, split, eval.Pessimistic)
}

// Predict lists the top answers to a query that g does not have already, best first. It
// needs no [Compute]: one query is scored in float64, straight from the definition of the
// model's form, so that its answers are the same on every machine.
func Predict(m *kge.Model, g *datasets.Graph, q Query, top int) ([]eval.Answer, error) {
	return completion.Predict(m, q, g, top, eval.DropKnown)
}

// SearchSettings are the settings of [Search].
type SearchSettings struct {
	search.Settings
	// Algorithm is the name of one of [strategy.All].
	Algorithm string
	// Study is the file that keeps the search, to go on with it later; "" keeps
	// it in memory.
	Study string
	// Command holds the arguments of the search for the study to store, nil for none.
	Command []string
	// MixEngines lets a search go on that another engine or instruction set began.
	MixEngines bool
	Compute    Compute
	OnProgress func(search.Progress)
	// Began and OnPlan are as in [search.Problem].
	Began  time.Time
	OnPlan func(search.Plan)
}

// DefaultSearch searches with AutoBLM+ among 64 structures, by a recipe that is tuned before, and
// trains the best again: in a few minutes on two cores for a small graph. [search.TimedSettings] and a
// TimeLimit are for less, and [search.BasicSettings] is for comparisons.
func DefaultSearch() SearchSettings {
	return SearchSettings{Settings: search.DefaultSettings(), Algorithm: strategy.Evolutionary{}.Name()}
}

// Found is what [Search] came to.
type Found struct {
	*search.Result
	// Model is the best model of the search, found or named, and of the last stage; nil
	// when no trial was complete. Kept says whose it is.
	Model *kge.Model
	// Ensemble is the ensemble that is kept, of which Model is the member that was chosen first; nil
	// where one model is kept.
	Ensemble *completion.Ensemble
}

// Search looks for the structure that completes g best on its validation
// triples, and trains the human-designed ones under the same settings to
// compare with. When ctx ends, it returns what was found so far.
func Search(ctx context.Context, g *datasets.Graph, s SearchSettings) (*Found, error) {
	t := &completion.Task{Graph: g}
	if _, err := s.check(t); err != nil {
		return nil, err
	}
	engine, err := s.Compute.For(s.Model).Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	t.Engine = engine
	result, err := SearchFor(ctx, t, s)
	if err != nil {
		return nil, err
	}
	found := &Found{Result: result}
	if found.Ensemble, err = completion.EnsembleOf(result.Artifact); err != nil {
		return nil, err
	}
	if found.Ensemble != nil {
		found.Model = found.Ensemble.Members[found.Ensemble.Choice.Order[0]]
		return found, nil
	}
	found.Model, err = completion.ModelOf(result.Artifact)
	return found, err
}

// check says what is wrong before there is a study about it.
func (s SearchSettings) check(t task.Task) (strategy.Strategy, error) {
	algorithm, err := strategy.ByName(s.Algorithm)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return algorithm, t.Check()
}

// SearchFor is [Search] for any task, which has the data and does the arithmetic:
// Compute is left out.
func SearchFor(ctx context.Context, t task.Task, s SearchSettings) (result *search.Result, err error) {
	algorithm, err := s.check(t)
	if err != nil {
		return nil, err
	}
	problem := search.Problem{Task: t, Strategy: algorithm, Settings: s.Settings, MixEngines: s.MixEngines, OnProgress: s.OnProgress, Began: s.Began, OnPlan: s.OnPlan}
	if s.Study != "" {
		opened, resolved, err := study.OpenFor(s.Study, problem, s.Command)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		problem = resolved
	}
	if result, err = stage.Run(ctx, problem); err != nil {
		return nil, fmt.Errorf("the search failed: %w", err)
	}
	return result, nil
}
