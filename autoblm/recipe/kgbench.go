package recipe

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// uniformScale returns the standard deviation of numbers that are uniform in an interval.
func uniformScale(from, to float64) float64 { return (to - from) / math.Sqrt(12) }

// kgbenchFamily returns what the recipes of KGBench share, with settings that only one graph has.
func kgbenchFamily(change func(s *kge.Settings)) family {
	return family{
		name: "kgbench", model: "ComplEx", reported: "its README",
		about:  "ComplEx with dropout, N3 and relation prediction, as tuned by the paper's authors",
		source: "LARS-research/KGBench, example, GRAPH_best.yaml",
		note: "The authors also drop coordinates of relations and of the candidates; " +
			"here those of queries are dropped, at the rate of relations. They draw initial " +
			"embeddings uniformly; here they are normal with mean 0 and the same variance. " + bestNote,
		training: training(func(s *kge.Settings) {
			s.PlateauFactor = .95
			change(s)
		}),
	}
}

var (
	// The authors reduce the rate after more validations without improvement than their patience.
	kgbenchWN18RR = kgbenchFamily(func(s *kge.Settings) {
		s.InputDropout, s.Dropout, s.PlateauPatience = .6, .23559792446310426, 5+1
		s.InitScale = uniformScale(-.28148249060722197, 1)
	})
	kgbenchFB15k237 = kgbenchFamily(func(s *kge.Settings) {
		s.Reciprocal = true
		s.InputDropout, s.Dropout, s.PlateauPatience = .5024238994908072, .5061077855159372, 7+1
		s.InitScale = uniformScale(-.8328168489829233, 1)
	})
)

// ofAllRows returns the weights of λ·Σ|x|³/3 over all rows in each step, twice for entities, as
// penalties of used rows with the same mean. used and relations are the numbers of entities and
// relations in training triples.
func ofAllRows(lambda float64, used, relations int) kge.Weights {
	return kge.Weights{
		EntityN3: lambda / 3 * float64(used), RelationN3: lambda / 3 * float64(relations),
		PenaltyFrequency: 1,
	}
}
