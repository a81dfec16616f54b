package autoblm

import (
	"context"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/datasets"
)

// SearchWithin searches for the best model of g in a time, as the command search does with
// --minutes. It trains the default model first, so that even a short search keeps one, and then
// plans what fits into the rest. If ctx ends, it returns the results so far.
func SearchWithin(ctx context.Context, g *datasets.Graph, limit time.Duration) (*Found, error) {
	if limit <= 0 {
		return nil, fmt.Errorf("the time limit is %v: it must be positive", limit)
	}
	began := time.Now()
	s := TimedSearch(g, limit)
	s.Began = began
	return Search(ctx, g, s)
}

// TimedSearch returns the settings of [SearchWithin] on the default engine. Set Study, so that the
// search can be resumed, or OnProgress, before calling [Search]. The time begins with that call.
func TimedSearch(g *datasets.Graph, limit time.Duration) SearchSettings {
	s := DefaultSearch()
	s.Settings = search.TimedSettings()
	s.TimeLimit = limit
	size := recipe.SizeOf(g)
	choice, err := s.Compute.choose()
	size.Full = err == nil && choice.Backend != ""
	AdaptRecipe(&s.Recipe, size)
	byDefault := recipe.Default(size).Recipe
	s.Default = &byDefault
	s.Training.Precision, byDefault.Training.Precision = kge.AutoPrecision, kge.AutoPrecision
	return s
}

// AdaptRecipe adapts the recipe of a search to the size of its graph. The softmax of a large graph
// is sampled, for example.
func AdaptRecipe(r *kge.Recipe, size recipe.Size) {
	fit := recipe.Default(size)
	r.N3, r.PenaltyFrequency = fit.N3, fit.PenaltyFrequency
	r.Training.Batch = max(r.Training.Batch, fit.Training.Batch)
	r.Training.SampledSoftmax = fit.Training.SampledSoftmax
	r.Training.AnswersPerQuery = fit.Training.AnswersPerQuery
	r.Training.SparseGradients = fit.Training.SparseGradients
	r.LearningRate, r.Training.Cooldown = fit.LearningRate, fit.Training.Cooldown
}
