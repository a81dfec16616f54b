package autoblm

import (
	"context"
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/datasets"
)

// Calibrate returns a predictor with probabilities, which it fits to the validation triples of g.
// Answers have them if [PredictOptions] ask for shares, and Save keeps them in the folder of the
// model. See [completion.Calibrate].
func Calibrate(ctx context.Context, p Predictor, g *datasets.Graph) (Predictor, error) {
	own, is := ownPredictor(p)
	if !is {
		return nil, errors.New("only models and ensembles of this package can be calibrated")
	}
	c, err := completion.Calibrate(ctx, own.Predictor, cpu.New(0), g)
	if err != nil {
		return nil, err
	}
	return predictor{completion.WithCalibration(own.Predictor, c)}, nil
}
