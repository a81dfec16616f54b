package completion_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// randomModel returns a model with random embeddings.
func randomModel(entities, relations, dim int) *kge.Model {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &kge.Model{Parameters: kge.Parameters{
		Structure: structure.MustParse("1"), Dim: dim, Reciprocal: true,
	}}
	draw := func(rows int) (table []float32) {
		for range rows * dim {
			table = append(table, float32(rng.NormFloat64()))
		}
		return table
	}
	m.Entities, m.Relations = draw(entities), draw(2*relations)
	for i := range entities {
		m.EntityLabels = append(m.EntityLabels, "e"+string(rune('A'+i)))
	}
	for i := range relations {
		m.RelationLabels = append(m.RelationLabels, "r"+string(rune('A'+i)))
	}
	return m
}

// TestNeighbors compares neighbours with cosines by their definition.
func TestNeighbors(t *testing.T) {
	m := randomModel(3000, 7, 5)
	copy(m.Entities[5*5:], make([]float32, 5)) // no direction
	copy(m.Entities[9*5:10*5], m.Entities[:5])
	p := []*kge.Model{m}
	cosine := func(table []float32, i, j int) float64 {
		var dot, a, b float64
		for c := range 5 {
			x, y := float64(table[i*5+c]), float64(table[j*5+c])
			dot, a, b = dot+x*y, a+x*x, b+y*y
		}
		if a*b == 0 {
			return 0
		}
		return dot / math.Sqrt(a*b)
	}
	check := func(found []completion.Neighbor, table []float32, names []string, top int) {
		t.Helper()
		want := make([]float64, 0, len(names))
		for i := 1; i < len(names); i++ {
			want = append(want, cosine(table, 0, i))
		}
		slices.SortFunc(want, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		if len(found) != min(top, len(want)) {
			t.Fatalf("%d neighbours, want %d", len(found), min(top, len(want)))
		}
		for i, n := range found {
			is := cosine(table, 0, slices.Index(names, n.Label))
			if math.Abs(n.Similarity-want[i]) > 1e-12 || math.Abs(n.Similarity-is) > 1e-12 {
				t.Fatalf("neighbour %d: %v, want %v", i, n, want[i])
			}
		}
	}
	for _, top := range []int{1, 10, 1500, 5000, -1} {
		found, err := completion.Neighbors(p, "eA", top)
		if err != nil {
			t.Fatal(err)
		}
		if top < 0 {
			top = len(m.EntityLabels)
		}
		check(found, m.Entities, m.EntityLabels, top)
		if found[0].Label != m.EntityLabels[9] {
			t.Errorf("an equal embedding is not the first: %v", found[0])
		}
	}
	relations, err := completion.RelationNeighbors(p, "rA", 3)
	if err != nil {
		t.Fatal(err)
	}
	check(relations, m.Relations[:7*5], m.RelationLabels, 3)
	all, err := completion.Neighbors(p, "eA", 0)
	if err != nil || len(all) != 2999 {
		t.Error(len(all), err)
	}
	for _, get := range []func([]*kge.Model, string, int) ([]completion.Neighbor, error){
		completion.Neighbors, completion.RelationNeighbors,
	} {
		if _, err := get(p, "absent", 1); err == nil {
			t.Error("an unknown label has neighbours")
		}
	}
}

// BenchmarkNeighbors measures a search among a million entities of dimension 256.
func BenchmarkNeighbors(b *testing.B) {
	const entities, dim = 1_000_000, 256
	m := &kge.Model{Parameters: kge.Parameters{
		Structure: structure.MustParse("1"), Dim: dim,
		Tables: kge.Tables{Entities: make([]float32, entities*dim)},
	}, EntityLabels: make([]string, entities)}
	for i := range m.Entities {
		m.Entities[i] = float32(i%977) - 488
	}
	m.EntityLabels[0] = "first"
	for b.Loop() {
		if _, err := completion.Neighbors([]*kge.Model{m}, "first", 10); err != nil {
			b.Fatal(err)
		}
	}
}
