package autoblm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
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

// Load opens a graph: the embedded "world", a benchmark by name in the folder AUTOBLM_DATA or in
// the cache, a folder with train, valid and test files, each line of which is a head, a relation
// and a tail with tabs between them, or a file of facts in any format of [datasets.Import], which it
// divides. Errors name the file and the line. It never downloads: the error for a benchmark that is
// not on this machine is [datasets.ErrNotFound].
func Load(name string) (*datasets.Graph, error) { return datasets.Open(name) }

// LoadFS reads a graph, with a name, from train, valid and test files at the root of a file system,
// such as one of package embed.
func LoadFS(fsys fs.FS, name string) (*datasets.Graph, error) { return datasets.ReadFS(fsys, name) }

// TrainSettings holds the settings of [Train].
type TrainSettings struct {
	kge.Settings
	// Member has the structure, the seed, the learning rate and the regularization.
	Member  kge.Member
	Compute Compute
}

// DefaultTrain returns settings that train a structure well on most graphs, even a degenerate one; see
// [structure.Structure.Degenerate]. For another form of model, use a member of [recipe.ForGraph].
func DefaultTrain(g *datasets.Graph, s structure.Structure) TrainSettings {
	r := recipe.ForGraph(g, form.Bilinear)
	r.Recipe = recipe.Adapt(r.Recipe, form.Bilinear, s)
	m := r.Member(s, 1)
	if s.K()%max(1, m.N3Block) != 0 {
		m.N3Block = 0
	}
	return TrainSettings{Settings: r.Training, Member: m}
}

// Train trains one model until the last epoch, or until validation stops to improve. It fails with
// the error of ctx if that ends, and with [kge.ErrDiverged] if the loss grows without limit.
func Train(ctx context.Context, g *datasets.Graph, s TrainSettings) (Predictor, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	engine, err := s.Compute.ForTraining(s.Settings, s.Member.Form).Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	job := kge.Job{Data: completion.Data(g), Settings: s.Settings, Members: []kge.Member{s.Member}}
	report, err := kge.Train(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	result := report.Results[0]
	return opened(completion.Single{Model: result.Model}, result.Err)
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
	// OnProgress, if set, is called often.
	OnProgress func(search.Progress)
	// Began is the start of the time limit; the call of Search if zero.
	Began time.Time
	// OnPlan, if set, receives the plan of a search with a time limit.
	OnPlan func(search.Plan)
	// Default, if not nil, replaces the recipe of the default model of the task.
	Default *kge.Recipe
}

// DefaultSearch returns settings that tune a recipe, search 64 structures with AutoBLM+, and
// retrain the best. A small graph takes a few minutes on two cores. [TimedSearch] returns settings
// for a time limit; [search.BasicSettings] are for comparisons.
func DefaultSearch() SearchSettings {
	return SearchSettings{
		Settings: search.DefaultSettings(), Algorithm: strategy.Evolutionary{}.Name(),
	}
}

// ErrNoModel is the error of a search that ended before a training was complete.
var ErrNoModel = errors.New("the search has no model: it ended before a training was complete")

// Found is the result of [Search].
type Found struct {
	*search.Result
	// Predictor is the model or the ensemble that the search keeps, nil with [ErrNoModel]. Kept is
	// its trial.
	Predictor
}

// Search searches for the structure with the best validation MRR on g, and trains the baselines
// with the same settings. Settings that contradict each other are an error before the search
// begins. If ctx ends, it returns the results so far, with [ErrNoModel] if no trial is complete.
func Search(ctx context.Context, g *datasets.Graph, s SearchSettings) (*Found, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	engine, err := s.Compute.ForTraining(s.Training, s.FirstForm()).Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	result, err := SearchFor(ctx, &completion.Task{Graph: g, Engine: engine}, s)
	if err != nil {
		return nil, err
	}
	found := &Found{Result: result}
	if result.Artifact == nil {
		if ctx.Err() != nil {
			return found, ErrNoModel
		}
		return found, fmt.Errorf("%w: give it more time", ErrNoModel)
	}
	found.Predictor, err = PredictorOf(result.Artifact)
	return found, err
}

// Validate returns an error if a setting is out of range or contradicts another.
func (s SearchSettings) Validate() error {
	algorithm, err := strategy.ByName(s.Algorithm)
	if err != nil {
		return err
	}
	if err := s.Settings.Validate(); err != nil {
		return err
	}
	if s.Model != form.Bilinear {
		return nil // there are no structures
	}
	return s.CheckFor(algorithm)
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
