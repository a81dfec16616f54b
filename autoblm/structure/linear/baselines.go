package linear

import "github.com/autoblm/autoblm-go/autoblm/structure"

// MayEqual returns the baselines with as many chunks as s and the same invariant. Up to a
// change of basis s may be one of these, and is none of the others.
func MayEqual(s structure.Structure) (same []structure.Baseline) {
	invariant := Of(s)
	for _, model := range structure.BaselinesWith(s.K()) {
		if Of(model.Structure) == invariant {
			same = append(same, model)
		}
	}
	return same
}
