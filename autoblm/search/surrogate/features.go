package surrogate

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Features selects the features of a structure that the predictor uses.
type Features int

const (
	// SRF are the K(K+1) symmetry-related features (paper, Algorithm 2), the
	// same for all structures of one equivalence class.
	SRF Features = iota
	// OneHot are the K²(2K+1) indicators of the entries.
	OneHot
)

var featureNames = []string{"srf", "one-hot"}

func (f Features) String() string { return enum.Name(featureNames, "feature", f) }

// MarshalText writes the name.
func (f Features) MarshalText() ([]byte, error) { return enum.Marshal(featureNames, "feature", f) }

// UnmarshalText reads "srf" or "one-hot".
func (f *Features) UnmarshalText(text []byte) error {
	return enum.Unmarshal(featureNames, "feature", f, text)
}

// of returns the features of structures, followed by those of their messages if there are some.
func (f Features) of(structures, messages []structure.Structure) [][]uint8 {
	one := structure.Structure.SRF
	if f == OneHot {
		one = structure.Structure.OneHot
	}
	all := make([][]uint8, len(structures))
	for i, s := range structures {
		if all[i] = one(s); len(messages) > 0 {
			all[i] = slices.Concat(all[i], one(messages[i]))
		}
	}
	return all
}

// inputs returns n lists of features, each followed by a 1, as [n, width].
func inputs(all [][]uint8) (inputs []float32, width int) {
	for _, features := range all {
		width = len(features) + 1
		for _, x := range features {
			inputs = append(inputs, float32(x))
		}
		inputs = append(inputs, 1)
	}
	return inputs, width
}

// distinct merges equal features into one, with the mean of their scores and their share of all. A fit
// to these equals a fit to all, because the square error differs by a constant. Often only a third of
// the structures of a search remain.
func distinct(all [][]uint8, scores []float64) (kept [][]uint8, means, shares []float64) {
	index := map[string]int{}
	for i, features := range all {
		at, there := index[string(features)]
		if !there {
			at = len(kept)
			index[string(features)] = at
			kept, means, shares = append(kept, features), append(means, 0), append(shares, 0)
		}
		means[at] += scores[i]
		shares[at]++
	}
	for i := range kept {
		means[i] /= shares[i]
		shares[i] /= float64(len(all))
	}
	return kept, means, shares
}
