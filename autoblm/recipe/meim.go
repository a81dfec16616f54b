package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// meim returns what the recipes of MEIM with a number of partitions share.
func meim(partitions int) family {
	return family{
		name: "meim", model: "MEIM", reported: "the same README", form: form.Core(partitions),
		about:  "MEIM (Tran and Takasu, 2022): a learned core for each partition, with much dropout",
		source: "tranhungnghiep/MEIM-KGE, README",
		note: "The authors normalize batches with ε 1e-3 and momentum .01; here they are 1e-5 and .1. " +
			"They begin with embeddings of .01 times Xavier's deviation and cores from a normal " +
			"distribution of deviation .5, truncated at 1, and never fall below the learning rate " +
			"5e-5. " + bestNote,
		training: training(func(s *kge.Settings) {
			s.Reciprocal, s.BatchNorm, s.Optimizer = true, true, kge.Adam
		}),
	}
}

const amsgradNote = "The authors use AMSGrad; here it is Adam. They share the normalization of a coordinate " +
	"among partitions."

// meimSettings returns the authors' settings in common, with shares of dropout of entities and of
// queries.
func meimSettings(dim int, entities, queries, decay float64) settings {
	return settings{
		dim: dim, batch: 512, epochs: 1000, validate: 5, rate: 3e-3, decay: decay,
		inputDropout: entities, dropout: queries,
	}
}
