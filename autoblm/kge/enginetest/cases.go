package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Members are one of each form, and of several structures: named, dense, with an
// empty row, and of several K.
func Members() map[string]kge.Member {
	all := map[string]kge.Member{}
	for name, text := range map[string]string{
		"complex": "complex", "quate": "quate", "mixed": "1,-2;2,1", "empty": "0,0;1,-2", "odd": "1,-2,-1;1,2,1;-2,1,3",
		"one": "2,3,-5,3,0;0,1,-2,5,-5;-2,-1,1,-1,-4;-5,-5,-5,-4,5;-3,2,3,-3,-2",
	} {
		all[name] = kge.Member{Structure: structure.MustParse(text)}
	}
	for _, f := range form.All()[1:] {
		all[f.String()] = kge.Member{Form: f}
	}
	for name, m := range all {
		m.Seed, m.LearningRate = 3, 0.1
		all[name] = m
	}
	return all
}

// Recipe is settings to train with.
type Recipe struct {
	Set     func(s *kge.Settings)
	Weights kge.Weights
	power   float64 // of answers, on paths
}

// allSlopes is a sparse gradients that leaves no slope to chance, so that the gradient is that of
// the loss.
const allSlopes = 1e9

// Recipes are worth testing on triples: each part alone, and all together.
func Recipes() map[string]Recipe {
	none := func(*kge.Settings) {}
	reciprocal := func(s *kge.Settings) { s.Reciprocal = true }
	parts := func(s *kge.Settings) { s.Dropout, s.LabelSmoothing, s.MaxNorm, s.InitScale = 0.2, 0.1, 0.8, 0.3 }
	all := kge.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, Products: 0.05, RelationPrediction: 0.6}
	return map[string]Recipe{
		"plain":                      {Set: none},
		"norms":                      {Set: none, Weights: kge.Weights{L2: 0.02, N3: 0.1}},
		"moduli":                     {Set: none, Weights: kge.Weights{L2: 0.02, N3: 0.1, N3Moduli: true}},
		"relation l2":                {Set: none, Weights: kge.Weights{RelationL2: 0.05}},
		"entity l2":                  {Set: none, Weights: kge.Weights{EntityL2: 0.05}},
		"products":                   {Set: none, Weights: kge.Weights{Products: 0.05}},
		"relation prediction":        {Set: none, Weights: kge.Weights{RelationPrediction: 0.7}},
		"dropout":                    {Set: func(s *kge.Settings) { s.Dropout = 0.4 }, Weights: kge.Weights{Products: 0.02}},
		"dropout alone":              {Set: func(s *kge.Settings) { s.Dropout = 0.3 }},
		"label smoothing":            {Set: func(s *kge.Settings) { s.LabelSmoothing = 0.2 }},
		"frequency":                  {Set: func(s *kge.Settings) { s.Frequency = 0.9 }},
		"reciprocal by frequency":    {Set: func(s *kge.Settings) { s.Reciprocal, s.Frequency, s.Dropout = true, 0.6, 0.2 }, Weights: all},
		"sampled softmax":            {Set: func(s *kge.Settings) { s.SampledSoftmax = 5 }},
		"reciprocal sampled softmax": {Set: func(s *kge.Settings) { reciprocal(s); parts(s); s.SampledSoftmax = 4 }, Weights: all},
		"together":                   {Set: func(s *kge.Settings) { reciprocal(s); s.AnswersPerQuery = 3 }},
		"together, all": {Set: func(s *kge.Settings) {
			reciprocal(s)
			s.AnswersPerQuery, s.Batch, s.Frequency, s.Dropout = 9, 9, 0.5, 0.2
		}, Weights: all},
		"together, sampled":           {Set: func(s *kge.Settings) { reciprocal(s); s.AnswersPerQuery, s.SampledSoftmax = 2, 3 }, Weights: all},
		"sparse gradients":            {Set: func(s *kge.Settings) { s.SparseGradients = allSlopes }},
		"reciprocal sparse gradients": {Set: func(s *kge.Settings) { reciprocal(s); s.SparseGradients, s.Dropout = allSlopes, 0.2 }, Weights: all},
		"together, sparse":            {Set: func(s *kge.Settings) { reciprocal(s); s.AnswersPerQuery, s.SparseGradients = 2, allSlopes }, Weights: all},
		"sparse and sampled":          {Set: func(s *kge.Settings) { parts(s); s.SampledSoftmax, s.SparseGradients = 5, allSlopes }},
		"largest norm":                {Set: func(s *kge.Settings) { s.MaxNorm, s.InitScale = 0.5, 0.3 }},
		"xavier":                      {Set: func(s *kge.Settings) { s.Initial = kge.Xavier }},
		"reciprocal":                  {Set: reciprocal},
		"reciprocal norms":            {Set: reciprocal, Weights: kge.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04}},
		"reciprocal moduli":           {Set: reciprocal, Weights: kge.Weights{N3: 0.2, N3Moduli: true, Products: 0.05}},
		"together, moduli":            {Set: func(s *kge.Settings) { reciprocal(s); s.AnswersPerQuery = 3 }, Weights: kge.Weights{N3: 0.2, N3Moduli: true}},
		"reciprocal with all weights": {Set: reciprocal, Weights: all},
		"everything":                  {Set: func(s *kge.Settings) { reciprocal(s); parts(s) }, Weights: all},
		"everything but reverses":     {Set: parts, Weights: all},
	}
}

