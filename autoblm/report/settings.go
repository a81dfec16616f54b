package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// settings lists all settings of the study beside the defaults.
func (o *outcome) settings() (section, error) {
	s := section{ID: "settings", Title: "All settings"}
	own, usual, err := o.ownSettings()
	if err != nil {
		return s, err
	}
	defaults := map[string]string{}
	for _, d := range o.meaningful(o.usualSettings(), usual) {
		defaults[d.Name] = d.Text()
	}
	t := &table{
		Caption: "The settings of the study; those that are not the default stand out",
		Columns: append(texts("setting"), append(numbers("value", "default"), texts("what it is")...)...),
	}
	t.add("algorithm", o.About.Algorithm, "", "How structures are proposed.")
	if o.About.Settings.Budget > 0 {
		t.add("budget", o.About.Settings.Budget, search.DefaultSettings().Budget, "How many structures to train.").Chosen = o.About.Settings.Budget != search.DefaultSettings().Budget
	}
	for _, each := range o.meaningful(o.About.Settings, own) {
		if each.Omitted {
			continue
		}
		usual := cmp.Or(defaults[each.Name], missing)
		means := each.Help
		if tuned := []string{"learning_rate", "n3", "training batch"}; o.About.Settings.Tune != nil && slices.Contains(tuned, each.Name) {
			means = strings.TrimSuffix(means, ".") + "; the recipe found by tuning replaces it."
		}
		t.add(strings.ReplaceAll(each.Name, "_", " "), each.Text(), usual, means).Chosen = each.Text() != usual
	}
	if o.About.Settings.Predictor == nil {
		t.add("predictor", "none", defaults["predictor features"], "What picks the candidates.").Chosen = true
	}
	s.Parts = []part{{Table: t}}
	return s, nil
}

// meaningful are the settings that mean something for the task: those of the search, then
// those of the task itself.
func (o *outcome) meaningful(s search.Settings, own any) []settings.Setting {
	all := settings.Of(s)
	if o.task == classes {
		all = slices.DeleteFunc(all, func(each settings.Setting) bool { return each.Name != "seed" && ofEmbeddings[each.Name] })
	}
	if own == nil {
		return all
	}
	return append(all, slices.DeleteFunc(settings.Of(own), func(each settings.Setting) bool {
		return each.Name == "convolution encoder" || each.Name == "convolution parts" // of which there is no choice
	})...)
}

// ofEmbeddings are the names of what is in a recipe, which trains embeddings.
var ofEmbeddings = func() map[string]bool {
	names := map[string]bool{}
	for _, each := range settings.Of(task.Recipe{}) {
		names[each.Name] = true
	}
	return names
}()

// ownSettings are those that the task has for itself, in the study and if nothing is
// said; nil where it has none.
func (o *outcome) ownSettings() (here, usual any, err error) {
	switch o.task {
	case queries:
		here, err = own[query.Own](o.Data)
		usual = query.Own{Paths: query.DefaultSettings().Paths}
	case classes:
		here, err = own[classSettings](o.Data)
		m := classify.DefaultMember()
		m.Seed = 0
		usual = classSettings{classify.Defaults(classify.BLM), m}
	}
	return here, usual, err
}

// usualSettings are the defaults of a search for the task, with the parts that the study
// has.
func (o *outcome) usualSettings() search.Settings {
	usual := search.DefaultSettings()
	if o.task == queries {
		own := query.DefaultSettings()
		usual.Training.Batch, usual.Training.Reciprocal, usual.N3 = own.Batch, own.Reciprocal, 0
	}
	if o.About.Settings.Tune != nil {
		usual.Tune = search.DefaultTune()
	}
	if o.About.Settings.Final != nil {
		usual.Final = search.DefaultFinal()
	}
	return usual
}
