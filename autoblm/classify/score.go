package classify

import "math"

// Evaluation reports how many nodes were classified correctly.
type Evaluation struct {
	Nodes    int     `json:"nodes"`
	Accuracy float64 `json:"accuracy"` // a share
}

// score sums up how well nodes are classified.
type score struct {
	nodes, hits int
	loss        float64 // sum of cross entropies
}

// scoreOf returns the score of some outputs of a network, given the logits of all.
func scoreOf(n *Network, logits []float32, outputs []int) (all score) {
	for _, i := range outputs {
		all.add(scoreOfNode(logits[i*n.Classes:][:n.Classes], int(n.Targets[i])))
	}
	return all
}

// scoreOfNode returns the score of one node. Of classes with equal logits it predicts the first.
// NaN is never a hit.
func scoreOfNode(logits []float32, class int) score {
	best, largest := 0, math.Inf(-1)
	for c, l := range logits {
		if float64(l) > largest {
			best, largest = c, float64(l)
		}
	}
	total := 0.0
	for _, l := range logits {
		total += math.Exp(float64(l) - largest)
	}
	s := score{nodes: 1, loss: math.Log(total) + largest - float64(logits[class])}
	if best == class && !math.IsNaN(s.loss) {
		s.hits = 1
	}
	return s
}

func (s *score) add(o score) {
	s.nodes += o.nodes
	s.hits += o.hits
	s.loss += o.loss
}

func (s score) accuracy() float64 { return float64(s.hits) / float64(s.nodes) }

func (s score) evaluation() Evaluation { return Evaluation{s.nodes, s.accuracy()} }

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