// pathRecipes are worth testing on paths.
func pathRecipes() map[string]Recipe {
	recipe := func(power float64, w kge.Weights, changes ...func(s *kge.Settings)) Recipe {
		return Recipe{power: power, Weights: w, Set: func(s *kge.Settings) {
			s.Reciprocal = true
			for _, change := range changes {
				change(s)
			}
		}}
	}
	dropout := func(s *kge.Settings) { s.Dropout = 0.3 }
	negatives := func(s *kge.Settings) { s.Negatives, s.Margin = 5, 0.7 }
	sampled := func(s *kge.Settings) { s.SampledSoftmax = 6 }
	sparse := func(s *kge.Settings) { s.SparseGradients = allSlopes }
	transposed := func(s *kge.Settings) { s.Reciprocal = false }
	none, products := kge.Weights{}, kge.Weights{Products: 0.1}
	norms := kge.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01}
	all := norms
	all.Products = 0.1
	return map[string]Recipe{
		"log-loss":               recipe(0, none),
		"power":                  recipe(0.5, none),
		"transposed":             recipe(0.5, none, transposed),
		"dropout":                recipe(0.5, none, dropout),
		"products":               recipe(0.5, kge.Weights{Products: 0.1, EntityL2: 0.1}),
		"transposed products":    recipe(0.5, products, transposed),
		"log-loss and penalties": recipe(1, norms),
		"moduli":                 recipe(0.5, kge.Weights{N3: 0.1, N3Moduli: true}),
		"penalties":              recipe(0.5, norms, negatives),
		"negatives":              recipe(0.5, none, negatives),
		"sampled softmax":        recipe(0.5, norms, sampled),
		"transposed and sampled": recipe(1, all, sampled, transposed, dropout),
		"sparse gradients":       recipe(0.5, norms, sparse),
		"transposed and sparse":  recipe(1, all, sparse, transposed, dropout),
		"transposed negatives":   recipe(0.5, none, negatives, transposed),
		"everything":             recipe(1, all, negatives, transposed, dropout),
	}
}

// scenario is a member, data and settings that an engine can train with.
type scenario struct {
	name     string
	data     *kge.Data
	settings kge.Settings
	member   kge.Member
}

// scenarios are all members with all recipes on triples and on paths, but for what makes
// no sense and for what the engine lacks.
func scenarios(t *testing.T, engine kge.Engine) (all []scenario) {
	triples, paths := completion.Data(RandomGraph(7, 2, 14, 5)), Paths(t, 7, 2, 14)
	members := Members()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		add := func(what string, d *kge.Data, r Recipe) {
			m, s := members[name], kge.DefaultSettings()
			s.Dim, s.Batch, s.InitScale = 2*max(2, m.Structure.K()), 5, 0.7
			r.Set(&s)
			m.Weights = r.Weights
			if s.ValidateFor(m) == nil && engine.Supports(d, s, []kge.Member{m}) == nil {
				all = append(all, scenario{name + "/" + what, d, s, m})
			}
		}
		for recipe, r := range Recipes() {
			add("triples/"+recipe, triples, r)
		}
		for recipe, r := range pathRecipes() {
			add("paths/"+recipe, pathData(t, paths, query.Paths{Hops: []int{1, 2, 3}, AnswerPower: r.power}), r)
		}
	}
	return all
}

