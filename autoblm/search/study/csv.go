package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// WriteCSV writes a line for each trial below a line with the names of the
// columns, among them the given ones, as [task.Presentation] has them. Numbers have all the
// digits that tell them apart, features are the SRF (paper, Algorithm 2) as zeros and
// ones, and what a trial does not have is empty: all of the recipe but its seed where
// trials are not trained by it.
func WriteCSV(w io.Writer, trials []task.Trial, byRecipe bool, fields []task.Column) error {
	columns := columnsFor(byRecipe, fields)
	lines := csv.NewWriter(w)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if err := lines.Write(names); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	for _, t := range trials {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(t)
		}
		if err := lines.Write(cells); err != nil {
			return fmt.Errorf("cannot write the trials: %w", err)
		}
	}
	lines.Flush()
	if err := lines.Error(); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	return nil
}

type column struct {
	name string
	cell func(task.Trial) string
}

func columnsFor(byRecipe bool, fields []task.Column) []column {
	recipe := append(recipeColumns(), column{"epochs_trained", func(t task.Trial) string { return strconv.Itoa(len(t.Loss)) }}, column{"last_loss", lastLoss})
	for i := range recipe {
		if !byRecipe && recipe[i].name != "seed" {
			recipe[i].cell = func(task.Trial) string { return "" }
		}
	}
	var own []column
	for _, f := range fields {
		own = append(own, column{f.Name, func(t task.Trial) string { return exactIfAny(f.Value(t)) }})
	}
	return slices.Concat([]column{
		{"number", func(t task.Trial) string { return strconv.Itoa(t.Number) }},
		{"stage", func(t task.Trial) string { return string(t.Stage) }},
		{"round", func(t task.Trial) string { return strconv.Itoa(t.Round) }},
		{"name", func(t task.Trial) string { return t.Name }},
		{"state", func(t task.Trial) string { return string(t.State) }},
		{"structure", func(t task.Trial) string { return t.Structure.String() }},
		{"canonical", func(t task.Trial) string { return t.Canonical().String() }},
		{"features", features},
	}, recipe, []column{
		{"prediction", func(t task.Trial) string { return exactIfAny(t.Prediction) }},
		{"score", func(t task.Trial) string { return exactIfAny(t.Score) }},
		{"test_score", func(t task.Trial) string { return exactIfAny(t.TestScore) }},
	}, own, []column{
		{"seconds", func(t task.Trial) string { return exact(t.Seconds) }},
		{"engine", func(t task.Trial) string { return t.Engine }},
		{"backend", func(t task.Trial) string { return t.Backend }},
		{"error", func(t task.Trial) string { return t.Error }},
		{"kept", func(t task.Trial) string { return strconv.FormatBool(t.Kept) }},
	})
}

// recipeColumns are the settings of a recipe.
func recipeColumns() []column {
	var all []column
	for i, s := range settings.Of(task.Recipe{}) {
		all = append(all, column{strings.TrimPrefix(s.Name, "training "), func(t task.Trial) string { return settings.Of(t.Recipe)[i].Text() }})
	}
	return all
}

func lastLoss(t task.Trial) string {
	if len(t.Loss) == 0 {
		return ""
	}
	return exact(t.Loss[len(t.Loss)-1])
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// exactIfAny is empty where there is no number.
func exactIfAny(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}

// features are the SRF, a digit each.
func features(t task.Trial) string {
	var digits strings.Builder
	for _, bit := range t.Structure.SRF() {
		digits.WriteByte('0' + bit)
	}
	return digits.String()
}
