package classify

import "math"

// score is how well some nodes are classified.
type score struct {
	nodes, hits int
	loss        float64 // cross entropy, summed
}

// scoreOf is the score of some outputs of a network, by the logits of all.
func scoreOf(n *Network, logits []float32, outputs []int) (all score) {
	for _, i := range outputs {
		all.add(scoreOfNode(logits[i*n.Classes:][:n.Classes], int(n.Targets[i])))
	}
	return all
}

// scoreOfNode is that of one node. Of classes with equal logits the first is taken, and
// logits that are no numbers hit nothing.
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

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
