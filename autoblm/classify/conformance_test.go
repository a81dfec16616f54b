package classify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var nearly = cmpopts.EquateApprox(1e-9, 1e-12)

// set gives a parameter of all members numbers, which are repeated to its size.
func (p *population) set(name string, layer int, numbers []float64) {
	for i, about := range p.model.parameters {
		if about.name == name && about.layer == layer {
			for n := range p.tables[i] {
				p.tables[i][n] = numbers[n%len(numbers)]
			}
		}
	}
}

func (p *population) get(name string, layer int) []float64 {
	for i, about := range p.model.parameters {
		if about.name == name && about.layer == layer {
			return p.tables[i]
		}
	}
	return nil
}

// logits are those of all labelled nodes, in the order of their files.
func (p *population) logits(t *testing.T) [][]float64 {
	t.Helper()
	flat := compiled[float64](t, goBackend(t), p.model.logits)(p.inputs()...)[0]
	var all [][]float64
	for _, row := range p.model.field.labelled {
		all = append(all, flat[int(row)*p.model.classes:][:p.model.classes])
	}
	return all
}

// TestDistMultIsCompGCNMult: the structure DistMult makes the messages of CompGCN's
// multiplication, where nothing else differs.
func TestDistMultIsCompGCNMult(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	g := smallGraph(rng, 30, 4, 150)
	s := Defaults(BLM)
	s.Dim, s.Layers, s.SelfLoops = 8, 1, false
	ours := newPopulation(g, s, []structure.Structure{structure.MustParse("distmult")}, rng)
	s.Encoder = CompGCNMult
	theirs := newPopulation(g, s, ours.structures, rng)
	for _, about := range theirs.model.parameters {
		numbers := ours.get(about.name, about.layer)
		if about.name == relation {
			numbers = append(slices.Clone(numbers), make([]float64, s.Dim)...) // of self-loops, which there are none
		}
		theirs.set(about.name, about.layer, numbers)
	}
	if diff := cmp.Diff(ours.logits(t), theirs.logits(t), nearly); diff != "" {
		t.Error(diff)
	}
}

// TestSignsOfRelations: a structure with the signs of one relation chunk turned
// around, and that chunk of all relations too, is the same.
func TestSignsOfRelations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	g := smallGraph(rng, 30, 4, 150)
	s := Defaults(BLM)
	s.Dim = 6
	a := structure.MustParse("1,-2,0;3,1,2;0,-2,-3")
	before := newPopulation(g, s, []structure.Structure{a}, rng)
	turned := a
	for i := range 3 {
		for j := range 3 {
			if v := a.At(i, j); v == 2 || v == -2 {
				turned = turned.With(i, j, -v)
			}
		}
	}
	after := newPopulation(g, s, []structure.Structure{turned}, rng)
	for _, about := range before.model.parameters {
		numbers := slices.Clone(before.get(about.name, about.layer))
		if about.name == relation {
			for i := range numbers {
				if column := i % s.Dim; column/2 == 1 { // chunk 2 of three
					numbers[i] = -numbers[i]
				}
			}
		}
		after.set(about.name, about.layer, numbers)
	}
	if diff := cmp.Diff(before.logits(t), after.logits(t), nearly); diff != "" {
		t.Error(diff)
	}
}

// TestNumberingDoesNotMatter: the order of triples and the numbers of nodes and
// relations are no part of what is computed.
func TestNumberingDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, s := range variants() {
		t.Run(s.variant(), func(t *testing.T) {
			g := smallGraph(rng, 25, 4, 100)
			p := newPopulation(g, s, []structure.Structure{structure.MustParse("1,-2;2,1")}, rng)
			nodes, relations := rng.Perm(len(g.Nodes)), rng.Perm(len(g.Relations))
			other := renumbered(g, nodes, relations, rng)
			q := newPopulation(other, s, p.structures, rng)
			for _, about := range p.model.parameters {
				numbers := p.get(about.name, about.layer)
				switch rowsOf := len(numbers) / about.dims[0]; {
				case about.name == entity:
					numbers = moved(numbers, rowsOf, func(row int) int {
						node := p.model.field.inputs[row]
						if node != blank { // of which all rows are zero, so one will do
							node = int32(nodes[node])
						}
						return slices.Index(q.model.field.inputs, node)
					})
				case about.dims[0] >= len(relations) && (about.name == relation || about.name == coefficient || s.Encoder == RGCNBlock && about.name == basis):
					numbers = moved(numbers, rowsOf, func(row int) int {
						if turns := row / len(relations); turns < about.dims[0]/len(relations) { // reverses come behind; a self-loop's stays
							return turns*len(relations) + relations[row%len(relations)]
						}
						return row
					})
				}
				q.set(about.name, about.layer, numbers)
			}
			if diff := cmp.Diff(p.logits(t), q.logits(t), nearly); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// renumbered is a graph with other numbers, and its triples in another order.
func renumbered(g *rdf.Graph, nodes, relations []int, rng *rand.Rand) *rdf.Graph {
	other := &rdf.Graph{Name: g.Name, Nodes: make([]string, len(g.Nodes)), Relations: make([]string, len(g.Relations)), Classes: g.Classes}
	for i, to := range nodes {
		other.Nodes[to] = g.Nodes[i]
	}
	for i, to := range relations {
		other.Relations[to] = g.Relations[i]
	}
	for _, i := range rng.Perm(len(g.Triples)) {
		t := g.Triples[i]
		other.Triples = append(other.Triples, datasets.Triple{Head: int32(nodes[t.Head]), Relation: int32(relations[t.Relation]), Tail: int32(nodes[t.Tail])})
	}
	for _, l := range g.Train {
		other.Train = append(other.Train, rdf.Label{Node: int32(nodes[l.Node]), Class: l.Class})
	}
	for _, l := range g.Test {
		other.Test = append(other.Test, rdf.Label{Node: int32(nodes[l.Node]), Class: l.Class})
	}
	return other
}

// moved is a table with its rows in other places.
func moved(table []float64, columns int, to func(row int) int) []float64 {
	other := make([]float64, len(table))
	for row := range len(table) / columns {
		copy(other[to(row)*columns:][:columns], table[row*columns:])
	}
	return other
}
