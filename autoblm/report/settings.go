package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// setting is a row of the table of settings.
type setting struct{ name, value, usual, means string }

// settings lists all settings of the study beside the defaults.
func (o *outcome) settings() []part {
	of, usual := o.About.Settings, o.usual()
	defaults := map[string]string{}
	for _, d := range slices.Concat(settings.Of(usual), o.Words.Defaults) {
		defaults[d.Name] = d.Text()
	}
	rows := []setting{{"algorithm", o.About.Algorithm, "", "How structures are proposed."}}
	if of.Budget > 0 {
		rows = append(rows, setting{"budget", fmt.Sprint(of.Budget), fmt.Sprint(usual.Budget), "How many structures to train."})
	}
	for _, each := range slices.Concat(settings.Of(of), o.Words.Settings) {
		if each.Omitted || !o.Words.ByRecipe && each.Name != "seed" && inRecipe[each.Name] {
			continue
		}
		means := each.Help
		if of.Tune != nil && slices.Contains([]string{"learning_rate", "n3", "training batch"}, each.Name) {
			means = strings.TrimSuffix(means, ".") + "; the recipe found by tuning replaces it."
		}
		rows = append(rows, setting{strings.ReplaceAll(each.Name, "_", " "), each.Text(), cmp.Or(defaults[each.Name], format.Missing), means})
	}
	if of.Predictor == nil {
		rows = append(rows, setting{"predictor", "none", defaults["predictor features"], "What picks the candidates."})
	}
	t := page.NewTable("The settings of the study; those that are not the default stand out", rows,
		page.Text("setting", func(s setting) any { return s.name }),
		page.Number("value", func(s setting) any { return s.value }),
		page.Number("default", func(s setting) any { return s.usual }),
		page.Text("what it is", func(s setting) any { return s.means }))
	for i, row := range rows {
		t.Rows[i].Chosen = row.usual != "" && row.value != row.usual
	}
	return []part{{Table: t}}
}

// inRecipe are the names of the settings of a recipe.
var inRecipe = func() map[string]bool {
	names := map[string]bool{}
	for _, each := range settings.Of(task.Recipe{}) {
		names[each.Name] = true
	}
	return names
}()

// usual are the defaults of a search for the task, with the stages that the study has.
func (o *outcome) usual() search.Settings {
	usual := search.DefaultSettings()
	if o.Usual != nil {
		usual = *o.Usual
	}
	if tune := o.About.Settings.Tune; tune != nil && tune.Space == nil {
		usual.Tune = search.DefaultTune()
	}
	if o.About.Settings.Final != nil {
		usual.Final = search.DefaultFinal()
	}
	return usual
}
