package classify

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Ensemble holds one or more models of a graph that classify together, by the mean of their
// probabilities. It avoids a choice between models that do equally well on few nodes.
type Ensemble []*Model

// classify returns the logits of some nodes and their network. The logits of several models are
// the logarithms of their mean probabilities.
func (e Ensemble) classify(
	ctx context.Context, engine Engine, g *rdf.Graph, nodes []rdf.Label,
) (*Network, []float32, error) {
	if len(e) == 0 {
		return nil, nil, errors.New("the ensemble has no models")
	}
	network, logits, err := e[0].classify(ctx, engine, g, nodes)
	if err != nil || len(e) == 1 {
		return network, logits, err
	}
	means := make([]float64, len(logits))
	for i, m := range e {
		if i > 0 {
			if _, logits, err = m.classify(ctx, engine, g, nodes); err != nil {
				return nil, nil, err
			}
		}
		for first := 0; first < len(logits); first += network.Classes {
			for class, p := range softmax(logits[first:][:network.Classes]) {
				means[first+class] += p / float64(len(e))
			}
		}
	}
	logs := make([]float32, len(means))
	for i, p := range means {
		logs[i] = float32(math.Log(max(p, math.SmallestNonzeroFloat64)))
	}
	return network, logs, nil
}

// softmax turns logits into probabilities.
func softmax(logits []float32) []float64 {
	largest, total := float64(slices.Max(logits)), 0.0
	all := make([]float64, len(logits))
	for i, x := range logits {
		all[i] = math.Exp(float64(x) - largest)
		total += all[i]
	}
	for i := range all {
		all[i] /= total
	}
	return all
}
