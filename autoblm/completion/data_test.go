package completion_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

func TestAlignWithTheSameIDs(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	aligned, err := completion.Align(m, g)
	if err != nil || aligned != g {
		t.Errorf("%p (%v), want the graph itself", aligned, err)
	}
}

// named returns triples by label.
func named(g *datasets.Graph, triples []datasets.Triple) [][3]string {
	var all [][3]string
	for _, t := range triples {
		all = append(all, [3]string{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]})
	}
	return all
}

// renumbered returns g with permuted ids.
func renumbered(g *datasets.Graph, entities, relations []int) *datasets.Graph {
	pick := func(labels []string, order []int) (picked []string) {
		for _, i := range order {
			picked = append(picked, labels[i])
		}
		return picked
	}
	move := func(triples []datasets.Triple) (moved []datasets.Triple) {
		for _, t := range triples {
			moved = append(moved, datasets.Triple{
				Head:     int32(slices.Index(entities, int(t.Head))),
				Relation: int32(slices.Index(relations, int(t.Relation))),
				Tail:     int32(slices.Index(entities, int(t.Tail))),
			})
		}
		return moved
	}
	return &datasets.Graph{
		Name: g.Name, Entities: pick(g.Entities, entities), Relations: pick(g.Relations, relations),
		Train: move(g.Train), Valid: move(g.Valid), Test: move(g.Test),
	}
}

func TestAlignGoesByLabel(t *testing.T) {
	m := enginetest.SmallModel()
	m.EntityLabels = append(m.EntityLabels, "only in the model")
	m.Entities = append(m.Entities, make([]float32, m.Dim)...)
	rapid.Check(t, func(t *rapid.T) {
		entities := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}).Draw(t, "entities")
		relations := rapid.Permutation([]int{0, 1}).Draw(t, "relations")
		g := renumbered(enginetest.SmallGraph(), entities, relations)
		aligned, err := completion.Align(m, g)
		if err != nil {
			t.Fatal(err)
		}
		if aligned.Name != g.Name || !slices.Equal(aligned.Entities, m.EntityLabels) ||
			!slices.Equal(aligned.Relations, m.RelationLabels) {
			t.Fatalf("the labels are %v and %v: want all of the model as candidates", aligned.Entities,
				aligned.Relations)
		}
		for _, split := range []string{"train", "valid", "test"} {
			before, _ := g.Split(split)
			after, _ := aligned.Split(split)
			if !slices.Equal(named(g, before), named(aligned, after)) {
				t.Fatalf("%s: %v became %v", split, named(g, before), named(aligned, after))
			}
		}
	})
}

// TestAlignKnown leaves out what a model lacks, and counts it.
func TestAlignKnown(t *testing.T) {
	g, m := enginetest.SmallGraph(), enginetest.SmallModel()
	all := enginetest.SmallGraph()
	g.Entities, g.Relations = append(g.Entities, "Atlantis"), append(g.Relations, "loathes")
	g.Train = append([]datasets.Triple{{Head: 0, Relation: 2, Tail: 1}}, all.Train...)
	g.Test = append([]datasets.Triple{{Head: 7, Relation: 0, Tail: 1}, {Head: 0, Tail: 7}}, all.Test...)
	aligned, unknown, err := completion.AlignKnown(m, g)
	if err != nil {
		t.Fatal(err)
	}
	if unknown.Train != 1 || unknown.Valid != 0 || unknown.Test != 2 || unknown.Missing == nil {
		t.Errorf("%+v", unknown)
	}
	for _, split := range []string{"train", "valid", "test"} {
		want, _ := all.Split(split)
		got, _ := aligned.Split(split)
		if !slices.Equal(named(all, want), named(aligned, got)) {
			t.Errorf("%s: %v, want %v", split, got, want)
		}
	}
	g.Train, g.Valid, g.Test = g.Train[:1], nil, g.Test[:2]
	if _, _, err := completion.AlignKnown(m, g); err == nil {
		t.Error("a graph of unknown labels has no error")
	}
}

func TestAlignNamesWhatIsMissing(t *testing.T) {
	for want, spoil := range map[string]func(*datasets.Graph){
		`entity "Atlantis", which small mentions`: func(g *datasets.Graph) { g.Test[0].Head = 7 },
		`no entity "Atlantis"`:                    func(g *datasets.Graph) { g.Valid[2].Tail = 7 },
		`no relation "loathes"`:                   func(g *datasets.Graph) { g.Train[3].Relation = 2 },
		"":                                        func(*datasets.Graph) {},
	} {
		g := enginetest.SmallGraph()
		g.Entities, g.Relations = append(g.Entities, "Atlantis"), append(g.Relations, "loathes")
		spoil(g)
		_, err := completion.Align(enginetest.SmallModel(), g)
		if want != "" {
			checkError(t, err, want, "small")
		} else if err != nil {
			t.Errorf("a label without triples: %v", err)
		}
	}
}
