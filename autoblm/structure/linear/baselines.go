package linear

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// MayEqual returns the baselines with as many chunks as s and the same invariant. Up to a
// change of basis s may be one of these, and is none of the others. Baselines have four
// chunks, so it returns nil for other K.
func MayEqual(s structure.Structure) []structure.Baseline {
	models := baselineInvariants()
	if s.K() != models[0].Structure.K() {
		return nil
	}
	invariant := Of(s)
	var same []structure.Baseline
	for _, model := range models {
		if model.invariant == invariant {
			same = append(same, model.Baseline)
		}
	}
	return same
}

type baselineInvariant struct {
	structure.Baseline
	invariant Invariant
}

var baselineInvariants = sync.OnceValue(func() []baselineInvariant {
	var models []baselineInvariant
	for _, model := range structure.Baselines() {
		models = append(models, baselineInvariant{model, Of(model.Structure)})
	}
	return models
})
