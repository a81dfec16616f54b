package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
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
	byDefault := map[string]settings.Setting{}
	for _, d := range slices.Concat(settings.Of(defaults), a.Presentation.Defaults) {
		byDefault[d.Name] = d
	}
	rows := []setting{{
		"algorithm", a.About.Algorithm, strategy.Evolutionary{}.Name(),
		"Strategy that proposes structures.",
	}}
	if s.Budget > 0 {
		rows = append(rows, setting{
			"budget", fmt.Sprint(s.Budget), fmt.Sprint(defaults.Budget),
			"Number of structures to train.",
		})
	}
	if limit := a.Asked.Settings.TimeLimit; limit > 0 {
		rows = append(rows, setting{
			"time limit", duration(limit.Seconds()), "none", "Time of the search, with all stages.",
		})
	}
	for _, each := range slices.Concat(settings.Of(s), a.Presentation.Settings) {
		d, hasDefault := byDefault[each.Name]
		tuned := a.tunedValue(each)
		if isOff := each.Omitted && (!hasDefault || d.Omitted); isOff && tuned == "" || a.isUnused(each) {
			continue
		}
		help := each.Help
		if strings.Contains(each.Name, " space ") {
			help = "Values to try."
		}
		if tuned != "" {
			help = strings.TrimSuffix(help, ".") + "; the tuned recipe has " + tuned + "."
		}
		row := setting{strings.ReplaceAll(each.Name, "_", " "), orNone(each.Text()), format.Missing, help}
		if hasDefault {
			row.byDefault = orNone(d.Text())
		}
		rows = append(rows, row)
	}
	if s.Tune == nil && defaults.Tune != nil {
		rows = append(rows, setting{
			"tune", "none", fmt.Sprint(defaults.Tune.Trials), "Recipes to try before the search.",
		})
	}
	if s.Predictor == nil {
		rows = append(rows, setting{
			"predictor", "none", byDefault["predictor features"].Text(), "Chooses among the candidates.",
		})
	}
	caption := "The settings of the study; those that differ from the default stand out"
	if a.Plan != nil {
		caption += "; a choice of the plan counts as the default"
	}
	t := page.NewTable(caption, rows,
		page.Text("setting", func(s setting) any { return s.name }),
		page.Text("value", func(s setting) any { return s.value }),
		page.Text("default", func(s setting) any { return s.byDefault }),
		page.Text("meaning", func(s setting) any { return s.help }))
	for i, row := range rows {
		t.Rows[i].Chosen = row.byDefault != "" && row.value != row.byDefault
	}
	return []Part{{Table: t}}
}

// isUnused reports whether a setting has no effect in the study, or only says what the plan may choose.
func (a *analysis) isUnused(s settings.Setting) bool {
	all := a.About.Settings
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }
	switch {
	case hasPrefix("planned "):
		return true
	case hasPrefix("tune ranges "):
		return all.Tune.Space != nil
	case hasPrefix("retrain_") && s.Name != "retrain_seeds", s.Name == "ensemble":
		return all.RetrainSeeds == 0
	}
	return !a.Presentation.ByRecipe && s.Name != "seed" && inRecipe[s.Name]
}

func orNone(text string) string { return cmp.Or(text, "none") }

// tunedValue returns the value of a setting that the tuning stage has replaced, or "".
func (a *analysis) tunedValue(s settings.Setting) string {
	if a.About.Settings.Tune == nil || !inRecipe[s.Name] {
		return ""
	}
	for _, tuned := range settings.Of(a.recipe) {
		if tuned.Name == s.Name && tuned.Text() != s.Text() {
			return orNone(tuned.Text())
		}
	}
	return ""
}

// inRecipe has the names of the settings of a recipe.
var inRecipe = func() map[string]bool {
	names := map[string]bool{}
	for _, each := range settings.Of(task.Recipe{}) {
		names[each.Name] = true
	}
	return names
}()

// defaultSettings returns the default settings of a search for the task, with the stages of the
// study and the choices of its plan.
func (a *analysis) defaultSettings() search.Settings {
	defaults := search.DefaultSettings()
	switch {
	case a.Defaults != nil:
		defaults = *a.Defaults
	case a.Asked.Settings.TimeLimit > 0:
		defaults = search.TimedSettings()
	}
	s := a.About.Settings
	if s.Tune != nil && s.Tune.Space == nil {
		defaults.Tune = search.DefaultTune()
	}
	if s.Final != nil {
		defaults.Final = search.DefaultFinal()
	}
	if a.Plan == nil || s.Planned == nil {
		return defaults
	}
	training := defaults.Training
	if defaults.Planned = s.Planned; defaults.Tune == nil {
		defaults.Tune = s.Tune
	}
	defaults = a.Plan.Apply(defaults)
	if !s.Planned.Dim {
		defaults.Training.Dim = training.Dim
	}
	if !s.Planned.Epochs {
		defaults.Training.Epochs, defaults.Training.MaxSteps = training.Epochs, training.MaxSteps
	}
	return defaults
}
