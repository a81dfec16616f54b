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

// Load opens a graph: the embedded "world", a benchmark by name in the folder AUTOBLM_DATA or in
// the cache, or a folder with train, valid and test files. It never downloads.
func Load(name string) (*datasets.Graph, error) { return datasets.Open(name) }

// TrainSettings holds the settings of [Train].
type TrainSettings struct {
	kge.Settings
	// Member has the structure, the seed, the learning rate and the regularization.
	Member  kge.Member
	Compute Compute
}

// DefaultTrain returns settings that train a structure well on most graphs: those of
// [recipe.ForGraph], which knows other forms of models too.
func DefaultTrain(g *datasets.Graph, s structure.Structure) TrainSettings {
	r := recipe.ForGraph(g, form.Bilinear)
	return TrainSettings{Settings: r.Training, Member: r.Member(s, 1)}
}

// Train trains one model.
func Train(ctx context.Context, g *datasets.Graph, s TrainSettings) (*kge.Model, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	engine, err := s.Compute.For(s.Member.Form).Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	job := kge.Job{Data: completion.Data(g), Settings: s.Settings, Members: []kge.Member{s.Member}}
	report, err := kge.Train(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	return report.Results[0].Model, report.Results[0].Err
}

// Evaluate ranks a split of g, "valid" or "test", with filtered pessimistic ranks. The zero value
// of c chooses an engine.
func Evaluate(
	ctx context.Context, m *kge.Model, g *datasets.Graph, split string, c Compute,
) (completion.Evaluation, error) {
	if err := g.Validate(); err != nil {
		return completion.Evaluation{}, err
	}
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

// Predict returns the best answers to a query that are not in g, best first. It needs no [Compute]:
// it scores in float64 by the definition of the form, with the same result on every machine.
func Predict(m *kge.Model, g *datasets.Graph, q Query, top int) ([]eval.Answer, error) {
	return completion.Predict(m, q, g, top, eval.DropKnown)
}

// SearchSettings holds the settings of [Search].
type SearchSettings struct {
	search.Settings
	// Algorithm names one of [strategy.All].
	Algorithm string
	// Study is the file that stores the search, so that it can be resumed; "" stores nothing.
	Study string
	// Command holds the arguments of the search for the study to store, nil for none.
	Command []string
	// MixEngines allows resuming a search of another engine or instruction set.
	MixEngines bool
	Compute    Compute
	OnProgress func(search.Progress)
	// Began, OnPlan and Default are as in [search.Problem].
	Began   time.Time
	OnPlan  func(search.Plan)
	Default *kge.Recipe
}

// DefaultSearch returns settings that tune a recipe, search 64 structures with AutoBLM+, and
// retrain the best. A small graph takes a few minutes on two cores. [search.TimedSettings] with a
// TimeLimit take less time, and [search.BasicSettings] are for comparisons.
func DefaultSearch() SearchSettings {
	return SearchSettings{
		Settings: search.DefaultSettings(), Algorithm: strategy.Evolutionary{}.Name(),
	}
}

// Found is the result of [Search].
type Found struct {
	*search.Result
	// Model is the best model of the last stage, nil if no trial is complete. Kept is its trial.
	Model *kge.Model
	// Ensemble is the kept ensemble, with Model as its first member, or nil.
	Ensemble *completion.Ensemble
}

// Search searches for the structure with the best validation MRR on g, and trains the baselines
// with the same settings. If ctx ends, it returns the results so far.
func Search(ctx context.Context, g *datasets.Graph, s SearchSettings) (*Found, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
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

// check returns an error that is known before creating a study.
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

// SearchFor searches like [Search] on any task. The task has its own data and engine, so it ignores
// Compute.
func SearchFor(
	ctx context.Context, t task.Task, s SearchSettings,
) (result *search.Result, err error) {
	algorithm, err := s.check(t)
	if err != nil {
		return nil, err
	}
	problem := search.Problem{
		Task: t, Strategy: algorithm, Settings: s.Settings, MixEngines: s.MixEngines,
		OnProgress: s.OnProgress, Began: s.Began, OnPlan: s.OnPlan,
		Default: s.Default,
	}
	if s.Study != "" {
		opened, resolved, err := study.OpenFor(s.Study, problem, s.Command)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		problem = resolved
	}
	if result, err = stage.Run(ctx, problem); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return result, nil
}
