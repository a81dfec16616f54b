package task

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Flags are the settings that only one task has, as a struct for the parser of a command line.
type Flags interface {
	// For returns a pointer to the settings that a study stores for a search with the given
	// recipe. A task may take some of them from the recipe.
	For(Recipe) any
}

// DecodeSettings reads the task settings of a study, the zero value if there are none.
func DecodeSettings[S any](text json.RawMessage) (settings S, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil {
		err = fmt.Errorf("read the task settings: %w", err)
	}
	return settings, err
}

// CheckNoTriples returns an error if a recipe has settings that only completion supports.
func (r Recipe) CheckNoTriples() error {
	t := r.Training
	if t.Frequency != 0 || t.AnswersPerQuery != 0 || t.Buckets != 0 || t.BatchNorm ||
		t.Loss != kge.LogLoss ||
		r.RelationPrediction != 0 || r.HasIVR() {
		return errors.New("frequency weights, answers per query, buckets, batch " +
			"normalization, bce, relation prediction and IVR exist for completion only: leave them out")
	}
	return nil
}
