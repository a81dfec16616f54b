package classify

import "github.com/gomlx/gomlx/core/tensors"

// passage is a layer's hop as sums, forward and backward, with what a program
// needs of them on the device.
type passage struct {
	targets, size, blocks int

	collect, spread *sums // rows below to carriers to targets
	self            *sums // rows below to the same nodes' rows; nil without self-loops
	lend            *sums // operators of relations to blocks
	unspread, back  *sums // gradients of targets to carriers, and of carriers and self-loops to rows below
	merge           *sums // gradients of blocks' operators to relations

	// Weights of rows; nil stands for ones. A self-loop has none, so what comes back
	// from it is divided by the source's, with which all that comes back is multiplied.
	sourceWeights, carrierWeights, targetWeights, selfWeights []float64
}

func newPassage(l layer, relations int, selfLoops bool) *passage {
	h := newHop(l, relations)
	p := &passage{
		targets: len(l.nodes), size: h.size, blocks: len(h.relations),
		collect:       newSums(l.below, h.collect),
		spread:        newSums(h.carriers(), h.spread),
		lend:          newSums(relations, single(h.relations)),
		unspread:      newSums(len(l.nodes), transposed(h.spread, h.carriers())),
		merge:         newSums(len(h.relations), transposed(single(h.relations), relations)),
		sourceWeights: l.sourceWeights, carrierWeights: h.weights, targetWeights: l.targetWeights,
	}
	sources := h.carriers()
	if selfLoops {
		p.self = newSums(l.below, single(l.self))
		sources += len(l.nodes)
		for _, row := range l.self {
			if l.sourceWeights != nil {
				p.selfWeights = append(p.selfWeights, 1/l.sourceWeights[row])
			}
		}
	}
	p.back = newSums(sources, h.backward(l, selfLoops))
	return p
}

// single are lists of one number each.
func single(numbers []int32) [][]int32 {
	lists := make([][]int32, len(numbers))
	for i := range numbers {
		lists[i] = numbers[i : i+1]
	}
	return lists
}

// plans are all sums, in the order in which programs take their indices.
func (p *passage) plans() []*sums {
	all := []*sums{p.collect, p.spread, p.lend, p.unspread, p.back, p.merge}
	if p.self != nil {
		all = append(all, p.self)
	}
	return all
}

// weights are all weights that are not ones, in the order in which programs take
// them.
func (p *passage) weights() [][]float64 {
	var all [][]float64
	for _, w := range [][]float64{p.sourceWeights, p.carrierWeights, p.targetWeights, p.selfWeights} {
		if w != nil {
			all = append(all, w)
		}
	}
	return all
}

// constants are the inputs of a program that stay the same in all its calls.
func constants[F float](passages []*passage) []*tensors.Tensor {
	var all []*tensors.Tensor
	for _, p := range passages {
		for _, plan := range p.plans() {
			all = append(all, tensors.FromFlatDataAndDimensions(plan.indices, len(plan.indices)))
		}
		for _, w := range p.weights() {
			all = append(all, tensors.FromFlatDataAndDimensions(narrow[F](w), 1, len(w), 1))
		}
	}
	return all
}

// float is what programs calculate in: float32, and float64 where gradients are
// checked.
type float interface{ float32 | float64 }

func narrow[F float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
	}
	return y
}
