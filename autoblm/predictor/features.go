package predictor

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Features says what the predictor sees of a structure.
type Features int

const (
	// SRF are the K(K+1) symmetry-related features (paper, Algorithm 2), the
	// same for all structures of one equivalence class.
	SRF Features = iota
	// OneHot are the K²(2K+1) indicators of the entries.
	OneHot
)

var featureNames = []string{"srf", "one-hot"}

func (f Features) String() string { return names.Of(featureNames, "feature", f) }

// MarshalText writes the name.
func (f Features) MarshalText() ([]byte, error) { return names.Marshal(featureNames, "feature", f) }

// UnmarshalText reads "srf" or "one-hot".
func (f *Features) UnmarshalText(text []byte) error {
	return names.Unmarshal(featureNames, "feature", f, text)
}

func (f Features) of(s structure.Structure) []uint8 {
	if f == OneHot {
		return s.OneHot()
	}
	return s.SRF()
}

// matrix is [n, width]: of each of n structures its features and then a 1.
func (f Features) matrix(structures []structure.Structure) (matrix []float32, width int) {
	for _, s := range structures {
		features := f.of(s)
		width = len(features) + 1
		for _, x := range features {
			matrix = append(matrix, float32(x))
		}
		matrix = append(matrix, 1)
	}
	return matrix, width
}
