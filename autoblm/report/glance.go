package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// facts stand under the title.
func (o *outcome) facts() []string {
	trained, _ := o.seconds()
	facts := []string{
		o.Words.Purpose,
		fmt.Sprintf("%s trained in %s", format.Count(len(o.proposed), "structure"), duration(trained)),
		o.training(),
		o.engines(),
	}
	if !o.Date.IsZero() {
		facts = append([]string{o.Date.Format("2 January 2006")}, facts...)
	}
	if n := len(o.running); n > 0 {
		facts = append(facts, format.Count(n, "structure")+" without a result yet")
	}
	return slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
}

// training says how large and how long trainings were.
func (o *outcome) training() string {
	if !o.Words.ByRecipe {
		return o.Words.Training
	}
	training := o.recipe.Training
	return fmt.Sprintf("d %d%s, %s", training.Dim, training.Precision.Suffix(), format.Count(training.Epochs, "epoch"))
}

// engines did the arithmetic.
func (o *outcome) engines() string {
	names := task.Engines(o.Trials)
	for i := range names {
		names[i] = "engine " + names[i]
	}
	return format.List(names, "and")
}

// tiles are the numbers to see first.
func (o *outcome) tiles() []tile {
	var tiles []tile
	add := func(label string, t task.Trial, note string) {
		if t.TestScore != nil {
			note = strings.TrimSuffix(fmt.Sprintf("test %s, %s", format.Cell(t.TestScore), note), ", ")
		}
		tiles = append(tiles, tile{label, format.Cell(t.Score), note})
	}
	if len(o.found) > 0 {
		add("best found", o.found[0], guise(o.found[0]))
	}
	if o.bestNamed != nil {
		add("best human-designed", *o.bestNamed, title(o.bestNamed.Name))
	}
	if len(o.final) > 0 {
		add("last stage", o.final[0], fmt.Sprintf("d %d", o.final[0].Recipe.Training.Dim))
	}
	tiles = append(tiles, tile{"structures", format.Whole(len(o.proposed)), "trained in " + format.Count(len(o.rounds), "round")})
	if rho, n := rankCorrelation(o.found); n > 2 && !math.IsNaN(rho) {
		tiles = append(tiles, tile{"predictor", coefficient(rho), "Spearman, guesses and " + o.Words.Metric})
	}
	return tiles
}
