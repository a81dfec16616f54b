package completion

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"gonum.org/v1/gonum/mat"
)

// worldModel returns an untrained model of the world.
func worldModel(dim int) (*datasets.Graph, *kge.Model) {
	g, s := datasets.World(), kge.DefaultSettings()
	s.Dim, s.InitScale = dim, 1
	return g, &kge.Model{
		Parameters:   kge.Initialize(Data(g), s, kge.Member{Structure: structure.MustParse("complex")}),
		EntityLabels: g.Entities, RelationLabels: g.Relations,
	}
}

// TestInfluencesAgreeWithDirectSolve compares influences with those of a solve with the curvature,
// for entities with fewer and with more slopes than dimensions.
func TestInfluencesAgreeWithDirectSolve(t *testing.T) {
	const dim = 16
	g, m := worldModel(dim)
	facts := datasets.NewEntityFacts(len(g.Entities), g.Train)
	compared := map[bool]int{}
	for entity := range int32(len(g.Entities)) {
		n, err := newNeighborhood(t.Context(), nil, m, facts.Facts(entity), entity)
		if err != nil {
			t.Fatal(err)
		}
		if len(n.triples) == 0 {
			continue
		}
		compared[n.isDual]++
		var curvature, direction, change mat.Dense
		curvature.Mul(n.slopes.T(), n.slopes)
		level := damping * curvature.Trace() / dim
		for i := range dim {
			curvature.Set(i, i, curvature.At(i, i)+level)
		}
		gradient := make([]float64, dim)
		for i := range gradient {
			gradient[i] = math.Sin(float64(i))
		}
		if err := direction.Solve(&curvature, mat.NewDense(dim, 1, gradient)); err != nil {
			t.Fatal(err)
		}
		change.Mul(n.slopes, &direction)
		for i, got := range n.influences(gradient) {
			want := n.weights[2*i]*change.At(2*i, 0) + n.weights[2*i+1]*change.At(2*i+1, 0)
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("entity %d: influence %v, want %v", entity, got, want)
			}
		}
	}
	if compared[false] == 0 || compared[true] == 0 {
		t.Errorf("the matrices compared are %v", compared)
	}
}

// TestNeighborhoodsKept checks that only neighborhoods of entities in a query are kept, and that the
// index gives the reasons that a search gives.
func TestNeighborhoodsKept(t *testing.T) {
	g, m := worldModel(16)
	a, err := NewAnswerer(Single{Model: m}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, fact := range g.Train[:20] {
		q := question{given: fact.Head, relation: fact.Relation, other: fact.Tail}
		both, want := i%2 == 1, 1+i%2
		found := map[int][]eval.Reason{}
		for _, answers := range []int{1, 100} {
			hoods := neighborhoods{
				a: a, answers: answers, isOtherKept: both, kept: map[hood]*neighborhood{},
			}
			if found[answers], err = a.reasons(t.Context(), q, 100, hoods); err != nil {
				t.Fatal(err)
			}
			if len(hoods.kept) != want || hoods.kept[hood{m, fact.Head}] == nil {
				t.Errorf("%d neighborhoods are kept, want %d", len(hoods.kept), want)
			}
		}
		compared += len(found[1])
		if !slices.Equal(found[1], found[100]) {
			t.Errorf("reasons %v by search, %v by index", found[1], found[100])
		}
	}
	if compared == 0 {
		t.Error("there are no reasons")
	}
}
