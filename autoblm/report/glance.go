package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// facts returns the line under the title.
func (a *analysis) facts() []string {
	trained, _ := a.seconds()
	structures := format.Count(a.trained, "structure")
	facts := []string{
		a.Presentation.Purpose,
		fmt.Sprintf("%s trained in %s", structures, duration(trained)),
		a.training(),
		a.engines(),
	}
	if !a.Date.IsZero() {
		facts = append([]string{a.Date.Format("2 January 2006")}, facts...)
	}
	if n := len(a.running); n > 0 {
		facts = append(facts, format.Count(n, "structure")+" without a result yet")
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

// tiles returns the main numbers.
func (a *analysis) tiles() []tile {
	var tiles []tile
	add := func(label string, t task.Trial, note string) {
		if t.TestScore != nil {
			note = fmt.Sprintf("test %s, %s", format.Cell(t.TestScore), note)
			note = strings.TrimSuffix(note, ", ")
		}
		tiles = append(tiles, tile{label, format.Cell(t.Score), note})
	}
	if len(a.found) > 0 {
		add("best found", a.found[0], equivalence(a.found[0]))
	}
	if a.bestBaseline != nil {
		add("best baseline", *a.bestBaseline, structure.TitleOf(a.bestBaseline.Name))
	}
	if len(a.final) > 0 {
		add("final stage", a.final[0], fmt.Sprintf("d %d", a.final[0].Recipe.Training.Dim))
	}
	if k := a.kept; k != nil && k.Stage != task.Searching && k.Stage != task.Final {
		add("kept model", *k, a.label(*k))
	}
	tiles = append(tiles, tile{
		"structures", format.Int(a.trained),
		"trained in " + format.Count(len(a.rounds), "round"),
	})
	if rho, n := rankCorrelation(a.found); n > 2 && !math.IsNaN(rho) {
		note := "Spearman, predictions and " + a.Presentation.Metric
		tiles = append(tiles, tile{"predictor", coefficient(rho), note})
	}
	return tiles
}
