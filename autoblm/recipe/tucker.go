package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// binaryTucker returns TuckER with binary cross entropy and a label smoothing.
func binaryTucker(smoothing float64) family {
	return family{
		name: "tucker", model: "TuckER", reported: "the same README", form: form.Tucker,
		about:  "TuckER with binary cross entropy and batch normalization (Balazevic et al., 2019)",
		source: "ibalazevic/TuckER, README and main.py",
		note: "Relations have the dimension of entities. The authors also drop numbers of a relation's " +
			"matrix, which no setting does here. They draw the core uniformly from [-1, 1]; here a " +
			"relation's first matrix keeps norms. " + bestNote,
		training: training(func(s *kge.Settings) {
			s.Reciprocal, s.BatchNorm, s.Optimizer, s.Initial = true, true, kge.Adam, kge.Xavier
			s.LossFunction = kge.LossFunction{Loss: kge.BCE, LabelSmoothing: smoothing}
		}),
	}
}

// binaryTuckerSettings returns the authors' settings, with shares of dropout of entities and of
// queries.
func binaryTuckerSettings(rate, decay, entities, queries float64) settings {
	return settings{
		dim: 200, batch: 128, epochs: 500, validate: 5, rate: rate, decay: decay,
		inputDropout: entities, dropout: queries,
	}
}

// tuckerAnywhere is TuckER for any graph.
var tuckerAnywhere = family{
	name: "tucker", form: form.Tucker, about: "TuckER with log-loss on a graph without published settings",
	source: bestOnThree, note: bestNote,
	training: training(func(s *kge.Settings) {
		reciprocal(s)
		sampleValidation(s)
	}),
}

const smallRelations = "The authors' relations have dimension 30."
