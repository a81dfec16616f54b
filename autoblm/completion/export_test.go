package completion

import "github.com/autoblm/autoblm-go/internal/modelfolder"

// LoadEnsembleFiles reads an ensemble from files in memory.
func LoadEnsembleFiles(files map[string][]byte) (*Ensemble, error) {
	return loadEnsemble("", modelfolder.FromFiles(files))
}

// Unexported functions under test.
var (
	Choose           = choose
	HeadScores       = headScores
	SelectionTriples = selectionTriples
)

// MaxScoreBytes limits the memory for scores.
var MaxScoreBytes = &maxScoreBytes
