package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The names of parameters. Those of layers come first.
const (
	Relations      = "relations"       // [relations, d], CompGCN's with one more for self-loops
	RelationStep   = "relation-step"   // [d, d]: makes CompGCN's relations of the next layer
	Coefficients   = "coefficients"    // [relations, parts]: of R-GCN's common matrices
	Bases          = "bases"           // [parts, d, d], or [relations, parts, d/parts, d/parts] for blocks
	MessageWeights = "message-weights" // [d, d]: W
	ReverseWeights = "reverse-weights" // [d, d]: CompGCN's W of reverse edges
	SelfWeights    = "self-weights"    // [d, d]: W of self-loops
	Bias           = "bias"            // [1, d]

	Entities      = "entities"       // [inputs, d]
	HiddenWeights = "hidden-weights" // [d, d]: of the perceptron behind the layers
	HiddenBias    = "hidden-bias"    // [1, d]
	OutputWeights = "output-weights" // [d, classes]
	OutputBias    = "output-bias"    // [1, classes]
)

// Parameter is a table of numbers that is learned.
type Parameter struct {
	Name  string
	Layer int // from 0; -1 for those of no layer
	Dims  []int
	scale float64 // standard deviation of the initial numbers
}

// Size is how many numbers it has.
func (p Parameter) Size() int {
	n := 1
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// String is the parameter's name with its layer, counted from 1.
func (p Parameter) String() string {
	if p.Layer < 0 {
		return p.Name
	}
	return fmt.Sprintf("layer-%d-%s", p.Layer+1, p.Name)
}

// The scales of initial embeddings.
const (
	entityScale   = 0.1
	relationScale = 0.3
)

// parametersOf are the parameters of a network, the entities' embeddings first.
func parametersOf(s Settings, inputs, relations, classes int) []Parameter {
	d := s.Dim
	matrix := 1 / math.Sqrt(float64(d))
	all := []Parameter{{Entities, -1, []int{inputs, d}, entityScale}}
	for l := range s.Layers {
		add := func(name string, scale float64, dims ...int) {
			all = append(all, Parameter{name, l, dims, scale})
		}
		switch s.Encoder {
		case BLM:
			add(Relations, relationScale, relations, d)
			if s.Transform {
				add(MessageWeights, matrix, d, d)
			}
		case GCN:
			add(MessageWeights, matrix, d, d)
		case RGCN:
			add(Coefficients, 1/math.Sqrt(float64(s.Parts)), relations, s.Parts)
			add(Bases, matrix, s.Parts, d, d)
		case RGCNBlock:
			width := d / s.Parts
			add(Bases, 1/math.Sqrt(float64(width)), relations, s.Parts, width, width)
		default:
			if l == 0 {
				add(Relations, relationScale, relations+1, d)
			} else {
				all = append(all, Parameter{RelationStep, l - 1, []int{d, d}, matrix})
			}
			add(MessageWeights, matrix, d, d)
			if s.Reverse {
				add(ReverseWeights, matrix, d, d)
			}
		}
		if s.SelfLoops {
			add(SelfWeights, matrix, d, d)
		}
		add(Bias, 0, 1, d)
	}
	if s.Hidden {
		all = append(all, Parameter{HiddenWeights, -1, []int{d, d}, matrix}, Parameter{HiddenBias, -1, []int{1, d}, 0})
	}
	return append(all, Parameter{OutputWeights, -1, []int{d, classes}, matrix}, Parameter{OutputBias, -1, []int{1, classes}, 0})
}

// Initialize draws the numbers of all parameters, so that a seed gives the same ones on
// every engine. A node's embedding depends on the seed and on its number in the graph,
// not on which other nodes there are.
func (n *Network) Initialize(seed uint64) [][]float32 {
	tables := make([][]float32, len(n.Parameters))
	for i, p := range n.Parameters {
		table := make([]float32, p.Size())
		tables[i] = table
		if p.Name != Entities {
			draw(table, seed, uint64(i), p.scale)
			continue
		}
		for row, node := range n.Inputs {
			if node != Blank {
				draw(table[row*n.Settings.Dim:][:n.Settings.Dim], seed, 1<<32+uint64(node), p.scale)
			}
		}
	}
	return tables
}

func draw(numbers []float32, seed, purpose uint64, scale float64) {
	rng := source(seed, purpose)
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64() * scale)
	}
}

// source is a source of random numbers for one purpose of a seed.
func source(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x636c617373696679^purpose*0x9e3779b97f4a7c15))
}
