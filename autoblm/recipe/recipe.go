package recipe

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Recipe holds training settings with their name, origin and published result.
type Recipe struct {
	Name string `json:"name"`
	// Dataset names the benchmark, or is "" in a recipe for any graph.
	Dataset string `json:"dataset"`
	// About describes the recipe in one line.
	About string `json:"about"`
	// Source names the origin of the settings. Note adds a caveat, or is "".
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
	// Form and Structure say which model the recipe was made for. Structure is the zero value in a
	// recipe for searches and in one for a form without a structure.
	Form      form.Form           `json:"form,omitzero"`
	Structure structure.Structure `json:"structure,omitzero"`
	kge.Recipe
	// Published holds the result that the source reports, or is nil.
	Published *Published `json:"published,omitempty"`
}

// Published holds filtered metrics on the test triples, averaged over head and tail prediction.
type Published struct {
	// Model names the model that reached them.
	Model string  `json:"model"`
	MRR   float64 `json:"mrr"`
	// Hits1 and Hits10 are 0 if only the MRR is known.
	Hits1  float64 `json:"hits1,omitempty"`
	Hits10 float64 `json:"hits10,omitempty"`
	// Source says where they are reported.
	Source string `json:"source"`
}

// HasHits reports whether the source reports Hits1 and Hits10.
func (p Published) HasHits() bool { return p.Hits10 > 0 }

// Member returns the member that trains structure s by the recipe.
func (r Recipe) Member(s structure.Structure, seed uint64) kge.Member {
	return r.For(r.Form, s, seed)
}

// Searches reports whether the recipe is for searches, without a model of its own.
func (r Recipe) Searches() bool { return r.Form == form.Bilinear && r.Structure.K() == 0 }

// All returns all recipes, in the order of [Names].
func All() []Recipe {
	var all []Recipe
	for _, row := range table() {
		all = append(all, row.recipe())
	}
	return all
}

// Names returns the names of all recipes. A name may stand for several recipes: one for each of
// some benchmarks, and one for any graph.
func Names() []string {
	return distinct(All(), func(r Recipe) string { return r.Name })
}

// Datasets returns the benchmarks that have recipes.
func Datasets() []string {
	all := distinct(All(), func(r Recipe) string { return r.Dataset })
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// distinct returns one value per recipe without repeats, in order of first appearance.
func distinct(recipes []Recipe, value func(Recipe) string) []string {
	var all []string
	for _, r := range recipes {
		if v := value(r); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// For returns the recipes made for a benchmark; those for any graph if dataset is "".
func For(dataset string) []Recipe {
	return slices.DeleteFunc(All(), func(r Recipe) bool { return r.Dataset != dataset })
}

// Available returns the recipes that can train a graph: those made for it, then those for any
// graph. Of two with one name, the graph's own wins.
func Available(dataset string) []Recipe {
	own := For(dataset)
	has := func(r Recipe) bool {
		return slices.ContainsFunc(own, func(o Recipe) bool { return o.Name == r.Name })
	}
	return append(own, slices.DeleteFunc(For(""), has)...)
}

// Named returns the recipe with a name for a graph: the benchmark's own if it has one, otherwise
// the one for any graph.
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
	return Recipe{}, otherDataset(name, dataset)
}

// otherDataset returns the error for a recipe that exists only for other benchmarks.
func otherDataset(name, dataset string) error {
	var here, elsewhere []string
	for _, r := range All() {
		if r.Dataset == dataset || r.Dataset == "" {
			here = append(here, r.Name)
		}
		if r.Name == name {
			elsewhere = append(elsewhere, r.Dataset)
		}
	}
	if dataset == "" {
		return fmt.Errorf("recipe %s depends on the data set: name one of %s", name,
			format.List(elsewhere, "or"))
	}
	slices.Sort(here)
	suggestion := ""
	if !slices.Contains(Datasets(), dataset) {
		suggestion = enum.DidYouMean(enum.Near(Datasets(), dataset))
	}
	return fmt.Errorf("no recipe %s for %s: %s is for %s%s; use %s", name, dataset, name,
		format.List(elsewhere, "and"), suggestion, format.List(slices.Compact(here), "or"))
}

// Basic returns the smallest settings, without tuning, penalty or validation.
func Basic() Recipe { return basicRow.recipe() }

// ForGraph returns the default recipe of a form of models on a graph; the graph may be nil for
// forms that are not bilinear. A graph without validation triples is not validated.
func ForGraph(g *datasets.Graph, f form.Form) Recipe {
	if f == form.Bilinear {
		return Default(SizeOf(g))
	}
	r, found := ForModel(f, kge.NoEncoder)
	if !found {
		r = Basic()
		r.Form, r.Structure = f, structure.Structure{}
		r.Recipe = Adapt(r.Recipe, f)
	}
	if g != nil {
		SizeOf(g).FitValidation(&r.Training)
	}
	return r
}

// ForModel returns the recipe for any graph of a form or, if it is not [kge.NoEncoder], of an encoder,
// which the recipe may have a variant of. Bilinear models have none, because theirs depends on the
// graph, nor has [form.GQE]: the recipe rescal is for few relations.
func ForModel(f form.Form, e kge.Encoder) (r Recipe, found bool) {
	if e == kge.NoEncoder && (f == form.Bilinear || f == form.GQE) {
		return Recipe{}, false
	}
	all := For("")
	i := slices.IndexFunc(all, func(r Recipe) bool { return r.IsOf(f, e) })
	if i < 0 {
		return Recipe{}, false
	}
	r = all[i]
	r.Form, r.Recipe = f, Adapt(r.Recipe, f)
	return r, true
}

// ForTuning returns the kind of training with which a search for the settings of a form begins, with a
// learning rate for any graph: those of [ForModel] without its sizes, decay, and dropouts of entities and
// queries. Forms other than neural ones and cores have none.
func ForTuning(f form.Form) (r kge.Recipe, found bool) {
	if _, isNeural := f.Neural(); !isNeural && f.Partitions() == 0 {
		return kge.Recipe{}, false
	}
	all := table()
	i := slices.IndexFunc(all, func(r row) bool {
		return r.dataset == "" && r.form.Kind() == f.Kind()
	})
	if i < 0 {
		return kge.Recipe{}, false
	}
	return kge.Recipe{Training: all[i].training, LearningRate: all[i].rate}, true
}

// neuralRate is the learning rate of neural models on graphs without published settings.
const neuralRate = .003

// IsOf reports whether the recipe is for models of a kind of forms or, with an encoder, for those with
// that encoder or a variant of it.
func (r Recipe) IsOf(f form.Form, e kge.Encoder) bool {
	own := r.Training.Encoder
	if e != kge.NoEncoder {
		return own != kge.NoEncoder && own.EncodesRelations() == e.EncodesRelations()
	}
	return own == kge.NoEncoder && r.Form.Kind() == f.Kind()
}
