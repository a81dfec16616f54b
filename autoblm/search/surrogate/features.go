package surrogate

import (
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

func (f Features) of(s structure.Structure) []uint8 {
	if f == OneHot {
		return s.OneHot()
	}
	return s.SRF()
}

// inputs returns the features of n structures, each followed by a 1, as [n, width].
func (f Features) inputs(structures []structure.Structure) (inputs []float32, width int) {
	for _, s := range structures {
		features := f.of(s)
		width = len(features) + 1
		for _, x := range features {
			inputs = append(inputs, float32(x))
		}
		inputs = append(inputs, 1)
	}
	return inputs, width
}

// distinct merges structures with the same features into one, with the mean of their scores
// and their share of all structures. A fit to these equals a fit to all, because the square
// error differs by a constant. Often only a third of the structures of a search remain.
func (f Features) distinct(
	structures []structure.Structure, scores []float64,
) (kept []structure.Structure, means, shares []float64) {
	index := map[string]int{}
	for i, s := range structures {
		features := string(f.of(s))
		at, there := index[features]
		if !there {
			at = len(kept)
			index[features] = at
			kept, means, shares = append(kept, s), append(means, 0), append(shares, 0)
		}
		means[at] += scores[i]
		shares[at]++
	}
	for i := range kept {
		means[i] /= shares[i]
		shares[i] /= float64(len(structures))
	}
	return kept, means, shares
}
