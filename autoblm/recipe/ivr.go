package recipe

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// complexNumbers is ComplEx with two chunks. IVR takes norms over all chunks at a position, so with
// four chunks, as in the baseline, it would differ from the published penalty.
const complexNumbers = "1,2;-2,1"

// ivrFamily returns what the recipes of a model with IVR share.
func ivrFamily(name, model string) family {
	return family{
		name: name, model: model, reported: "the paper (Xiao and Cao, 2024), Table 1",
		about:  model + " with IVR, norms of all intermediate variables (Xiao and Cao, 2024)",
		source: "changyi7231/IVR, main.py and hyper-parameters-settings.png",
		note: "In their first version the authors draw initial embeddings uniformly from " +
			"[-.01, .01]; here they are normal with the same variance. " + bestNote,
		training: training(func(s *kge.Settings) { s.Reciprocal, s.InitScale = true, .01/math.Sqrt(3) }),
	}
}

// ivrTucker is TuckER with IVR, whose tensor is the learned core.
var ivrTucker = func() family {
	f := ivrFamily("ivr-tucker", "TuckER")
	f.form = form.Tucker
	f.note += " Relations and the core begin larger, so that a relation's matrix keeps norms."
	return f
}()

var tuckerSettings = settings{dim: 256, batch: 50, epochs: 200, validate: 5, rate: .1}

var ivrSettings = settings{dim: 4000, batch: 50, epochs: 200, validate: 5, rate: .1}

// with returns the settings with another dimension.
func (s settings) with(dim int) settings {
	s.dim = dim
	return s
}

// ivrWeights returns twice the authors' weights, see the package comment.
func ivrWeights(power, norms, products float64) kge.Weights {
	return kge.Weights{IVR: 2 * norms, IVRProducts: 2 * products, IVRPower: power}
}
