package enginetest

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// cells returns members with cells of Interstellar: the published ones, and others with each
// function, input, activation and matrix. They are not in [Members], because not every engine trains
// them.
func cells() map[string]kge.Member {
	all := map[string]kge.Member{}
	for _, c := range []form.Cell{
		form.CellWN18RR, form.CellFB15k237,
		{3, 4, 9, 1, 2, 1, 1, 1, 1, 1, 1},   // gate, sum of h, product of o
		{1, 11, 15, 0, 1, 0, 1, 0, 1, 0, 1}, // product, gate of o, gate of 0
		{0, 6, 4, 2, 0, 1, 0, 1, 0, 1, 0},   // sum, complex of h, sum of h
	} {
		m := kge.Member{Form: c.Form(), Seed: 3, LearningRate: 0.1}
		all[m.Form.String()] = m
	}
	return all
}

// cellScenarios returns scenarios of Interstellar on triples and on random walks.
func cellScenarios(d *kge.Data) (all []scenario) {
	walks := func(s *kge.Settings) { s.WalkHops = 3 }
	recipes := map[string]Recipe{
		"triples":          newRecipe(kge.Weights{L2: 0.01}, inputDropout),
		"triples, reverse": newRecipe(kge.Weights{}, reciprocal, binary(0.1)),
		"walks, dropout": newRecipe(kge.Weights{EntityL2: 0.02, RelationN3: 0.05},
			walks, inputDropout, withDropout(0.3)),
		"walks, sampled": newRecipe(kge.Weights{}, walks, reciprocal,
			func(s *kge.Settings) { s.SampledSoftmax = 4 }),
	}
	members := cells()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for recipe, r := range recipes {
			s := kge.DefaultSettings()
			s.Dim, s.Batch, s.InitScale = 8, 5, 0.7
			r.Set(&s)
			m := members[name]
			m.Weights = r.Weights
			all = append(all, scenario{name + "/" + recipe, name, recipe, NewCase(d, s, m, 2, math.MaxInt)})
		}
	}
	return all
}

// read returns the query after a path with known entities, from the row of its anchor.
func (r *reference) read(q kge.Question, cell form.Cell, anchor []float64) []float64 {
	var entities, relations [][]float64
	var transposed []bool
	var weights []float64
	for i, h := range r.hops(q.Path) {
		entity := anchor
		if i > 0 {
			entity = r.entity(q.Through[i-1])
		}
		rows := r.rows(h.number)
		if len(rows) > 1 {
			weights = rows[1]
		}
		entities, relations = append(entities, entity), append(relations, rows[0])
		transposed = append(transposed, h.transposed)
	}
	return cell.Read(entities, relations, transposed, weights)
}

// scoresOfCells compares scores with the definition. A later hop reads the query before it.
func scoresOfCells(t *testing.T, engine kge.Engine, tolerance float64, d *kge.Data) {
	for name, m := range cells() {
		for _, reciprocal := range []bool{false, true} {
			s := kge.DefaultSettings()
			s.Dim, s.Reciprocal, s.InitScale = 8, reciprocal, 0.7
			p := kge.Initialize(d, s, m)
			questions := []kge.Question{
				{Anchor: 1, Path: []int32{0}}, {Anchor: 2, Path: []int32{3}}, {Anchor: 3, Path: []int32{1, 2}},
			}
			ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
			if err != nil {
				t.Fatal(err)
			}
			r := newReference(d, s, m, p)
			must(t, ranker.Scores(t.Context(), 0, questions, func(i int, scores []float32) {
				near(t, name, tolerance, toFloat64(scores), r.scores(r.query(questions[i])))
			}))
			ranker.Close()
		}
	}
}
