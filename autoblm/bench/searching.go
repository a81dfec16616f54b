package main

import (
	"context"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// searching is a whole search with AutoBLM+, as the paper's. With --study and
// --minutes it goes in pieces.
type searching struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Epochs  int    `json:"epochs"`
	// Budget is how many structures are trained, the named models not counted.
	Budget int `json:"budget"`
	// Within is how many seconds we aim at.
	Within float64 `json:"within"`
}

func newSearching(dataset string, budget int, within float64) searching {
	training := published("paper-search", dataset).Training
	return searching{
		ID: "search-" + dataset, Dataset: dataset, Dim: training.Dim, Batch: training.Batch, Epochs: training.Epochs, Budget: budget, Within: within,
	}
}

// published is a recipe that others published.
func published(name, dataset string) recipe.Recipe {
	r, err := recipe.Named(name, dataset)
	if err != nil {
		panic(err) // the names are of this program, and no user's
	}
	return r
}

// searched is what became of it so far.
type searched struct {
	searching
	Trained int `json:"trained"`
	Failed  int `json:"failed"`
	// Resumed are those that earlier pieces trained.
	Resumed int         `json:"resumed"`
	Stopped search.Stop `json:"stopped"`
	// Seconds of all pieces: training and ranking of all structures and of the named
	// models, compilation included; and of strategy, filter and predictor.
	Seconds  float64 `json:"seconds"`
	Overhead float64 `json:"overhead"`
	// Best is the best structure found so far, and Named the best named model.
	Best  *found `json:"best,omitempty"`
	Named *found `json:"named,omitempty"`
}

type found struct {
	Name      string              `json:"name,omitempty"`
	Structure structure.Structure `json:"structure"`
	ValidMRR  float64             `json:"valid_mrr"`
	TestMRR   float64             `json:"test_mrr"`
}

// settings are those of the paper's search, its training included, in these sizes.
func (c searching) settings() search.Settings {
	s := search.Paper()
	r := published("paper-search", c.Dataset)
	s.Budget, s.Training, s.LearningRate, s.Weights = c.Budget, r.Training, r.LearningRate, r.Weights
	s.Training.Dim, s.Training.Batch, s.Training.Epochs = c.Dim, c.Batch, c.Epochs
	return s
}

// search searches, or goes on with the study, until the minutes are over.
func (s *session) search(ctx context.Context, g *datasets.Graph, c searching) (searched, error) {
	settings := autoblm.DefaultSearch()
	settings.Settings, settings.Study, settings.Compute = c.settings(), s.Study, s.compute()
	if s.Minutes > 0 {
		settings.TimeLimit = max(s.left(), time.Nanosecond)
	}
	result, err := autoblm.Search(ctx, g, settings)
	if err != nil {
		return searched{}, err
	}
	r := searched{
		searching: c, Trained: result.Trained, Failed: result.Trained - result.Complete, Resumed: result.Resumed,
		Stopped: result.Stopped, Seconds: result.Seconds, Overhead: result.Overhead,
		Best: bestOf(result.Best), Named: bestOf(result.Named),
	}
	if result.Stopped == search.SpaceExhausted {
		err = fmt.Errorf("the search ended after %d of %d structures: %s", result.Trained, c.Budget, result.Note)
	}
	return r, err
}

// bestOf is the one of the highest validation MRR, or nil.
func bestOf(trials []task.Trial) *found {
	var best *found
	for _, t := range trials {
		if t.Score == nil || t.TestScore == nil || best != nil && *t.Score <= best.ValidMRR {
			continue
		}
		best = &found{Name: t.Name, Structure: t.Structure, ValidMRR: *t.Score, TestMRR: *t.TestScore}
	}
	return best
}
