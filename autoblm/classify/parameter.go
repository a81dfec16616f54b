package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The parameters of a layer.
const (
	relation       = "relation"        // [relations, d], CompGCN's with one more for self-loops
	relationStep   = "relation step"   // [d, d]: CompGCN's relations of the next layer
	coefficient    = "coefficient"     // [relations, parts]: of R-GCN's common matrices
	basis          = "basis"           // [parts, d, d], or [relations, parts, d/parts, d/parts] for blocks
	message        = "message"         // [d, d]: W
	reverseMessage = "reverse message" // [d, d]: CompGCN's W of reverse edges
	selfLoop       = "self loop"       // [d, d]: W_0
	bias           = "bias"            // [1, d]
)

// The other parameters.
const (
	entity     = "entity"      // [inputs, d]
	hidden     = "hidden"      // [d, d]: of the head
	hiddenBias = "hidden bias" // [1, d]
	output     = "output"      // [d, classes]
	outputBias = "output bias" // [1, classes]
)

// parameter is a table of numbers that is learned.
type parameter struct {
	name  string
	layer int // -1 for those of no layer
	dims  []int
	scale float64 // standard deviation of the initial numbers
}

func (p parameter) size() int {
	n := 1
	for _, d := range p.dims {
		n *= d
	}
	return n
}

// The scales of initial embeddings.
const (
	entityScale   = 0.1
	relationScale = 0.3
)

// parametersOf are the parameters of a model, the entities' embeddings first.
func parametersOf(f *field, s Settings, classes int) []parameter {
	d := s.Dim
	matrix := 1 / math.Sqrt(float64(d))
	all := []parameter{{entity, -1, []int{len(f.inputs), d}, entityScale}}
	for l := range s.Layers {
		add := func(name string, scale float64, dims ...int) {
			all = append(all, parameter{name, l, dims, scale})
		}
		switch s.Encoder {
		case BLM:
			add(relation, relationScale, f.relations, d)
			if s.Transform {
				add(message, matrix, d, d)
			}
		case GCN:
			add(message, matrix, d, d)
		case RGCN:
			add(coefficient, 1/math.Sqrt(float64(s.Parts)), f.relations, s.Parts)
			add(basis, matrix, s.Parts, d, d)
		case RGCNBlock:
			width := d / s.Parts
			add(basis, 1/math.Sqrt(float64(width)), f.relations, s.Parts, width, width)
		default:
			if l == 0 {
				add(relation, relationScale, f.relations+1, d)
			} else {
				all = append(all, parameter{relationStep, l - 1, []int{d, d}, matrix})
			}
			add(message, matrix, d, d)
			if s.Reverse {
				add(reverseMessage, matrix, d, d)
			}
		}
		if s.SelfLoops {
			add(selfLoop, matrix, d, d)
		}
		add(bias, 0, 1, d)
	}
	if s.Hidden {
		all = append(all, parameter{hidden, -1, []int{d, d}, matrix}, parameter{hiddenBias, -1, []int{1, d}, 0})
	}
	return append(all, parameter{output, -1, []int{d, classes}, matrix}, parameter{outputBias, -1, []int{1, classes}, 0})
}

// initial draws the numbers of all parameters. An entity's depend on the seed and
// on its number in the graph, not on which others the model has.
func initial[F float](f *field, all []parameter, seed uint64) [][]F {
	tables := make([][]F, len(all))
	for i, p := range all {
		if p.name == entity {
			tables[i] = initialEntities[F](f, p, seed)
			continue
		}
		tables[i] = make([]F, p.size())
		rng := source(seed, uint64(i))
		for n := range tables[i] {
			tables[i][n] = F(rng.NormFloat64() * p.scale)
		}
	}
	return tables
}

func initialEntities[F float](f *field, p parameter, seed uint64) []F {
	table := make([]F, 0, p.size())
	for _, node := range f.inputs {
		if node == blank {
			table = append(table, make([]F, p.dims[1])...)
			continue
		}
		rng := source(seed, 1<<32+uint64(node))
		for range p.dims[1] {
			table = append(table, F(rng.NormFloat64()*p.scale))
		}
	}
	return table
}

// source is a source of random numbers for one purpose of a seed.
func source(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x636c617373696679^purpose*0x9e3779b97f4a7c15))
}

// String is the parameter's name with its layer.
func (p parameter) String() string {
	if p.layer < 0 {
		return p.name
	}
	return fmt.Sprintf("%s of layer %d", p.name, p.layer)
}
