package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// WriteCSV writes a line of column names and a line for each trial. The fields are the columns of a
// task. Numbers have enough digits to be read back exactly. The column "features" has the SRF
// (paper, Algorithm 2) as zeros and ones. If byRecipe is false, trials use only the seed of their
// recipes, and the other columns of the recipe are empty.
func WriteCSV(w io.Writer, trials []task.Trial, byRecipe bool, fields []task.Column) error {
	columns := columnsFor(byRecipe, fields)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	lines := [][]string{names}
	for _, t := range trials {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(t)
		}
		lines = append(lines, cells)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	return nil
}

type column struct {
	name string
	cell func(task.Trial) string
}

func columnsFor(byRecipe bool, fields []task.Column) []column {
	columns := []column{
		{"number", func(t task.Trial) string { return strconv.Itoa(t.Number) }},
		{"stage", func(t task.Trial) string { return string(t.Stage) }},
		{"round", func(t task.Trial) string { return strconv.Itoa(t.Round) }},
		{"split", func(t task.Trial) string { return strconv.Itoa(t.Split) }},
		{"name", nameOf},
		{"state", func(t task.Trial) string { return string(t.State) }},
		{"structure", func(t task.Trial) string { return t.Structure.String() }},
		{"canonical", func(t task.Trial) string { return t.Canonical().String() }},
		{"features", features},
	}
	columns = append(columns, recipeColumns(byRecipe)...)
	columns = append(columns,
		column{"prediction", func(t task.Trial) string { return optional(t.Prediction) }},
		column{"score", func(t task.Trial) string { return optional(t.Score) }},
		column{"test_score", func(t task.Trial) string { return optional(t.TestScore) }})
	for _, f := range fields {
		cell := func(t task.Trial) string { return optional(f.Value(t)) }
		columns = append(columns, column{f.Name, cell})
	}
	return slices.Concat(columns, []column{
		{"seconds", func(t task.Trial) string { return exact(t.Seconds) }},
		{"stopped_early", func(t task.Trial) string { return strconv.FormatBool(t.StoppedEarly) }},
		{"engine", func(t task.Trial) string { return t.Engine }},
		{"backend", func(t task.Trial) string { return t.Backend }},
		{"error", func(t task.Trial) string { return t.Error }},
		{"kept", func(t task.Trial) string { return strconv.FormatBool(t.Kept) }},
	})
}

// nameOf returns the name of a baseline, or of a form without a structure.
func nameOf(t task.Trial) string {
	if t.Name == "" && t.Form != form.Bilinear {
		return t.Form.String()
	}
	return t.Name
}

// recipeColumns returns the settings of the recipe and the training losses.
func recipeColumns(byRecipe bool) (columns []column) {
	for i, s := range settings.Of(task.Recipe{}) {
		name := strings.TrimPrefix(s.Name, "training ")
		cell := func(t task.Trial) string { return settings.Of(t.Recipe)[i].Text() }
		columns = append(columns, column{name, cell})
	}
	epochs := func(t task.Trial) string { return strconv.Itoa(len(t.Loss)) }
	columns = append(columns, column{"epochs_trained", epochs}, column{"last_loss", lastLoss})
	if !byRecipe {
		for i := range columns {
			if columns[i].name != "seed" {
				columns[i].cell = func(task.Trial) string { return "" }
			}
		}
	}
	return columns
}

func lastLoss(t task.Trial) string {
	if len(t.Loss) == 0 {
		return ""
	}
	return exact(t.Loss[len(t.Loss)-1])
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}

// features returns the SRF, one digit per feature.
func features(t task.Trial) string {
	var digits strings.Builder
	for _, bit := range t.Structure.SRF() {
		digits.WriteByte('0' + bit)
	}
	return digits.String()
}
