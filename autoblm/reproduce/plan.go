package reproduce

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Stage is a part of the procedure.
type Stage string

// The stages. The search finds a structure, the final training trains one by another
// recipe; all is the search and then the final training of the best that it found.
const (
	Search Stage = "search"
	Final  Stage = "final"
	All    Stage = "all"
)

// Plan is what is to be reproduced, and where it is kept.
type Plan struct {
	Graph  *datasets.Graph
	Engine kge.Engine
	Stage  Stage
	// Search and SearchRecipe, the name of the recipe that they are by, are for the
	// stages search and all; the algorithm is AutoBLM+.
	Search       search.Settings
	SearchRecipe string
	// Final is how the structure is trained in the end.
	Final recipe.Recipe
	// Structure is what the stage final trains. Its zero value stands for the best of
	// the study, if there is one, and else for that of the recipe; a form that has no structure
	// goes without.
	Structure structure.Structure
	// Seed decides the initial embeddings of the final training.
	Seed uint64
	// Folder keeps all but the study: trainings on their way, and the model.
	Folder string
	// Study is the file of the search.
	Study string
	// Before is what earlier calls came to, nil when there were none.
	Before *Result
	// Until, when set, is when the trainings end, complete or not.
	Until time.Time
	// MixEngines lets go on what another engine or instruction set began.
	MixEngines bool
	// SaveEvery is how much work a kill may cost, at most, beside an epoch.
	SaveEvery time.Duration
	// OnSearch and OnEpoch, when set, are told of the progress.
	OnSearch func(search.Progress)
	OnEpoch  func(kge.Progress)
}

// FinalRecipe is the recipe of a name for a benchmark, or the first of its own. The error says
// which benchmarks have some.
func FinalRecipe(name, dataset string) (recipe.Recipe, error) {
	all := recipe.For(dataset)
	if dataset == "" || len(all) == 0 {
		return recipe.Recipe{}, fmt.Errorf("there is no recipe for %s of its own: %s have some%s", dataset, strings.Join(recipe.Datasets(), ", "), enum.DidYouMean(enum.Near(recipe.Datasets(), dataset)))
	}
	return recipe.Named(cmp.Or(name, all[0].Name), dataset)
}

// paperBudget is how many structures the paper's search trains, and smallBudget how many
// one on a small graph.
const paperBudget, smallBudget = 256, 32

// SearchBy sets the search: the paper's, with the training of the recipe for searches on the
// benchmark, in the precision of the final training. A budget of 0 stands for that of the paper, or of a small graph.
func (p *Plan) SearchBy(dataset string, budget int) error {
	if err := p.searchable(); err != nil {
		return err
	}
	for _, r := range recipe.For(dataset) {
		if !r.Searches() {
			continue
		}
		if budget == 0 && r.Name == "paper-search" {
			budget = paperBudget
		}
		p.SearchRecipe, p.Search = r.Name, searchSettings(r, cmp.Or(budget, smallBudget), p.Seed)
		p.Search.Training.Precision = p.Final.Training.Precision
		return p.Search.Validate()
	}
	return fmt.Errorf("there is no recipe for searches on %s", dataset)
}

// searchable says so if a search is asked for where there is no structure to search for.
func (p Plan) searchable() error {
	if p.Stage == Final || p.Final.Form == form.Bilinear {
		return nil
	}
	return fmt.Errorf("the recipe %s trains %v, which has no structure to search for: take --stage %s", p.Final.Name, p.Final.Form, Final)
}

// searchSettings are those of the paper's search, with the training of a recipe.
func searchSettings(r recipe.Recipe, budget int, seed uint64) search.Settings {
	s := search.Paper()
	s.Recipe = r.Recipe
	s.Budget, s.Seed = budget, seed
	return s
}

// The files in the folder of a plan.
const (
	modelFolder    = "model"
	searchTraining = "search.training"
	finalTraining  = "final.training"
	resultFile     = "result.json"
)

// ResultFile is where the result goes, complete or not.
func (p Plan) ResultFile() string { return filepath.Join(p.Folder, resultFile) }

// ModelFolder is where the model of the final training goes.
func (p Plan) ModelFolder() string { return filepath.Join(p.Folder, modelFolder) }

func (p Plan) checkpoint(name string) *kge.Checkpoint {
	return &kge.Checkpoint{File: filepath.Join(p.Folder, name), Every: p.SaveEvery, Until: p.Until, AnyEngine: p.MixEngines}
}

// clean removes what only a reproduction on its way needs.
func (p Plan) clean() error {
	for _, name := range []string{searchTraining, finalTraining} {
		if err := checkpoint.Remove(filepath.Join(p.Folder, name)); err != nil {
			return fmt.Errorf("cannot remove the training that is complete: %w", err)
		}
	}
	return nil
}
