package enginetest

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// convE returns a member that is ConvE with small sizes. It is not in [Members], because not every
// engine trains it.
func convE() kge.Member {
	return kge.Member{Form: form.ConvE{Height: 2, Filters: 3, Size: 2}.Form(), Seed: 3, LearningRate: 0.1}
}

// convEScenarios returns scenarios of ConvE on triples.
func convEScenarios(d *kge.Data) (all []scenario) {
	for recipe, r := range map[string]Recipe{
		"log-loss": newRecipe(kge.Weights{L2: 0.01, RelationN3: 0.05}, reciprocal),
		"bce":      newRecipe(kge.Weights{}, binary(0.1)),
		"bce, dropouts": newRecipe(kge.Weights{}, binary(0), inputDropout, withDropout(0.3),
			func(s *kge.Settings) { s.FeatureDropout = 0.2 }),
	} {
		s := kge.DefaultSettings()
		s.Dim, s.Batch, s.InitScale = 6, 5, 0.7
		r.Set(&s)
		m := convE()
		m.Weights = r.Weights
		all = append(all, scenario{"conve/triples/" + recipe, "conve", recipe, NewCase(d, s, m, 2, math.MaxInt)})
	}
	return all
}

// queriesOfConvE computes the queries of questions in a step with ConvE, with all dropouts, and the
// moving averages after the step.
func (r *reference) queriesOfConvE(questions []kge.Question, step int) {
	c, _ := r.Form.ConvE()
	s, seed := r.settings, r.member.Seed
	norms := r.tables[len(r.tables)-1]
	r.averages = slices.Clone(norms)
	columns := len(norms) / form.ConvENormRows
	// normalize replaces the numbers x[i] for which channel(i) is the same by normalized ones.
	normalize := func(layer, channels int, all [][]float64, channel func(i int) int) {
		for k := range channels {
			var places []*float64
			for _, x := range all {
				for i := range x {
					if channel(i) == k {
						places = append(places, &x[i])
					}
				}
			}
			n, mean, variance := float64(len(places)), 0.0, 0.0
			for _, x := range places {
				mean += *x / n
			}
			for _, x := range places {
				variance += (*x - mean) * (*x - mean) / n
			}
			at := func(row int) int { return (row+layer)*columns + k }
			for _, x := range places {
				*x = norms[at(form.ConvEGamma)]*(*x-mean)/math.Sqrt(variance+form.NormEpsilon) +
					norms[at(form.ConvEBeta)]
			}
			for row, x := range map[int]float64{
				form.ConvEMean: mean, form.ConvEVariance: variance * n / (n - 1),
			} {
				r.averages[at(row)] = 0.9*norms[at(row)] + 0.1*x
			}
		}
	}
	var images, maps, queries [][]float64
	var tables [][]float64
	for _, q := range questions {
		tables = r.rows(r.hops(q.Path)[0].number)
		images = append(images, slices.Concat(r.entity(q.Anchor), tables[0]))
	}
	normalize(0, 1, images, func(int) int { return 0 })
	high, wide := c.Maps(r.Dim)
	for number, image := range images {
		r.drop(image, dropout.InputKey(seed, step), number, s.InputDropout)
		at := func(i, j int) float64 { return image[i*(r.Dim/c.Height)+j] }
		var all []float64
		for k := range c.Filters {
			for i := range high {
				for j := range wide {
					sum := 0.0
					for a := range c.Size {
						for b := range c.Size {
							sum += tables[1][(k*c.Size+a)*c.Size+b] * at(i+a, j+b)
						}
					}
					all = append(all, sum)
				}
			}
		}
		maps = append(maps, all)
	}
	area := high * wide
	normalize(1, c.Filters, maps, func(i int) int { return i / area })
	for number, all := range maps {
		kept := slices.Repeat([]float64{1}, c.Filters)
		r.drop(kept, dropout.LayerKey(seed, step), number, s.FeatureDropout)
		query := make([]float64, r.Dim)
		for m, x := range all {
			for n := range query {
				query[n] += kept[m/area] * math.Max(0, x) * tables[2][m*r.Dim+n]
			}
		}
		r.drop(query, dropout.Key(seed, step), number, s.Dropout)
		queries = append(queries, query)
	}
	normalize(2, r.Dim, queries, func(i int) int { return i })
	for _, query := range queries {
		for i, x := range query {
			query[i] = math.Max(0, x)
		}
	}
	r.queries = queries
}

// scoresOfConvE compares scores with the definition, with moving averages.
func scoresOfConvE(t *testing.T, engine kge.Engine, tolerance float64, d *kge.Data) {
	s, m := kge.DefaultSettings(), convE()
	s.Dim, s.Reciprocal, s.InitScale = 6, true, 1
	p := kge.Initialize(d, s, m)
	drawNorms(p)
	questions := []kge.Question{{Anchor: 1, Path: []int32{0}}, {Anchor: 2, Path: []int32{3}}}
	ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
	if err != nil {
		t.Fatal(err)
	}
	defer ranker.Close()
	r := newReference(d, s, m, p)
	must(t, ranker.Scores(t.Context(), 0, questions, func(i int, scores []float32) {
		near(t, "conve", tolerance, toFloat64(scores), r.scores(r.query(questions[i])))
	}))
}
