package completion

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// LoadEnsembleFiles reads an ensemble from files in memory.
func LoadEnsembleFiles(files map[string][]byte) (*Ensemble, error) {
	return loadEnsemble("", modelfolder.FromFiles(files))
}

// Unexported functions under test.
var (
	Choose           = choose
	NewFacts         = newFacts
	SelectionTriples = selectionTriples
)

// MaxScoreBytes limits the memory for scores.
var MaxScoreBytes = &maxScoreBytes

// HeadScores returns the model's scores of the heads of a relation and a tail.
func HeadScores(m *kge.Model, relation, tail int32) func(head int32) float64 {
	return question{given: tail, relation: relation, forHeads: true}.scores(m, nil)
}

// QueriesWithin returns the number of validation queries that a limit of work keeps.
func QueriesWithin(p Predictor, engine kge.Engine, g *datasets.Graph, work float64) (int, error) {
	h, err := newHeldOut(p, engine, g, g.Valid, nil)
	if err != nil {
		return 0, err
	}
	defer h.answerer.Close()
	h.limit(work)
	return len(h.queries), nil
}

// MinWeighed is the smallest number of validation triples of a relation with weights of its own.
const MinWeighed = minWeighed

// FilteredRank ranks a true answer by the scores of all entities.
var FilteredRank = filteredRank

// RivalsOf returns the differences of scores of the rivals of a true answer.
var RivalsOf = rivalsOf

// MaxRivals is the number of rivals that are kept of an answer.
const MaxRivals = maxRivals

// FitWeights fits the weights of two models to an answer with one rival, for several folds.
func FitWeights(ctx context.Context) (logs [][]float64, err error) {
	f := &weightFit{
		rivals: &rivals{2, [][]float32{{1, -1}, {1, -1}}}, triples: make([]datasets.Triple, 1), folds: 3,
	}
	shared := map[fitKey][]float64{}
	for fold := range f.folds + 1 {
		logs = append(logs, make([]float64, 2))
		shared[fitKey{allRelations, fold}] = logs[fold]
	}
	return logs, f.fitAll(ctx, shared, shared, map[int32][]int{allRelations: {0}}, sharedShrinkage)
}

// RankAmongRivals returns the reciprocal rank of a true answer by weighted scores of models.
func RankAmongRivals(
	byModel [][]float32, truth int32, known []int32, weights []float64,
) float64 {
	r := &rivals{len(byModel), [][]float32{rivalsOf(byModel, truth, known)}}
	return r.reciprocalRank(0, weights)
}
