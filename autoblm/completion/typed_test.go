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
// allows, also of an ensemble. Small whole numbers make scores exact, with many ties.
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
		models := []*kge.Model{m}
		var p completion.Predictor = completion.Single{Model: m}
		if rapid.Bool().Draw(t, "ensemble") {
			other := *m
			other.Entities = rapid.SliceOfN(small, 4*n, 4*n).Draw(t, "other rows")
			models = append(models, &other)
			p = &completion.Ensemble{Members: models}
		}
		ranks, outside, err := completion.RankTyped(t.Context(), p, cpu.New(1), g, g.Test)
		if err != nil {
			t.Fatal(err)
		}
		train := &datasets.Graph{Entities: g.Entities, Relations: g.Relations, Train: g.Train,
			Types: g.Types}
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
				list := listed(models, train, side.query,
					completion.PredictOptions{Known: eval.MarkKnown})
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

// TestTypedCandidates checks that an entity of a declared type answers, although no fact has it at
// that end, and that it then has a rank among the right kind.
func TestTypedCandidates(t *testing.T) {
	m := worldModel(t, datasets.World())
	m.EntityLabels = []string{"Anna", "Ben", "Paris", "Rome", "Oslo", "City"}
	m.RelationLabels = []string{"lives in", "rdf:type", "likes"}
	m.Dim, m.Relations = 4, []float32{1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}
	m.Entities = nil
	for i := range 6 { // the score grows with the tail
		m.Entities = append(m.Entities, float32(1+i), float32(1+i), 0, 0)
	}
	g := &datasets.Graph{Entities: m.EntityLabels, Relations: m.RelationLabels,
		Train: []datasets.Triple{{Head: 0, Tail: 2}, {Head: 2, Relation: 1, Tail: 5},
			{Head: 4, Relation: 2, Tail: 1}},
		Test:  []datasets.Triple{{Head: 1, Tail: 4}},
		Types: datasets.NewTypes(6, []string{"city"}, []datasets.EntityType{{Entity: 2}, {Entity: 4}})}
	train := &datasets.Graph{Entities: g.Entities, Relations: g.Relations, Train: g.Train,
		Types: g.Types}
	// A model with other ids sees the same types.
	other := *m
	other.EntityLabels = slices.Clone(m.EntityLabels)
	slices.Reverse(other.EntityLabels)
	for _, m := range []*kge.Model{m, &other} {
		a, err := completion.NewAnswerer(completion.Single{Model: m}, train, cpu.New(1))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		for _, x := range []struct {
			query completion.Query
			kind  string
			want  []string
		}{
			{completion.Query{Head: "Ben", Relation: "lives in"}, completion.KindTyped,
				[]string{"Oslo", "Paris"}}, // not Rome, whose type is unknown
			{completion.Query{Tail: "Paris", Relation: "lives in"}, completion.KindSeen, []string{"Anna"}},
			{completion.Query{Tail: "City", Relation: "rdf:type"}, completion.KindSeen,
				[]string{"Paris"}}, // types do not decide about themselves
		} {
			p, err := a.Predict(t.Context(), []completion.Query{x.query},
				completion.PredictOptions{Known: eval.MarkKnown})
			if err != nil || p[0].Err != nil {
				t.Fatal(err, p[0].Err)
			}
			var got []string
			for _, answer := range p[0].Answers {
				got = append(got, answer.Entity)
			}
			slices.Sort(got)
			if p[0].Kind != x.kind || !slices.Equal(got, x.want) {
				t.Errorf("%+v: %s %q, want %s %q", x.query, p[0].Kind, got, x.kind, x.want)
			}
		}
		facts, err := a.Likeliest(t.Context(), "lives in", completion.PredictOptions{Top: 9})
		if err != nil || len(facts) != 1 || facts[0].Tail != "Oslo" {
			t.Errorf("likeliest: %+v, %v", facts, err)
		}
	}
	ranks, outside, err := completion.RankTyped(t.Context(), completion.Single{Model: m}, cpu.New(1),
		g, g.Test)
	// Ben is no head of the relation, so one true entity is outside; Oslo is the better city.
	if err != nil || outside != 1 || ranks[0].Tail != (eval.Rank{}) {
		t.Errorf("%+v with %d outside (%v)", ranks, outside, err)
	}
}
