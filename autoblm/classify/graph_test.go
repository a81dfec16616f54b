package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// smallGraph is a random graph with hubs, parts out of reach, and 3 classes.
func smallGraph(rng *rand.Rand, nodes, relations, triples int) *rdf.Graph {
	g := &rdf.Graph{Name: "small", Classes: []string{"a", "b", "c"}}
	for i := range nodes {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
	}
	for i := range relations {
		g.Relations = append(g.Relations, fmt.Sprintf("<r:%d>", i))
	}
	any := func(n int) int32 { return int32(float64(n) * math.Pow(rng.Float64(), 2)) } // small numbers are hubs
	for range triples {
		t := datasets.Triple{Head: any(nodes), Relation: any(relations), Tail: any(nodes)}
		if !slices.Contains(g.Triples, t) {
			g.Triples = append(g.Triples, t)
		}
	}
	for i, node := range rng.Perm(nodes)[:12] {
		label := rdf.Label{Node: int32(node), Class: int32(i % 3)}
		if i < 9 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

// variants are settings that between them have every encoder, norm and choice.
func variants() []Settings {
	var all []Settings
	for _, e := range Encoders() {
		for n, norm := range []Norm{NoNorm, ByRelation, ByRelationRoot, Symmetric} {
			s := Defaults(e)
			s.Dim, s.Parts, s.Layers = 4, 2, 1+n%3
			s.Norm, s.SelfLoops, s.Reverse, s.Transform, s.Hidden = norm, n != 1, n != 2, n != 3, n != 0
			s.SeenBy = []int{0, 2, 6, 3}[n]
			all = append(all, s)
		}
	}
	return all
}

func (s Settings) variant() string {
	return fmt.Sprintf("%v, %d layers, norm %v, self-loops %v, reverse %v, seen by %d", s.Encoder, s.Layers, s.Norm, s.SelfLoops, s.Reverse, s.SeenBy)
}

// population is several members' parameters, in which nothing is zero or small
// but the embeddings that entities do not have.
type population struct {
	model      *model
	structures []structure.Structure
	tables     [][]float64 // of each parameter, those of all members
	constants  []*tensors.Tensor
}

func newPopulation(g *rdf.Graph, s Settings, structures []structure.Structure, rng *rand.Rand) *population {
	p := &population{model: newModel(g, s), structures: structures}
	for _, about := range p.model.parameters {
		table := make([]float64, len(structures)*about.size())
		for i := range table {
			table[i] = rng.NormFloat64() * 0.7
		}
		if about.name == entity {
			for row, node := range p.model.field.inputs {
				for member := range structures {
					if node == blank {
						clear(table[member*about.size()+row*s.Dim:][:s.Dim])
					}
				}
			}
		}
		p.tables = append(p.tables, table)
	}
	p.constants = constants[float64](p.model.passages)
	return p
}

// inputs are those of a program, up to the constants.
func (p *population) inputs() []*tensors.Tensor {
	var all []*tensors.Tensor
	members := len(p.structures)
	for i, about := range p.model.parameters {
		all = append(all, tensors.FromFlatDataAndDimensions(p.tables[i], append([]int{members}, about.dims...)...))
	}
	all = append(all, signTensors[float64](p.structures))
	return append(all, p.constants...)
}

// reference is a member in plain arithmetic. Entities that the model has not are 0.
func (p *population) reference(g *rdf.Graph, member int) reference {
	r := reference{graph: g, settings: p.model.settings, entities: make([][]float64, len(g.Nodes)), tables: map[key][]float64{}}
	d := p.model.settings.Dim
	for i := range r.entities {
		r.entities[i] = make([]float64, d)
	}
	for i, about := range p.model.parameters {
		table := p.tables[i][member*about.size():][:about.size()]
		r.tables[key{about.name, about.layer}] = table
		if about.name == entity {
			for row, node := range p.model.field.inputs {
				if node != blank {
					copy(r.entities[node], table[row*d:][:d])
				}
			}
		}
	}
	return r
}

// TestLogitsAreThoseOfTheDefinition: for every encoder, norm and choice the program,
// which sees the receptive field only and adds up in another order, gives the
// logits of the formulas, edge by edge on the whole graph.
func TestLogitsAreThoseOfTheDefinition(t *testing.T) {
	b := goBackend(t)
	rng := rand.New(rand.NewPCG(1, 2))
	structures := []structure.Structure{structure.MustParse("1,-2;2,1"), structure.MustParse("0,1;-2,-2")}
	for _, s := range variants() {
		t.Run(s.variant(), func(t *testing.T) {
			g := smallGraph(rng, 30, 5, 120)
			p := newPopulation(g, s, structures, rng)
			got := compiled[float64](t, b, p.model.logits)(p.inputs()...)[0]
			rows, classes := len(p.model.targets), p.model.classes
			for member, a := range structures {
				for i, want := range p.reference(g, member).logits(a) {
					row := got[(member*rows+int(p.model.field.labelled[i]))*classes:][:classes]
					for c := range want {
						if math.Abs(row[c]-want[c]) > 1e-9*(1+math.Abs(want[c])) {
							t.Fatalf("member %d, labelled node %d: logits %v, by the definition %v", member, i, row, want)
						}
					}
				}
			}
		})
	}
}

// TestGradientsByFiniteDifferences: for every encoder, each number of each parameter.
func TestGradientsByFiniteDifferences(t *testing.T) {
	b := goBackend(t)
	rng := rand.New(rand.NewPCG(3, 4))
	structures := []structure.Structure{structure.MustParse("1,-2;2,1"), structure.MustParse("-2,1;1,1")}
	for _, s := range variants() {
		t.Run(s.variant(), func(t *testing.T) {
			g := smallGraph(rng, 16, 3, 40)
			p := newPopulation(g, s, structures, rng)
			checkGradients(t, b, p, rng)
		})
	}
}

func checkGradients(t *testing.T, b compute.Backend, p *population, rng *rand.Rand) {
	t.Helper()
	members, rows, d := len(p.structures), len(p.model.targets), p.model.settings.Dim
	weights := make([]float64, members*rows)
	for i := range weights {
		weights[i] = rng.Float64()
	}
	rest := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(weights, members, rows)}
	for _, pass := range p.model.passages {
		mask := make([]float64, members*pass.targets*d)
		for i := range mask {
			mask[i] = float64(rng.IntN(3)) / 2
		}
		rest = append(rest, tensors.FromFlatDataAndDimensions(mask, members, pass.targets, d))
	}
	both := func(nodes []*graph.Node) []*graph.Node {
		in := &inputs{nodes}
		n := p.model.place(in.take(len(p.model.parameters)), in)
		weights := in.next()
		loss, gradients := n.lossAndGradients(in.rest, weights)
		return append([]*graph.Node{loss}, gradients...)
	}
	analytic := compiled[float64](t, b, both)(append(p.inputs(), rest...)...)
	losses := compiled[float64](t, b, func(in []*graph.Node) []*graph.Node { return both(in)[:1] })
	// All members' differences of one number are taken at once: none depends on the
	// others.
	const h = 1e-5
	differences := func(i, n int) []float64 {
		size := p.model.parameters[i].size()
		var sides [2][]float64
		for side, change := range []float64{h, -h} {
			for m := range members {
				p.tables[i][m*size+n] += change
			}
			sides[side] = losses(append(p.inputs(), rest...)...)[0]
			for m := range members {
				p.tables[i][m*size+n] -= change
			}
		}
		var all []float64
		for m := range members {
			all = append(all, (sides[0][m]-sides[1][m])/(2*h))
		}
		return all
	}
	for i, about := range p.model.parameters {
		some := min(about.size(), 6)
		for _, n := range rng.Perm(about.size())[:some] {
			if about.name == entity && p.model.field.inputs[n/d] == blank {
				for m := range members {
					if got := analytic[i+1][m*about.size()+n]; got != 0 {
						t.Errorf("number %d of an entity without an embedding, member %d: gradient %v", n, m, got)
					}
				}
				continue
			}
			for m, want := range differences(i, n) {
				if got := analytic[i+1][m*about.size()+n]; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%v, number %d, member %d: gradient %v, by differences %v", about, n, m, got, want)
				}
			}
		}
	}
}
