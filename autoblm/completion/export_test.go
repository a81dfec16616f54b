package completion

import (
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
	SelectionTriples = selectionTriples
)

// MaxScoreBytes limits the memory for scores.
var MaxScoreBytes = &maxScoreBytes

// HeadScores returns the model's scores of the heads of a relation and a tail.
func HeadScores(m *kge.Model, relation, tail int32) func(head int32) float64 {
	return question{given: tail, relation: relation, forHeads: true}.scores(m)
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

// RankAmongRivals returns the reciprocal rank of a true answer by weighted scores of models.
func RankAmongRivals(
	byModel [][]float32, truth int32, known []int32, weights []float64,
) float64 {
	r := &rivals{len(byModel), [][]float32{rivalsOf(byModel, truth, known)}}
	return r.reciprocalRank(0, weights)
}
