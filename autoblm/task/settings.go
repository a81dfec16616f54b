package task

import (
	"encoding/json"
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
	for _, c := range []struct {
		has  bool
		what string
	}{
		{t.Frequency != 0, "frequency"},
		{t.AnswersPerQuery != 0, "answers-per-query"},
		{t.Buckets != 0, "buckets"},
		{t.BatchNorm, "batch-norm"},
		{t.Loss != kge.LogLoss, "the loss bce"},
		{t.Encoder != kge.NoEncoder, "the encoder " + t.Encoder.String()},
		{t.FeatureDropout != 0, "feature-dropout"},
		{t.WalkHops != 0, "walk-hops"},
		{t.AdversarialTemperature != 0, "adversarial-temperature"},
		{t.Subsampling, "subsampling"},
		{r.RelationPrediction != 0, "relation-prediction"},
		{r.HasIVR(), "ivr or ivr-products"},
	} {
		if c.has {
			return fmt.Errorf("the recipe has %s, which only completion supports: leave it out, or choose "+
				"another recipe", c.what)
		}
	}
	return nil
}
