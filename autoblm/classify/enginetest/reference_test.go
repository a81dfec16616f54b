package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// referenceOf returns a reference with random parameters.
func referenceOf(g *rdf.Graph, s classify.Settings, a structure.Structure) *reference {
	s.SeenBy = 0
	n := classify.NewNetwork(g, s)
	tables := n.Initialize(1)
	for p := range tables {
		for i := range tables[p] {
			tables[p][i] *= 3
		}
	}
	r := newReference(g, s, a)
	r.set(n, tables)
	r.mask = func(int32, int) []float64 { return nil }
	return r
}

func (r *reference) all() [][]float64 {
	return r.logits(slices.Concat(r.graph.Train, r.graph.Test))
}

var nearly = cmpopts.EquateApprox(1e-9, 1e-12)

// TestDistMultIsCompGCNMult checks that the structure DistMult sends the messages of CompGCN's
// multiplication.
func TestDistMultIsCompGCNMult(t *testing.T) {
	g := RandomGraph(rand.New(rand.NewPCG(9, 10)), 30, 4, 150)
	s := classify.Defaults(classify.BLM)
	s.Dim, s.Layers, s.SelfLoops = 8, 1, false
	ours := referenceOf(g, s, structure.MustParse("distmult"))
	theirs := *ours
	theirs.settings.Encoder = classify.CompGCNMult
	if diff := cmp.Diff(ours.all(), theirs.all(), nearly); diff != "" {
		t.Error(diff)
	}
}

// TestSignsOfRelations checks that flipping the sign of a relation chunk in the structure and in
// all relations changes nothing.
func TestSignsOfRelations(t *testing.T) {
	g := RandomGraph(rand.New(rand.NewPCG(11, 12)), 30, 4, 150)
	s := classify.Defaults(classify.BLM)
	s.Dim = 6
	a := structure.MustParse("1,-2,0;3,1,2;0,-2,-3")
	before, after := referenceOf(g, s, a), referenceOf(g, s, a)
	for i := range 3 {
		for j := range 3 {
			if v := a.At(i, j); v == 2 || v == -2 {
				after.structure = after.structure.With(i, j, -v)
			}
		}
	}
	for l := range s.Layers {
		for i := range after.tables[l][classify.RelationEmbeddings] {
			if i%s.Dim/2 == 1 { // chunk 2 of three
				after.tables[l][classify.RelationEmbeddings][i] *= -1
			}
		}
	}
	if diff := cmp.Diff(before.all(), after.all(), nearly); diff != "" {
		t.Error(diff)
	}
}

// TestNumberingDoesNotMatter checks that results do not depend on the order of triples and nodes.
func TestNumberingDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, s := range Settings() {
		g := RandomGraph(rng, 25, 4, 100)
		nodes := rng.Perm(len(g.Nodes))
		other := &rdf.Graph{Nodes: make([]string, len(g.Nodes)), Relations: g.Relations,
			Classes: g.Classes}
		for _, i := range rng.Perm(len(g.Triples)) {
			t := g.Triples[i]
			other.Triples = append(other.Triples, datasets.Triple{Head: int32(nodes[t.Head]),
				Relation: t.Relation, Tail: int32(nodes[t.Tail])})
		}
		for _, l := range g.Train {
			other.Train = append(other.Train, rdf.Label{Node: int32(nodes[l.Node]), Class: l.Class})
		}
		for _, l := range g.Test {
			other.Test = append(other.Test, rdf.Label{Node: int32(nodes[l.Node]), Class: l.Class})
		}
		a := structure.MustParse("1,-2;2,1")
		r, q := referenceOf(g, s, a), newReference(other, s, a)
		q.tables, q.mask, q.entities = r.tables, r.mask, make([][]float64, len(r.entities))
		for i, to := range nodes {
			q.entities[to] = r.entities[i]
		}
		if diff := cmp.Diff(r.all(), q.all(), nearly); diff != "" {
			t.Errorf("%s: %s", Describe(s), diff)
		}
	}
}
