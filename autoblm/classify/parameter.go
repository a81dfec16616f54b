package classify

import (
	"fmt"
	"math"
)

// Names of parameters, those of layers first.
const (
	RelationEmbeddings = "relations" // [relations, d]; CompGCN has one more for self-loops
	// [d, d]: from CompGCN's relations to those of the next layer
	RelationStep = "relation-step"
	Coefficients = "coefficients" // [relations, parts]: of R-GCN's shared matrices
	// [parts, d, d], or [relations, parts, d/parts, d/parts] for blocks
	Bases          = "bases"
	MessageWeights = "message-weights" // [d, d]: W
	ReverseWeights = "reverse-weights" // [d, d]: CompGCN's W of reverse edges
	SelfWeights    = "self-weights"    // [d, d]: W of self-loops
	Bias           = "bias"            // [1, d]

	EntityEmbeddings = "entities"       // [inputs, d]
	HiddenWeights    = "hidden-weights" // [d, d]: of the perceptron after the layers
	HiddenBias       = "hidden-bias"    // [1, d]
	OutputWeights    = "output-weights" // [d, classes]
	OutputBias       = "output-bias"    // [1, classes]
)

// Parameter describes a learned table.
type Parameter struct {
	Name  string
	Layer int // from 0; -1 outside the layers
	Dims  []int
	scale float64 // standard deviation of the initial values
}

// Size returns the number of values.
func (p Parameter) Size() int {
	n := 1
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// String returns the name with the layer, counted from 1.
func (p Parameter) String() string {
	if p.Layer < 0 {
		return p.Name
	}
	return fmt.Sprintf("layer-%d-%s", p.Layer+1, p.Name)
}

// Standard deviations of initial embeddings.
const (
	entityScale   = 0.1
	relationScale = 0.3
)

// parametersOf returns the parameters of a network, the embeddings of entities first.
func parametersOf(s Settings, inputs, relations, classes int) []Parameter {
	d := s.Dim
	matrix := 1 / math.Sqrt(float64(d))
	all := []Parameter{{EntityEmbeddings, -1, []int{inputs, d}, entityScale}}
	for l := range s.Layers {
		add := func(name string, scale float64, dims ...int) {
			all = append(all, Parameter{name, l, dims, scale})
		}
		switch s.Encoder {
		case BLM:
			add(RelationEmbeddings, relationScale, relations, d)
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
				add(RelationEmbeddings, relationScale, relations+1, d)
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
		all = append(all,
			Parameter{HiddenWeights, -1, []int{d, d}, matrix},
			Parameter{HiddenBias, -1, []int{1, d}, 0})
	}
	return append(all,
		Parameter{OutputWeights, -1, []int{d, classes}, matrix},
		Parameter{OutputBias, -1, []int{1, classes}, 0})
}
