package enginetest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// scenario is a case with a name.
type scenario struct {
	name               string
	memberName, recipe string
	*Case
}

var (
	preparing sync.Mutex
	smallOnes []scenario
	largeOnes []scenario
)

// prepare makes scenarios once in a process, so that engines share their definitions.
func prepare(kept *[]scenario, create func() []scenario) []scenario {
	preparing.Lock()
	defer preparing.Unlock()
	if *kept == nil {
		*kept = create()
	}
	return *kept
}

// scenarios combines members with recipes, on triples and on paths. It leaves out invalid
// combinations.
func scenarios(t testing.TB, in Scope) (all []scenario) {
	for _, c := range prepare(&smallOnes, func() []scenario { return makeScenarios(t) }) {
		if in.Has(c.recipe, c.memberName) {
			all = append(all, c)
		}
	}
	return all
}

// makeScenarios returns the scenarios with everything.
func makeScenarios(t testing.TB) (all []scenario) {
	triples, paths := Triples(RandomGraph(7, 2, 14, 5)), Paths(t, 7, 2, 14)
	weighted := RandomGraph(7, 2, 14, 5)
	for i := range weighted.Train {
		weighted.Weights = append(weighted.Weights, float32(i%4)) // some facts are not learned
	}
	weightedTriples := Triples(weighted)
	members := Members()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		add := func(kind, recipe string, d *kge.Data, r Recipe) {
			m, s := members[name], kge.DefaultSettings()
			s.Dim, s.Batch, s.InitScale = 2*max(2, m.Structure.K()), 5, 0.7
			r.Set(&s)
			m.Weights = r.Weights
			if s.ValidateFor(m) == nil {
				all = append(all, scenario{name + "/" + kind + "/" + recipe, name, recipe,
					NewCase(d, s, m, 2, math.MaxInt)})
			}
		}
		for recipe, r := range Recipes() {
			add("triples", recipe, triples, r)
		}
		for _, recipe := range []string{"relation prediction", "reciprocal by frequency", "grouped, all"} {
			add("weighted triples", recipe, weightedTriples, Recipes()[recipe])
		}
		k := members[name].Structure.K()
		wide := kge.Weights{EntityN3: 0.1, RelationN3: 0.05, N3Block: k}
		add("triples", "n3 of all chunks", triples, newRecipe(wide))
		for recipe, r := range pathRecipes() {
			data := pathData(t, paths, query.Paths{Hops: []int{1, 2, 3}, AnswerPower: r.power})
			add("paths", recipe, data, r)
		}
	}
	members["conve"] = convE()
	for _, e := range encoderCases() {
		m, s := members[e.member], kge.DefaultSettings()
		s.Dim, s.Batch, s.InitScale, s.Encoding = 8, 5, 0.7, e.Encoding
		s.Reciprocal = e.reciprocal
		m.EntityL2, m.RelationN3 = 0.02, 0.03
		recipe := "encoder " + s.Encoder.String()
		if e.recipe != "" {
			r := Recipes()[e.recipe]
			r.Set(&s)
			m.Weights = r.Weights
			recipe += ", " + e.recipe
		}
		all = append(all, scenario{e.member + "/triples/" + recipe, e.member, recipe,
			NewCase(triples, s, m, 2, math.MaxInt)})
	}
	return slices.Concat(all, convEScenarios(triples), cellScenarios(triples), rsnScenarios(triples))
}

// largeScenarios returns the scenarios of manyRows.
func largeScenarios(t testing.TB) []scenario {
	return prepare(&largeOnes, func() (all []scenario) {
		many := Triples(RandomGraph(450, 100, 130, 1)) // questions
		few := Triples(RandomGraph(20, 2, 700, 1))
		hub := Triples(star(450))
		for _, c := range []struct {
			member, recipe string
			batch          int
			data           *kge.Data
		}{
			{"quate", "reciprocal with all weights", 130, many},
			{"block-2", "reciprocal with all weights", 130, many},
			{"quate", "everything not reciprocal", 130, many},
			{"quate", "grouped, all", 130, many},
			{"quate", "grouped, all", 600, few},
			{"block-2", "grouped, all", 600, few},
			{"core-2", "batch norm, penalties", 130, many},
			{"core-2", "batch norm, grouped", 600, few},
			{"quate", "grouped, sampled", 150, few},
			{"quate", "grouped, sparse", 150, few},
			{"quate", "taught, all", 130, many},
			{"block-2", "taught, reciprocal", 130, many},
			{"quate", "taught, grouped", 600, few},
			{"quate", "taught, sparse", 150, many},
			{"quate", "bce, dropout", 130, many},
			{"core-2", "batch norm, bce", 600, few},
			{"transh", "bce", 200, many},
			{"rotate", "all negatives", 130, many},
			{"transe", "self-adversarial", 130, few},
			{"quate", "self-adversarial", 130, few},
			{"block-2", "self-adversarial", 130, few},
			{"core-2", "self-adversarial", 130, few},
			{"gqe", "self-adversarial", 130, few},
			{"quate", "a group, taught", 450, hub},
			{"quate", "bce, dropout", 450, hub},
			{"core-2", "batch norm, bce", 450, hub},
			{"quate", "a group, dropout", 450, hub},
			{"quate", "a group, sampled", 450, hub},
		} {
			s, m := kge.DefaultSettings(), Members()[c.member]
			s.Dim, s.InitScale = 8, 0.5
			recipe := Recipes()[c.recipe]
			recipe.Set(&s)
			s.Batch, m.Weights = c.batch, recipe.Weights
			name := c.member + "/" + c.recipe
			all = append(all, scenario{name, c.member, c.recipe, NewCase(c.data, s, m, 1, 4)})
		}
		paths := Paths(t, 450, 3, 1500)
		for _, hops := range []int{1, 3} {
			data := pathData(t, paths, query.Paths{Hops: []int{hops}, AnswerPower: 0.5})
			s, m := kge.DefaultSettings(), Members()["mixed"]
			s.Dim, s.Batch, s.InitScale, s.Reciprocal, m.N3 = 8, 150, 0.5, true, 0.1
			name := fmt.Sprintf("mixed/paths of %d", hops)
			all = append(all, scenario{name, "mixed", "", NewCase(data, s, m, 1, 4)})
		}
		return all
	})
}
