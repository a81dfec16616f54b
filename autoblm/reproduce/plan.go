package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/record"
)

// Stage is a part of the procedure.
type Stage string

// Stages of the procedure. All searches, and then trains the best structure found.
const (
	Search Stage = "search"
	Final  Stage = "final"
	All    Stage = "all"
)

// Plan describes a reproduction and where it is stored.
type Plan struct {
	Graph  *datasets.Graph
	Engine kge.Engine
	Stage  Stage
	// Search has the settings of the search, which uses AutoBLM+, and SearchRecipe the name of
	// their recipe.
	Search       search.Settings
	SearchRecipe string
	// Final is the recipe of the final training.
	Final recipe.Recipe
	// Structure is the structure of stage Final. By default it is the best of the study, or
	// that of the recipe if there is no study.
	Structure structure.Structure
	// Seed is the seed of the initial embeddings of the final training.
	Seed uint64
	// Folder holds the checkpoints, the result and the model.
	Folder string
	// Study is the file of the search.
	Study string
	// Before is the result of earlier calls, nil for none.
	Before *Result
	// Until is the deadline, zero for none.
	Until time.Time
	// Distribute returns a task that trains the trials of the search elsewhere; nil trains them here.
	Distribute func(context.Context, task.Task) (task.Task, error)
	// MixEngines allows resuming what another engine or instruction set began.
	MixEngines bool
	// SaveEvery is the longest time between checkpoints within an epoch.
	SaveEvery time.Duration
	// OnSearch and OnEpoch report progress, if set.
	OnSearch func(search.Progress)
	OnEpoch  func(kge.Progress)
}

// FinalRecipe returns the recipe of a name for a benchmark, or its first recipe for "".
func FinalRecipe(name, dataset string) (recipe.Recipe, error) {
	all := recipe.For(dataset)
	if dataset == "" || len(all) == 0 {
		known := recipe.Datasets()
		return recipe.Recipe{}, fmt.Errorf("no recipe for %s: choose one of %s%s",
			dataset, strings.Join(known, ", "), enum.DidYouMean(enum.Near(known, dataset)))
	}
	return recipe.Named(cmp.Or(name, all[0].Name), dataset)
}

// Default numbers of structures: of the paper's search, and of one on a small graph.
const paperBudget, smallBudget = 256, 32

// SearchBy sets the search: that of the paper, with the benchmark's recipe for searches and the
// precision of the final training. A budget of 0 means the default.
func (p *Plan) SearchBy(dataset string, budget int) error {
	if err := p.checkSearchable(); err != nil {
		return err
	}
	for _, r := range recipe.For(dataset) {
		if !r.Searches() {
			continue
		}
		if budget == 0 && r.Name == "paper-search" {
			budget = paperBudget
		}
		p.SearchRecipe = r.Name
		p.Search = searchSettings(r, cmp.Or(budget, smallBudget), p.Seed)
		p.Search.Training.Precision = p.Final.Training.Precision
		return p.Search.Validate()
	}
	return fmt.Errorf("no recipe for searches on %s", dataset)
}

// checkSearchable checks that the models of a search have structures.
func (p Plan) checkSearchable() error {
	if p.Stage == Final || p.Final.Form == form.Bilinear {
		return nil
	}
	return fmt.Errorf("recipe %s trains %v, which has no structure to search for: set stage to %s",
		p.Final.Name, p.Final.Form, Final)
}

func searchSettings(r recipe.Recipe, budget int, seed uint64) search.Settings {
	s := search.PaperSettings()
	s.Recipe = r.Recipe
	s.Budget, s.Seed = budget, seed
	return s
}

// Names in the folder of a plan.
const (
	modelFolder    = "model"
	searchTraining = "search.training"
	finalTraining  = "final.training"
	resultFile     = "result.json"
)

// ResultFile returns the path of the result, complete or not.
func (p Plan) ResultFile() string { return filepath.Join(p.Folder, resultFile) }

// modelFolder returns the path of the model of the final training.
func (p Plan) modelFolder() string { return filepath.Join(p.Folder, modelFolder) }

// Holds reports whether a folder is that of a reproduction with a final training, whose model it has or
// will have.
func Holds(folder string) bool {
	d, err := record.Read[Result](filepath.Join(folder, resultFile))
	return err == nil && d.Result.Stage != Search
}

// HasStudy reports whether the file of the search exists.
func (p Plan) HasStudy() bool {
	_, err := os.Stat(p.Study)
	return err == nil
}

func (p Plan) checkpoint(name string) *kge.Checkpoint {
	return &kge.Checkpoint{
		File:      filepath.Join(p.Folder, name),
		Every:     p.SaveEvery,
		Until:     p.Until,
		AnyEngine: p.MixEngines,
	}
}

func (p Plan) removeCheckpoints() error {
	for _, name := range []string{searchTraining, finalTraining} {
		if err := checkpoint.Remove(filepath.Join(p.Folder, name)); err != nil {
			return fmt.Errorf("cannot remove the checkpoint of a complete training: %w", err)
		}
	}
	return nil
}
