package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Recipe is how structures are trained on a benchmark, or on any graph.
type Recipe struct {
	Name string `json:"name"`
	// Dataset is the benchmark, "" where the recipe is for any graph.
	Dataset string `json:"dataset"`
	// About says in a line what it is.
	About string `json:"about"`
	// Source says where the settings are from, and Note what to know of them, or "".
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
	// Form is that of the model that was trained by it.
	Form form.Form `json:"form,omitzero"`
	// Structure is the one that was trained by it; the zero value in a recipe for
	// searches, and in one for a form that has none.
	Structure structure.Structure `json:"structure,omitzero"`
	kge.Recipe
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
	return r.For(r.Form, s, seed)
}

// Searches says whether the recipe is for searches, and trains no model of its own.
func (r Recipe) Searches() bool { return r.Form == form.Bilinear && r.Structure.K() == 0 }

// All are all recipes: those of one name together, in the order of [Names].
func All() []Recipe {
	var all []Recipe
	for _, row := range table() {
		all = append(all, row.recipe())
	}
	return all
}

// Names are the names of recipes, each of which stands for one on each of some
// benchmarks, for one on any graph, or for both.
func Names() []string {
	var names []string
	for _, r := range All() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// For are the recipes of a benchmark's own, and those for any graph where dataset is "".
func For(dataset string) []Recipe {
	return slices.DeleteFunc(All(), func(r Recipe) bool { return r.Dataset != dataset })
}

// Suiting are the recipes that a graph can be trained by: the benchmark's own, and those for
// any graph that it has none of the same name in place of.
func Suiting(dataset string) []Recipe {
	own := For(dataset)
	has := func(r Recipe) bool {
		return slices.ContainsFunc(own, func(o Recipe) bool { return o.Name == r.Name })
	}
	return append(own, slices.DeleteFunc(For(""), has)...)
}

// Named is the recipe of a name for a graph: the benchmark's own, where it has one of that
// name, else the one for any graph. The error says what there is instead.
func Named(name, dataset string) (Recipe, error) {
	for _, of := range []string{dataset, ""} {
		all := For(of)
		if i := slices.IndexFunc(all, func(r Recipe) bool { return r.Name == name }); i >= 0 {
			return all[i], nil
		}
	}
	if !slices.Contains(Names(), name) {
		return Recipe{}, enum.Unknown("recipe", name, Names())
	}
	var here, elsewhere []string
	for _, r := range All() {
		if r.Dataset == dataset || r.Dataset == "" {
			here = append(here, r.Name)
		}
		if r.Name == name {
			elsewhere = append(elsewhere, r.Dataset)
		}
	}
	meant := ""
	if !slices.Contains(Datasets(), dataset) {
		meant = enum.DidYouMean(enum.Near(Datasets(), dataset))
	}
	slices.Sort(here)
	return Recipe{}, fmt.Errorf("there is no recipe %s for %s, only %s: %s is for %s%s", name, dataset, list(slices.Compact(here)), name, list(elsewhere), meant)
}

// Datasets are the benchmarks that there are recipes for.
func Datasets() (all []string) {
	for _, r := range All() {
		if r.Dataset != "" && !slices.Contains(all, r.Dataset) {
			all = append(all, r.Dataset)
		}
	}
	return all
}

// fewEntities is how many entities a graph has, at most, that a penalty of a fifth suits: the
// fewer there are, the more triples each is in.
const fewEntities = 250

// Usual is how a graph of more than a few entities is trained where nothing else is said.
func Usual() Recipe { return usualRow.recipe() }

// Large is how a large graph is trained in less time.
func Large() Recipe { return largeRow.recipe() }

// UsualFor is how bilinear models are trained on a graph of so many entities where nothing else
// is said.
func UsualFor(entities int) Recipe {
	if entities <= fewEntities {
		return usualFewRow.recipe()
	}
	return Usual()
}

// Default is how models of a form are trained on a graph where nothing else is said: bilinear
// ones as [Usual], or as usual-few on a graph of few entities; without validation triples the
// last epoch is kept. Others are trained as plain, since what is usual takes hours for some and
// has a penalty that is too much for some, whatever the graph, which may be nil for them.
func Default(g *datasets.Graph, f form.Form) Recipe {
	if f != form.Bilinear {
		return plainRow.recipe()
	}
	r := UsualFor(len(g.Entities))
	if len(g.Valid) == 0 {
		r.Training.ValidateEvery, r.Training.Patience = 0, 0
	}
	return r
}

// list is "a, b and c".
func list(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
