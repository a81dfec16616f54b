package linear

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// MayEqual lists the human-designed models with as many chunks as s and the same
// invariant: s may be one of them up to a change of basis, and is none of the
// others. They have four chunks, so it is nil for other K.
func MayEqual(s structure.Structure) []structure.Baseline {
	models := humanDesigned()
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

type namedInvariant struct {
	structure.Baseline
	invariant Invariant
}

var humanDesigned = sync.OnceValue(func() []namedInvariant {
	var models []namedInvariant
	for _, model := range structure.Baselines() {
		models = append(models, namedInvariant{model, Of(model.Structure)})
	}
	return models
})
