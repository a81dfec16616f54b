package enginetest

import (
	"maps"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
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
}

// Recipes are worth testing on triples: each part alone, and all together.
func Recipes() map[string]Recipe {
	none := func(*kge.Settings) {}
	reciprocal := func(s *kge.Settings) { s.Reciprocal = true }
	all := kge.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04, Products: 0.05, RelationPrediction: 0.6}
	return map[string]Recipe{
		"plain":                       {Set: none},
		"norms":                       {none, kge.Weights{L2: 0.02, N3: 0.1}},
		"relation l2":                 {none, kge.Weights{RelationL2: 0.05}},
		"entity l2":                   {none, kge.Weights{EntityL2: 0.05}},
		"products":                    {none, kge.Weights{Products: 0.05}},
		"relation prediction":         {none, kge.Weights{RelationPrediction: 0.7}},
		"dropout":                     {func(s *kge.Settings) { s.Dropout = 0.4 }, kge.Weights{Products: 0.02}},
		"label smoothing":             {func(s *kge.Settings) { s.LabelSmoothing = 0.2 }, kge.Weights{}},
		"largest norm":                {func(s *kge.Settings) { s.MaxNorm, s.InitScale = 0.5, 0.3 }, kge.Weights{}},
		"xavier":                      {func(s *kge.Settings) { s.Initial = kge.Xavier }, kge.Weights{}},
		"reciprocal":                  {reciprocal, kge.Weights{}},
		"reciprocal norms":            {reciprocal, kge.Weights{L2: 0.01, N3: 0.02, RelationL2: 0.03, EntityL2: 0.04}},
		"reciprocal with all weights": {reciprocal, all},
		"everything": {func(s *kge.Settings) {
			s.Reciprocal, s.Dropout, s.LabelSmoothing, s.MaxNorm, s.InitScale = true, 0.2, 0.1, 0.8, 0.3
		}, all},
		"everything but reverses": {func(s *kge.Settings) {
			s.Dropout, s.LabelSmoothing, s.MaxNorm, s.InitScale = 0.2, 0.1, 0.8, 0.3
		}, all},
	}
}

// pathRecipes are worth testing on paths, with the power of answers.
func pathRecipes() map[string]struct {
	Recipe
	power float64
} {
	type recipe = struct {
		Recipe
		power float64
	}
	negatives := func(s *kge.Settings) { s.Negatives, s.Margin = 5, 0.7 }
	transposed := func(s *kge.Settings) { s.Reciprocal = false }
	set := func(changes ...func(s *kge.Settings)) func(s *kge.Settings) {
		return func(s *kge.Settings) {
			s.Reciprocal = true
			for _, change := range changes {
				change(s)
			}
		}
	}
	norms := kge.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01}
	return map[string]recipe{
		"log-loss":               {Recipe{Set: set()}, 0},
		"power":                  {Recipe{Set: set()}, 0.5},
		"transposed":             {Recipe{Set: set(transposed)}, 0.5},
		"dropout":                {Recipe{Set: set(func(s *kge.Settings) { s.Dropout = 0.3 })}, 0.5},
		"products":               {Recipe{set(), kge.Weights{Products: 0.1, EntityL2: 0.1}}, 0.5},
		"transposed products":    {Recipe{set(transposed), kge.Weights{Products: 0.1}}, 0.5},
		"log-loss and penalties": {Recipe{set(), norms}, 1},
		"penalties":              {Recipe{set(negatives), norms}, 0.5},
		"negatives":              {Recipe{Set: set(negatives)}, 0.5},
		"transposed negatives":   {Recipe{Set: set(negatives, transposed)}, 0.5},
		"everything": {Recipe{set(negatives, transposed, func(s *kge.Settings) { s.Dropout = 0.2 }),
			kge.Weights{L2: 0.02, N3: 0.1, RelationL2: 0.03, EntityL2: 0.01, Products: 0.1}}, 1},
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
			d, err := paths.Training(query.Paths{Hops: []int{1, 2, 3}, AnswerPower: r.power})
			if err != nil {
				t.Fatal(err)
			}
			add("paths/"+recipe, d, r.Recipe)
		}
	}
	return all
}