// Graph is a small graph with a symmetric and an asymmetric relation, some
// structure to learn, and sizes that no batch of ours divides.
func Graph() *datasets.Graph {
	const entities = 37
	g := &datasets.Graph{Name: "enginetest", Entities: labels("e%02d", entities), Relations: []string{"near", "next", "mirrors"}}
	var all []datasets.Triple
	for i := range int32(entities) {
		all = append(all,
			datasets.Triple{Head: i, Relation: 0, Tail: (i + 2) % entities},
			datasets.Triple{Head: (i + 2) % entities, Relation: 0, Tail: i},
			datasets.Triple{Head: i, Relation: 1, Tail: (i + 1) % entities},
			datasets.Triple{Head: i, Relation: 2, Tail: (entities - i) % entities})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g.Valid, g.Test, g.Train = all[:20], all[20:41], all[41:]
	return g
}

func labels(format string, count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

// RandomGraph has random triples, any of which may come several times.
func RandomGraph(entities, relations, triples int, seed uint64) *datasets.Graph {
	g := &datasets.Graph{Name: "random", Entities: labels("e%d", entities), Relations: labels("r%d", relations)}
	rng := rand.New(rand.NewPCG(seed, 7))
	for range triples {
		g.Train = append(g.Train, datasets.Triple{Head: rng.Int32N(int32(entities)), Relation: rng.Int32N(int32(relations)), Tail: rng.Int32N(int32(entities))})
	}
	return g
}

// Paths is a graph of a few entities and relations, with queries of up to three hops.
func Paths(t testing.TB, entities, relations, triples int) *query.Data {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	g := &datasets.Graph{Name: "random", Entities: labels("e%d", entities), Relations: labels("r%d", relations)}
	for i := range triples {
		triple := datasets.Triple{Head: int32(i % entities), Relation: int32(rng.IntN(relations)), Tail: int32(rng.IntN(entities))}
		if split := []*[]datasets.Triple{&g.Train, &g.Valid, &g.Test}[max(0, i%10-7)]; i >= entities {
			*split = append(*split, triple)
		} else {
			g.Train = append(g.Train, triple)
		}
	}
	d := query.FromGraph(g)
	for _, split := range []query.Split{query.InTrain, query.InValid, query.InTest} {
		for hops := 1; hops <= 3; hops++ {
			_, err := d.Sample(t.Context(), query.Sample{Split: split, Hops: hops, Count: 200, Seed: 1})
			must(t, err)
		}
	}
	return d
}

// pathData is the data of paths that are learnt.
func pathData(t testing.TB, d *query.Data, p query.Paths) *kge.Data {
	t.Helper()
	data, err := d.Training(p)
	must(t, err)
	return data
}

// SmallGraph has 7 entities, 2 relations and splits of 10, 3 and 2 triples, few enough to
// work out what becomes of them.
func SmallGraph() *datasets.Graph {
	g := &datasets.Graph{Name: "small", Entities: labels("e%d", 7), Relations: []string{"knows", "likes"}}
	for i := range int32(7) {
		g.Train = append(g.Train, datasets.Triple{Head: i, Relation: i % 2, Tail: (i + 1) % 7})
	}
	g.Train = append(g.Train, datasets.Triple{Head: 0, Relation: 0, Tail: 2}, datasets.Triple{Head: 0, Relation: 0, Tail: 3}, datasets.Triple{Head: 1, Relation: 0, Tail: 3})
	g.Valid = []datasets.Triple{{Head: 0, Relation: 0, Tail: 4}, {Head: 2, Relation: 1, Tail: 5}, {Head: 3, Relation: 1, Tail: 6}}
	g.Test = []datasets.Triple{{Head: 0, Relation: 0, Tail: 5}, {Head: 6, Relation: 1, Tail: 3}}
	return g
}

// SmallModel is an untrained model of [SmallGraph] with the structure of ComplEx and
// dim 8.
func SmallModel() *kge.Model {
	s := kge.DefaultSettings()
	s.Dim, s.InitScale = 8, 1
	m := kge.DefaultMember(structure.MustParse("complex"))
	m.Seed = 3
	d := completion.Data(SmallGraph())
	return &kge.Model{
		Parameters: kge.Initialize(d, s, m), Dataset: d.Name, Source: d.Source,
		EntityLabels: d.Entities, RelationLabels: d.Relations, Training: &kge.Training{Settings: s, Member: m},
	}
}
