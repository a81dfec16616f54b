package predictor

import (
	"fmt"
	"iter"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/stat"
)

// Settings of a fit.
type Settings struct {
	// Features is what the perceptron sees.
	Features Features `json:"features"`
	// Hidden is the width of the hidden layer.
	Hidden int `json:"hidden"`
	// Steps is the number of full-batch AdamW steps.
	Steps int `json:"steps"`
	// LearningRate and WeightDecay are AdamW's.
	LearningRate float64 `json:"learning_rate"`
	WeightDecay  float64 `json:"weight_decay"`
}

// DefaultSettings fit in about a tenth of a second.
func DefaultSettings() Settings {
	return Settings{Features: SRF, Hidden: 8, Steps: 200, LearningRate: 0.02, WeightDecay: 0.1}
}

// Validate says what is wrong with the settings.
func (s Settings) Validate() error {
	switch {
	case s.Features != SRF && s.Features != OneHot:
		return fmt.Errorf("the predictor's features are %v: use srf or one-hot", s.Features)
	case s.Hidden < 1 || s.Steps < 1:
		return fmt.Errorf("the predictor has hidden width %d and %d steps: each must be at least 1", s.Hidden, s.Steps)
	case !(s.LearningRate > 0) || !(s.WeightDecay >= 0):
		return fmt.Errorf("the predictor has learning rate %v and weight decay %v: they must be above 0 and at least 0", s.LearningRate, s.WeightDecay)
	}
	return nil
}

// Predictor is a fitted perceptron.
type Predictor struct {
	settings Settings
	backend  compute.Backend
	store    *model.Store
	mean     float64 // of the scores it was fitted to
	spread   float64
}

// Fit fits a perceptron to the scores that structures, all of one K, reached.
// The seed decides its initial weights.
func Fit(s Settings, structures []structure.Structure, scores []float64, seed uint64) (*Predictor, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(structures) == 0 || len(structures) != len(scores) {
		return nil, fmt.Errorf("a predictor needs as many scores as structures and at least one: got %d structures and %d scores", len(structures), len(scores))
	}
	p := &Predictor{settings: s, backend: gobackend.GetBackend(), store: model.NewStore()}
	p.mean, p.spread = stat.PopMeanStdDev(scores, nil)
	if p.spread == 0 {
		p.spread = 1 // all scores are the same, and so are all guesses
	}
	labels := make([][]float32, len(scores))
	for i, score := range scores {
		labels[i] = []float32{float32((score - p.mean) / p.spread)}
	}
	if err := p.store.SetRNGStateFromSeed(int64(seed)); err != nil {
		return nil, fmt.Errorf("cannot seed the predictor: %w", err)
	}
	descent := optimizer.Adam().LearningRate(s.LearningRate).WeightDecay(s.WeightDecay).Done()
	trainer := train.NewTrainer(p.backend, p.store, p.perceptron, loss.MeanSquaredError, descent, nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(fullBatch{inputs: s.Features.matrix(structures), labels: labels}, s.Steps); err != nil {
		return nil, fmt.Errorf("cannot fit the predictor: %w", err)
	}
	return p, nil
}

// perceptron is the graph of the model: [n, features] to [n, 1].
func (p *Predictor) perceptron(scope *model.Scope, features *graph.Node) *graph.Node {
	return fnn.New(scope, features, 1).NumHiddenLayers(1, p.settings.Hidden).Activation(activation.TypeRelu).Done()
}

// Predict guesses the scores of structures.
func (p *Predictor) Predict(structures []structure.Structure) ([]float64, error) {
	if len(structures) == 0 {
		return nil, nil
	}
	exec, err := model.NewExec(p.backend, p.store, p.perceptron)
	if err != nil {
		return nil, fmt.Errorf("cannot run the predictor: %w", err)
	}
	defer exec.Finalize()
	output, err := exec.Call1(p.settings.Features.matrix(structures))
	if err != nil {
		return nil, fmt.Errorf("cannot run the predictor: %w", err)
	}
	guesses := make([]float64, len(structures))
	err = tensors.ConstFlatData(output, func(flat []float32) {
		for i, x := range flat {
			guesses[i] = p.mean + p.spread*float64(x)
		}
	})
	return guesses, err
}

// fullBatch is a data set that yields all its examples in each step.
type fullBatch struct{ inputs, labels [][]float32 }

func (fullBatch) Name() string { return "trained structures" }

func (b fullBatch) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for yield(train.Batch{
			Inputs: []*tensors.Tensor{tensors.FromValue(b.inputs)},
			Labels: []*tensors.Tensor{tensors.FromValue(b.labels)},
		}, nil) {
		}
	}
}
