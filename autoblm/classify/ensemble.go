package classify

import (
	"context"
	"errors"
	"math"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Ensemble is models of one graph that classify together: the probability of a class is the mean
// of theirs. Of models that do equally well on few nodes it does away with the choice.
type Ensemble []*Model

// classify computes the logits of some nodes: of several models, the logarithms of their
// mean probabilities.
func (t Ensemble) classify(ctx context.Context, engine Engine, g *rdf.Graph, nodes []rdf.Label) (*Network, []float32, error) {
	if len(t) == 0 {
		return nil, nil, errors.New("the ensemble has no models")
	}
	network, logits, err := t[0].classify(ctx, engine, g, nodes)
	if err != nil || len(t) == 1 {
		return network, logits, err
	}
	means := make([]float64, len(logits))
	for i, m := range t {
		if i > 0 {
			if _, logits, err = m.classify(ctx, engine, g, nodes); err != nil {
				return nil, nil, err
			}
		}
		for first := 0; first < len(logits); first += network.Classes {
			for class, p := range softmax(logits[first:][:network.Classes]) {
				means[first+class] += p / float64(len(t))
			}
		}
	}
	together := make([]float32, len(means))
	for i, p := range means {
		together[i] = float32(math.Log(max(p, math.SmallestNonzeroFloat64)))
	}
	return network, together, nil
}
