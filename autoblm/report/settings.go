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
type setting struct{ name, value, byDefault, help string }

// settings lists all settings of the study with their defaults.
func (a *analysis) settings() []Part {
	s, defaults := a.About.Settings, a.defaultSettings()
	byDefault := map[string]string{}
	for _, d := range slices.Concat(settings.Of(defaults), a.Presentation.Defaults) {
		byDefault[d.Name] = d.Text()
	}
	rows := []setting{{"algorithm", a.About.Algorithm, "", "Strategy that proposes structures."}}
	if s.Budget > 0 {
		rows = append(rows, setting{
			"budget", fmt.Sprint(s.Budget), fmt.Sprint(defaults.Budget),
			"Number of structures to train.",
		})
	}
	for _, each := range slices.Concat(settings.Of(s), a.Presentation.Settings) {
		unused := !a.Presentation.ByRecipe && each.Name != "seed" && inRecipe[each.Name]
		if each.Omitted || unused {
			continue
		}
		help := each.Help
		if s.Tune != nil && slices.Contains(tunedSettings, each.Name) {
			help = strings.TrimSuffix(help, ".") + "; the tuned recipe replaces it."
		}
		rows = append(rows, setting{
			strings.ReplaceAll(each.Name, "_", " "), each.Text(),
			cmp.Or(byDefault[each.Name], format.Missing), help,
		})
	}
	if s.Predictor == nil {
		rows = append(rows, setting{
			"predictor", "none", byDefault["predictor features"], "Chooses among the candidates.",
		})
	}
	const caption = "The settings of the study; those that differ from the default stand out"
	t := page.NewTable(caption, rows,
		page.Text("setting", func(s setting) any { return s.name }),
		page.Number("value", func(s setting) any { return s.value }),
		page.Number("default", func(s setting) any { return s.byDefault }),
		page.Text("meaning", func(s setting) any { return s.help }))
	for i, row := range rows {
		t.Rows[i].Chosen = row.byDefault != "" && row.value != row.byDefault
	}
	return []Part{{Table: t}}
}

// tunedSettings names settings that the tuning stage replaces.
var tunedSettings = []string{"learning_rate", "n3", "training batch"}

// inRecipe has the names of the settings of a recipe.
var inRecipe = func() map[string]bool {
	names := map[string]bool{}
	for _, each := range settings.Of(task.Recipe{}) {
		names[each.Name] = true
	}
	return names
}()

// defaultSettings returns the default settings of a search for the task, with the stages of the
// study.
func (a *analysis) defaultSettings() search.Settings {
	defaults := search.DefaultSettings()
	if a.Defaults != nil {
		defaults = *a.Defaults
	}
	if tune := a.About.Settings.Tune; tune != nil && tune.Space == nil {
		defaults.Tune = search.DefaultTune()
	}
	if a.About.Settings.Final != nil {
		defaults.Final = search.DefaultFinal()
	}
	return defaults
}
