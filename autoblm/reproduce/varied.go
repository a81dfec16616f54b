package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

// part is a part of the settings of a training.
type part struct {
	name  string
	value func(trainedWith) (label string, number float64) // number is 0 if it is none
	clear func(*trainedWith)
}

// whole returns a part with a whole number in the settings.
func whole(name string, field func(*kge.Settings) *int) part {
	return part{
		name:  name,
		value: func(t trainedWith) (string, float64) { return labeled(*field(&t.settings)) },
		clear: func(t *trainedWith) { *field(&t.settings) = 0 },
	}
}

// orAll returns a part whose number 0 stands for all entities.
func orAll(name string, field func(*kge.Settings) *int) part {
	p := whole(name, field)
	p.value = func(t trainedWith) (string, float64) {
		if n := *field(&t.settings); n > 0 {
			return labeled(n)
		}
		return "all", math.Inf(1)
	}
	return p
}

func labeled(n int) (label string, number float64) { return format.Int(n), float64(n) }

var parts = []part{
	whole("d", func(s *kge.Settings) *int { return &s.Dim }),
	whole("epochs", func(s *kge.Settings) *int { return &s.Epochs }),
	whole("batch", func(s *kge.Settings) *int { return &s.Batch }),
	orAll("softmax over", func(s *kge.Settings) *int { return &s.SampledSoftmax }),
	orAll("entities moved", func(s *kge.Settings) *int { return &s.SparseGradients }),
	{
		"answers per query",
		func(t trainedWith) (string, float64) { return labeled(max(1, t.settings.AnswersPerQuery)) },
		func(t *trainedWith) { t.settings.AnswersPerQuery = 0 },
	},
	{
		"learning rate",
		func(t trainedWith) (string, float64) {
			return fmt.Sprint(t.member.LearningRate), t.member.LearningRate
		},
		func(t *trainedWith) { t.member.LearningRate = 0 },
	},
	{
		"decay",
		func(t trainedWith) (string, float64) {
			return fmt.Sprint(t.settings.Decay), t.settings.Decay
		},
		func(t *trainedWith) { t.settings.Decay = 0 },
	},
	whole("cooldown", func(s *kge.Settings) *int { return &s.Cooldown }),
	{
		"weights",
		func(t trainedWith) (string, float64) { return settings.Set(t.member.Weights), 0 },
		func(t *trainedWith) { t.member.Weights = kge.Weights{} },
	},
	{
		"model",
		func(t trainedWith) (string, float64) {
			return Trained{Training: kge.Training{Member: t.member}}.Title(), 0
		},
		func(t *trainedWith) {
			t.member.Form, t.member.Structure = form.Bilinear, structure.Structure{}
		},
	},
}

// Varied returns a table of the test MRR of trainings that differ in one part of their settings.
func Varied(all []Repeats) *table.Table {
	t := table.New("graph", "model, recipe", "part", "test MRR by it")
	for _, graph := range graphs(all) {
		here := on(graph, all)
		for _, p := range parts {
			groups := varying(p, here)
			for _, g := range groups {
				var mrrs []string
				for _, r := range g.all {
					label, _ := p.value(unseeded(r.first().Final))
					mrrs = append(mrrs, fmt.Sprintf("%s: %s", label, r.spread(testMRR)))
				}
				t.Add(graph, g.title(groups), p.name, strings.Join(mrrs, "; "))
			}
		}
	}
	return t
}

// group holds trainings that differ only in one part of their settings.
type group struct {
	rest trainedWith // the common settings
	all  []Repeats
}

// varying returns the groups of trainings that differ only in a part, sorted by that part.
func varying(p part, all []Repeats) []group {
	var groups []group
	for _, r := range all {
		rest := unseeded(r.first().Final)
		p.clear(&rest)
		i := slices.IndexFunc(groups, func(g group) bool { return g.rest == rest })
		if i < 0 {
			i, groups = len(groups), append(groups, group{rest: rest})
		}
		groups[i].all = append(groups[i].all, r)
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.all) == 1 })
	number := func(r Repeats) float64 {
		_, number := p.value(unseeded(r.first().Final))
		return number
	}
	for _, g := range groups {
		slices.SortStableFunc(g.all, func(a, b Repeats) int {
			return cmp.Compare(number(a), number(b))
		})
	}
	return groups
}

// title returns the common model, recipe and dimension, and the other settings that distinguish
// the group from others with the same ones.
func (g group) title(others []group) string {
	title := g.shortTitle()
	for _, p := range parts {
		own, _ := p.value(g.rest)
		distinguishes := slices.ContainsFunc(others, func(o group) bool {
			other, _ := p.value(o.rest)
			return o.shortTitle() == g.shortTitle() && other != own
		})
		if distinguishes {
			title += ", " + p.name + " " + own
		}
	}
	return title
}

// shortTitle returns the common model, recipe and dimension.
func (g group) shortTitle() string {
	title := commonTitle(g.all)
	if dim := g.rest.settings.Dim; dim > 0 {
		title += ", d " + format.Int(dim)
	}
	return title
}

// commonTitle returns what the trainings have in common of the model and the recipe.
func commonTitle(all []Repeats) string {
	first := all[0]
	same := func(of func(Repeats) string) bool {
		return !slices.ContainsFunc(all, func(r Repeats) bool { return of(r) != of(first) })
	}
	model := func(r Repeats) string { return r.first().Final.Title() }
	recipe := func(r Repeats) string { return r.first().Final.Recipe }
	switch {
	case same(Repeats.title):
		return first.title()
	case same(model):
		return model(first)
	case same(recipe):
		return recipe(first)
	}
	return format.Missing
}
