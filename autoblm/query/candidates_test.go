package query

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// TestEvaluateTyped compares ranks among entities of the right kind with the definition: an entity
// is a candidate if a triple of train has it at that end of the last relation, or if it shares a
// declared type with such an entity.
func TestEvaluateTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const entities, relations = 7, 2
		g := &datasets.Graph{Name: "g", Relations: []string{"r", "s"}}
		for e := range entities {
			g.Entities = append(g.Entities, string(rune('a'+e)))
		}
		entity := rapid.Int32Range(0, entities-1)
		relation := rapid.Int32Range(0, relations-1)
		triple := rapid.Custom(func(t *rapid.T) datasets.Triple {
			return datasets.Triple{
				Head: entity.Draw(t, "h"), Relation: relation.Draw(t, "r"), Tail: entity.Draw(t, "t"),
			}
		})
		g.Train = rapid.SliceOfN(triple, 1, 6).Draw(t, "train")
		g.Test = rapid.SliceOfN(triple, 0, 4).Draw(t, "test")
		typeOf := rapid.SliceOfN(rapid.Int32Range(-1, 2), entities, entities).Draw(t, "types")
		var declared []datasets.EntityType
		for e, of := range typeOf {
			if of >= 0 {
				declared = append(declared, datasets.EntityType{Entity: int32(e), Type: of})
			}
		}
		g.Types = datasets.NewTypes(entities, []string{"x", "y", "z"}, declared)
		d := FromGraph(g)

		q := Query{Anchor: entity.Draw(t, "anchor")}
		q.Relations = rapid.SliceOfN(rapid.Int32Range(0, 2*relations-1), 1, 2).Draw(t, "path")
		answers := rapid.SliceOfNDistinct(entity, 1, 4, rapid.ID).Draw(t, "answers")
		hard := rapid.IntRange(1, len(answers)).Draw(t, "hard")
		q.Hard, q.Easy = answers[:hard], answers[hard:]
		slices.Sort(q.Hard)
		slices.Sort(q.Easy)
		scores := rapid.SliceOfN(rapid.Float32Range(-1, 1), entities, entities).Draw(t, "scores")

		last := q.Relations[len(q.Relations)-1]
		isEnd, hasLoops, hasEnds := [entities]bool{}, false, false
		for _, x := range g.Train {
			if x.Relation == last/2 {
				end := x.Tail
				if last%2 == 1 {
					end = x.Head
				}
				isEnd[end], hasEnds = true, true
				hasLoops = hasLoops || x.Head == x.Tail
			}
		}
		isCandidate := func(e int32) bool {
			if !hasEnds {
				return true
			}
			alike := isEnd[e]
			for other := range int32(entities) {
				alike = alike || isEnd[other] && typeOf[e] >= 0 && typeOf[other] == typeOf[e]
			}
			return alike
		}
		want, outside := 0.0, 0
		for _, answer := range q.Hard {
			rank := 1
			for e := range int32(entities) {
				isAnchor := hasEnds && !hasLoops && len(q.Relations) == 1 && e == q.Anchor
				if slices.Contains(answers, e) || !isCandidate(e) || isAnchor {
					continue
				}
				if !isCandidate(answer) || scores[e] >= scores[answer] {
					rank++
				}
			}
			if !isCandidate(answer) {
				outside++
			}
			want += 1 / float64(rank) / float64(len(q.Hard))
		}

		m := &kge.Model{EntityLabels: g.Entities, RelationLabels: g.Relations}
		ranker := given{scores: [][][]float32{{scores}}}
		all, typed, err := EvaluateTyped(t.Context(), ranker, m, d, []Query{q})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(typed.MRR-want) > 1e-9 || typed.Outside != outside || typed.Queries != 1 {
			t.Errorf("%+v, not MRR %v with %d outside", typed, want, outside)
		}
		if plain, err := Evaluate(t.Context(), ranker, 0, []Query{q}); err != nil || all != plain {
			t.Errorf("among all: %+v, not %+v, %v", all, plain, err)
		}

		// The candidates of predictions are those of all splits.
		if c := FromGraph(&datasets.Graph{
			Name: "g", Entities: g.Entities, Relations: g.Relations, Train: g.Train, Types: g.Types,
		}).candidates(m, InTest, last); c != nil {
			for e := range int32(entities) {
				isAnchor := !hasLoops && len(q.Relations) == 1 && e == q.Anchor
				if c.has(q.Question(), e) != (isCandidate(e) && !isAnchor) {
					t.Errorf("entity %d of %v", e, c.ids)
				}
			}
		} else if hasEnds {
			t.Error("there are no candidates")
		}
	})
}

// TestTypeRelation checks that the types of a relation that declares types are no candidates: they
// would be its own answers.
func TestTypeRelation(t *testing.T) {
	g := &datasets.Graph{
		Entities: []string{"a", "b", "kind"}, Relations: []string{"rdf:type"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 2}},
	}
	g.Types = datasets.NewTypes(3, []string{"x"}, []datasets.EntityType{{Entity: 0}, {Entity: 1}})
	m := &kge.Model{EntityLabels: g.Entities, RelationLabels: g.Relations}
	c := FromGraph(g).candidates(m, InTrain, 1)
	if !slices.Equal(c.ids, []int32{0}) {
		t.Errorf("candidates %v", c.ids)
	}
}
