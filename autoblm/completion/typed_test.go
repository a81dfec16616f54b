package completion_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// TestTypedRanksAgreeWithLists compares typed ranks with the scores of the answers that train
// allows. Small whole numbers make scores exact, with many ties.
func TestTypedRanksAgreeWithLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "entities")
		m := &kge.Model{RelationLabels: []string{"r0", "r1", "r2"}}
		m.Structure, m.Dim = structure.MustParse("complex"), 4
		small := rapid.Custom(func(t *rapid.T) float32 {
			return float32(rapid.IntRange(-2, 2).Draw(t, "number"))
		})
		m.Entities = rapid.SliceOfN(small, 4*n, 4*n).Draw(t, "rows")
		m.Relations = rapid.SliceOfN(small, 12, 12).Draw(t, "relations")
		for i := range n {
			m.EntityLabels = append(m.EntityLabels, fmt.Sprint("e", i))
		}
		g := drawFacts(t, m)
		if len(g.Test) == 0 {
			return
		}
		p := completion.Single{Model: m}
		ranks, outside, err := completion.RankTyped(t.Context(), p, cpu.New(1), g, g.Test)
		if err != nil {
			t.Fatal(err)
		}
		train := &datasets.Graph{Entities: g.Entities, Relations: g.Relations, Train: g.Train}
		for i, f := range g.Test {
			for _, side := range []struct {
				query completion.Query
				truth int32
				known []int32
				rank  eval.Rank
			}{
				{completion.Query{Head: m.EntityLabels[f.Head], Relation: m.RelationLabels[f.Relation]},
					f.Tail, g.Known().Tails(f.Head, f.Relation), ranks[i].Tail},
				{completion.Query{Tail: m.EntityLabels[f.Tail], Relation: m.RelationLabels[f.Relation]},
					f.Head, g.Known().Heads(f.Relation, f.Tail), ranks[i].Head},
			} {
				list := listed(m, train, side.query, completion.PredictOptions{Known: eval.MarkKnown})
				at := slices.IndexFunc(list, func(a eval.Answer) bool {
					return a.Entity == m.EntityLabels[side.truth]
				})
				if at < 0 && f.Head == f.Tail {
					return // an entity about itself
				}
				var want eval.Rank
				for j, a := range list {
					id := int32(slices.Index(m.EntityLabels, a.Entity))
					switch _, isKnown := slices.BinarySearch(side.known, id); {
					case isKnown || j == at:
					case at < 0 || a.Score > list[at].Score:
						want.Better++
					case a.Score == list[at].Score:
						want.Equal++
					}
				}
				if at < 0 {
					outside--
				}
				if side.rank != want {
					t.Fatalf("%+v: rank %+v, want %+v", side.query, side.rank, want)
				}
			}
		}
		if outside != 0 {
			t.Fatalf("%d more entities are of another kind", outside)
		}
	})
}

// TestTypedRanksByHand checks ranks of a model that scores entities by their number.
func TestTypedRanksByHand(t *testing.T) {
	m := worldModel(t, datasets.World())
	m.EntityLabels, m.RelationLabels = []string{"a", "b", "c", "d", "e"}, []string{"r"}
	m.Dim, m.Relations = 4, []float32{1, 1, 0, 0}
	m.Entities = nil
	for i := range 5 { // complex numbers 1 + i, so the score grows with the tail
		m.Entities = append(m.Entities, float32(1+i), float32(1+i), 0, 0)
	}
	g := &datasets.Graph{Entities: m.EntityLabels, Relations: m.RelationLabels,
		Train: []datasets.Triple{{Head: 0, Tail: 1}, {Head: 0, Tail: 3}, {Head: 2, Tail: 4}},
		Test:  []datasets.Triple{{Head: 2, Tail: 1}, {Head: 2, Tail: 0}}}
	ranks, outside, err := completion.RankTyped(t.Context(), completion.Single{Model: m}, cpu.New(1),
		g, g.Test)
	// Tails are b, d and e. e is a known answer of c, so only d is above b; a is outside, after d.
	want := []eval.Rank{{Better: 1}, {Better: 1}}
	if err != nil || outside != 1 || ranks[0].Tail != want[0] || ranks[1].Tail != want[1] {
		t.Errorf("%+v with %d outside (%v), want tails %+v", ranks, outside, err, want)
	}
}
