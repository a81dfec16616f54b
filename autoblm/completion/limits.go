package completion

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

const (
	// quickScores is the number of scores up to which a split is ranked as a whole.
	quickScores = 3e9
	// enoughTriples is the size of a sample of a very large split whose MRR has a standard error of
	// 0.002, where the reciprocal ranks of triples have a standard deviation of 0.4.
	enoughTriples = 40_000
)

// FinalLimits returns the numbers of triples to rank after a training. It ranks all of them, except
// on a large graph, where a sample of the same accuracy for any size is enough.
func FinalLimits(g *datasets.Graph) eval.Limits {
	return eval.Limits{
		Valid: finalSample(len(g.Entities), len(g.Valid)),
		Test:  finalSample(len(g.Entities), len(g.Test)),
	}
}

// finalSample returns the size of a sample of a split, 0 for all triples.
func finalSample(entities, triples int) int {
	if float64(entities)*float64(triples) <= quickScores {
		return 0
	}
	// The error of a sample without replacement falls with the share that is left out.
	return int(enoughTriples / (1 + enoughTriples/float64(triples)))
}
