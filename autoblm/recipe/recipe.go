package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/names"
)

// Recipe is how structures are trained on a benchmark.
type Recipe struct {
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	// About says in a line what it is.
	About string `json:"about"`
	// Source says where the settings are from, and Note what to know of them, or "".
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
	// Structure is the one that was trained by it; the zero value in a recipe for
	// searches.
	Structure structure.Structure `json:"structure,omitzero"`
	Training  kge.Settings        `json:"training"`
	// LearningRate and Weights are as in [kge.Member].
	LearningRate float64 `json:"learning_rate"`
	kge.Weights
	// Published is what was reached by it, nil where nobody says so.
	Published *Published `json:"published,omitempty"`
}

// Published are filtered metrics of the test triples, of heads and tails together.
type Published struct {
	// Model is what reached them.
	Model  string  `json:"model"`
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits1"`
	Hits10 float64 `json:"hits10"`
	// Source says where they are reported.
	Source string `json:"source"`
}

// Member is a member that is trained by the recipe.
func (r Recipe) Member(s structure.Structure, seed uint64) kge.Member {
	return kge.Member{Structure: s, Seed: seed, LearningRate: r.LearningRate, Weights: r.Weights}
}

// All are all recipes: those of one name together, in the order of [Names].
func All() []Recipe {
	var all []Recipe
	for _, row := range table() {
		all = append(all, row.recipe())
	}
	return all
}

// Names are the names of recipes, each of which stands for one on each of some
// benchmarks.
func Names() []string {
	var names []string
	for _, r := range All() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// For are the recipes for a benchmark.
func For(dataset string) []Recipe {
	return slices.DeleteFunc(All(), func(r Recipe) bool { return r.Dataset != dataset })
}

// Named is the recipe of a name for a benchmark. The error says what there is
// instead.
func Named(name, dataset string) (Recipe, error) {
	all := All()
	if i := slices.IndexFunc(all, func(r Recipe) bool { return r.Name == name && r.Dataset == dataset }); i >= 0 {
		return all[i], nil
	}
	if !slices.Contains(Names(), name) {
		return Recipe{}, names.Unknown("recipe", name, Names())
	}
	var here, elsewhere []string
	for _, r := range all {
		if r.Dataset == dataset {
			here = append(here, r.Name)
		}
		if r.Name == name {
			elsewhere = append(elsewhere, r.Dataset)
		}
	}
	if len(here) == 0 {
		return Recipe{}, fmt.Errorf("there is no recipe for %s: %s is for %s; set the training by its own flags%s", dataset, name, list(elsewhere), names.DidYouMean(names.Near(Datasets(), dataset)))
	}
	return Recipe{}, fmt.Errorf("there is no recipe %s for %s, only %s: %s is for %s", name, dataset, list(here), name, list(elsewhere))
}

// Datasets are the benchmarks that there are recipes for.
func Datasets() (all []string) {
	for _, r := range All() {
		if !slices.Contains(all, r.Dataset) {
			all = append(all, r.Dataset)
		}
	}
	return all
}

// list is "a, b and c".
func list(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
