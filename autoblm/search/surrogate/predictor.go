package surrogate

import (
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/settings"
	"gonum.org/v1/gonum/stat"
)

// Settings configures a fit.
type Settings struct {
	Features Features `json:"features" help:"Features of a structure that the predictor uses."`
	// Hidden does not count the unit that gives the output its bias.
	Hidden int `json:"hidden" min:"1" max:"1048576" help:"Width of the predictor's hidden layer."`
	// Steps counts updates of AdamW, each on all examples.
	Steps        int     `json:"steps" min:"1" max:"1048576" help:"Optimizer steps for a fit of the predictor."`
	LearningRate float64 `json:"learning_rate" above:"0" help:"Learning rate of the predictor."`
	WeightDecay  float64 `json:"weight_decay" min:"0" help:"Weight decay of the predictor."`
}

// DefaultSettings returns settings that fit 64 structures in a few milliseconds.
func DefaultSettings() Settings {
	return Settings{Features: SRF, Hidden: 8, Steps: 200, LearningRate: 0.02, WeightDecay: 0.1}
}

// Validate returns an error if a setting is out of its limits.
func (s Settings) Validate() error {
	if err := settings.Check(s); err != nil {
		return fmt.Errorf("the predictor: %w", err)
	}
	return nil
}

// Predictor is a fitted perceptron. It is safe for concurrent use.
type Predictor struct {
	features   Features
	perceptron *perceptron
	k          int     // of the structures it was fitted to
	messages   bool    // whether it was fitted to those of messages too
	mean       float64 // of the scores
	spread     float64
}

// Fit fits a perceptron to the scores of structures that all have the same K. messages has a second
// structure for each, that of an encoder's messages, or none. The seed decides the initial weights.
func Fit(
	s Settings, structures []structure.Structure, scores []float64, seed uint64,
	messages ...structure.Structure,
) (*Predictor, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	n := len(structures)
	if n == 0 || n != len(scores) {
		return nil, fmt.Errorf(
			"a predictor needs a score for each structure, at least one: got %d structures and %d scores",
			n, len(scores))
	}
	p := &Predictor{features: s.Features, k: structures[0].K(), messages: len(messages) > 0}
	if err := p.check(structures, messages); err != nil {
		return nil, err
	}
	for i, x := range scores {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("the score of structure %d, %s, is %v: drop structures without a "+
				"finite score",
				i, structures[i], x)
		}
	}
	p.mean, p.spread = stat.PopMeanStdDev(scores, nil)
	if p.spread == 0 {
		p.spread = 1 // all scores are equal, and so are all predictions
	}
	kept, means, shares := distinct(s.Features.of(structures, messages), scores)
	for i := range means {
		means[i] = (means[i] - p.mean) / p.spread
	}
	inputs, width := inputs(kept)
	p.perceptron = newPerceptron(width, s.Hidden, seed)
	if err := p.perceptron.fit(s, inputs, means, shares); err != nil {
		return nil, fmt.Errorf("fit the predictor: %w", err)
	}
	return p, nil
}

// Predict predicts the scores of structures, with messages if the fit had some. All must have the same
// K as those of the fit.
func (p *Predictor) Predict(
	structures []structure.Structure, messages ...structure.Structure,
) ([]float64, error) {
	if len(structures) == 0 {
		return nil, nil
	}
	if err := p.check(structures, messages); err != nil {
		return nil, err
	}
	inputs, _ := inputs(p.features.of(structures, messages))
	outputs, err := p.perceptron.run(inputs)
	if err != nil {
		return nil, fmt.Errorf("run the predictor: %w", err)
	}
	guesses := make([]float64, len(structures))
	for i := range guesses {
		guesses[i] = p.mean + p.spread*float64(outputs[i])
	}
	return guesses, nil
}

func (p *Predictor) check(structures, messages []structure.Structure) error {
	if p.messages != (len(messages) > 0) || p.messages && len(messages) != len(structures) {
		return fmt.Errorf("%d structures have %d messages: give each of them one, in the fit too, or none",
			len(structures), len(messages))
	}
	for i, s := range slices.Concat(structures, messages) {
		if s.K() != p.k || s.K() == 0 {
			return fmt.Errorf("structure %d has K=%d but the predictor is fitted to K=%d: use one "+
				"predictor per K",
				i, s.K(), p.k)
		}
	}
	return nil
}
