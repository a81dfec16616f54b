package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// facts returns the line under the title.
func (a *analysis) facts() []string {
	result := a.Result()
	facts := []string{
		a.Presentation.Purpose,
		a.State().String(),
		study.Amount(result) + " in " + duration(result.Seconds),
		a.training(),
		a.engines(),
	}
	if !a.Date.IsZero() {
		facts = append([]string{a.Date.Format("2 January 2006")}, facts...)
	}
	if n := len(a.running); n > 0 {
		facts = append(facts, format.Count(n, "trial")+" without a result yet")
	}
	return slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
}

// training returns the size and the length of trainings.
func (a *analysis) training() string {
	if !a.Presentation.ByRecipe {
		return a.Presentation.Training
	}
	s := a.recipe.Training
	return fmt.Sprintf("d %d%s, %s", s.Dim, s.Precision.Suffix(), format.Count(s.Epochs, "epoch"))
}

func (a *analysis) engines() string {
	names := task.Engines(a.Trials)
	for i := range names {
		names[i] = "engine " + names[i]
	}
	return format.List(names, "and")
}

// title returns the title of the page.
func (a *analysis) title() string {
	if a.About.Dataset == "" {
		return algorithm(a.About.Algorithm)
	}
	return fmt.Sprintf("%s on %s", algorithm(a.About.Algorithm), a.About.Dataset)
}

// algorithm returns the title of a strategy.
func algorithm(name string) string {
	if rest, ours := strings.CutPrefix(name, "autoblm"); ours {
		return "AutoBLM" + rest
	}
	switch name {
	case "":
		return "Search"
	case "tpe":
		return "TPE"
	}
	return capital(name)
}

func (a *analysis) commands() []Part {
	var parts []Part
	for _, c := range a.Commands {
		parts = append(parts, Part{Command: &c})
	}
	return parts
}
