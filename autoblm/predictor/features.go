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

// matrix has a row of features for each structure.
func (f Features) matrix(structures []structure.Structure) [][]float32 {
	rows := make([][]float32, len(structures))
	for i, s := range structures {
		for _, x := range f.of(s) {
			rows[i] = append(rows[i], float32(x))
		}
	}
	return rows
}
