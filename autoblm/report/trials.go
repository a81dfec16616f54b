package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Trials is the table of all trials.
type Trials struct {
	Valid string     `json:"valid"` // names of the scores
	Test  string     `json:"test"`
	Rows  []TrialRow `json:"rows"`
}

// TrialRow is a row of the table of trials.
type TrialRow struct {
	Number    int      `json:"number"`
	Stage     string   `json:"stage"`
	Name      string   `json:"name"`
	Structure string   `json:"structure,omitempty"`
	Valid     *float64 `json:"valid"`
	Test      *float64 `json:"test"`
	Dim       int      `json:"dim,omitempty"`
	Epochs    int      `json:"epochs,omitempty"`
	Seconds   float64  `json:"seconds"`
	Note      string   `json:"note,omitempty"`
	Kept      bool     `json:"kept,omitempty"`
}

// trials shows all trials as a chart and a table.
func (a *analysis) trials() []Part {
	if len(a.Trials) == 0 {
		return nil
	}
	table := &Trials{Valid: a.Presentation.Valid, Test: a.Presentation.Test}
	for _, t := range a.Trials {
		table.Rows = append(table.Rows, a.trialRow(t))
	}
	if chart := a.trialsChart(); chart != nil {
		return []Part{{Chart: chart}, {Trials: table}}
	}
	return []Part{{Trials: table}}
}

func (a *analysis) trialRow(t task.Trial) TrialRow {
	row := TrialRow{
		Number: t.Number, Stage: stageName(t), Name: a.trialName(t),
		Valid: t.Score, Test: t.TestScore, Seconds: t.Seconds, Note: a.trialNote(t),
		Kept: a.kept != nil && t.Number == a.kept.Number,
	}
	if t.Ensemble != nil {
		row.Valid = nil // of held-out data, as the note says
	} else {
		row.Structure = t.Structure.String()
		if a.Presentation.ByRecipe {
			row.Dim, row.Epochs = t.Recipe.Training.Dim, cmp.Or(len(t.Loss), t.Recipe.Training.Epochs)
		}
	}
	return row
}

// trialName names the model of a trial. A structure that was found is named by its rank.
func (a *analysis) trialName(t task.Trial) string {
	if t.Name == "" && t.Ensemble == nil && t.Stage != task.Tuning {
		isFound := func(found task.Trial) bool { return found.Model() == t.Model() }
		at := slices.IndexFunc(a.found, isFound)
		if at < 0 && t.Stage != task.Searching && t.Stage != task.HalvingRung {
			at = slices.IndexFunc(a.found, t.IsEquivalent) // tuning moved chunks to other blocks
		}
		if at >= 0 {
			return fmt.Sprintf("found %d", at+1)
		}
	}
	return t.ModelName()
}

func (a *analysis) trialNote(t task.Trial) string {
	switch {
	case t.HasFailed():
		return string(t.State)
	case t.State == task.Running:
		return "no result yet"
	case t.StoppedEarly:
		return "stopped early"
	case t.Ensemble != nil && t.Score != nil:
		return "validation " + format.Cell(t.Score) + " on held-out data"
	}
	return messageOr(t, equivalence(t))
}

// messageOr describes the structure of an encoder's messages, or returns another text if there is none
// or it is that of the decoder.
func messageOr(t task.Trial, otherwise string) string {
	if message := t.Message(); message.K() > 0 && message != t.Structure {
		return "message " + message.String()
	}
	return otherwise
}

// stageNames are the stages of trials in words, in the order of the legend.
var stageNames = []struct {
	stage task.Stage
	name  string
}{
	{task.Searching, "search"},
	{task.HalvingRung, "rung, fewer epochs"},
	{task.Tuning, "tuning"},
	{task.Default, "default model"},
	{task.TuningEach, "tuning of each model"},
	{task.Sizing, "dimensions"},
	{task.Retraining, "retraining"},
	{task.Final, "final stage"},
	{task.EnsembleSelection, "ensemble"},
	{task.Resplit, "other split"},
}

// stageName returns the stage of a trial; baselines of the search have their own.
func stageName(t task.Trial) string {
	if t.Stage == task.Searching && study.IsBaseline(t) {
		return "baseline"
	}
	for _, s := range stageNames {
		if s.stage == t.Stage {
			return s.name
		}
	}
	return string(t.Stage)
}

// fewestTrials is the smallest number of trials for a chart.
const fewestTrials = 5

// trialsChart plots the score of each trial by its number. Scores on other splits, and those of
// ensembles on held-out data, are not comparable and left out. It returns nil for a few trials, which the table shows as well.
func (a *analysis) trialsChart() *Chart {
	complete := slices.DeleteFunc(slices.Clone(a.Trials), func(t task.Trial) bool {
		return t.State != task.Complete || t.Score == nil || t.Stage == task.Resplit || t.Ensemble != nil
	})
	if len(complete) < fewestTrials {
		return nil
	}
	low := lowest(complete)
	byStage := map[string][]Point{}
	below := 0
	for _, t := range complete {
		if *t.Score < low {
			below++
			continue
		}
		point := Point{X: float64(t.Number), Y: *t.Score, Trial: t.Number}
		byStage[stageName(t)] = append(byStage[stageName(t)], point)
	}
	chart := &Chart{
		Label: capital(a.Presentation.Validation) + " of the trials by number; " +
			"the table has the same numbers",
		X: "trial", Y: a.Presentation.Validation,
	}
	names := []string{"baseline"}
	for _, s := range stageNames {
		names = append(names, s.name)
	}
	for _, name := range names {
		if points := byStage[name]; len(points) > 0 {
			chart.Series = append(chart.Series, Series{name, Dots, points})
		}
	}
	if best := a.bestSoFar(); len(best) > 1 {
		chart.Series = append(chart.Series, Series{"best of the search", Steps, best})
	}
	if b := a.bestBaseline; b != nil && b.ScoreOrZero() >= low {
		first, last := complete[0].Number, complete[len(complete)-1].Number
		chart.Series = append(chart.Series, Series{
			"best baseline of the search, " + structure.TitleOf(b.Name), Level,
			[]Point{{X: float64(first), Y: *b.Score}, {X: float64(last), Y: *b.Score}},
		})
	}
	chart.Caption = "Point at a trial, or use the arrow keys, to see its structure. " +
		"Click, or press Enter, to find it in the table."
	if below > 0 {
		chart.Caption += fmt.Sprintf(" Not drawn: %s far below.", format.Count(below, "trial"))
	}
	return chart
}

// bestSoFar returns the best score of the structures of the search by the number of the trial.
func (a *analysis) bestSoFar() []Point {
	var points []Point
	proposed := slices.SortedFunc(slices.Values(a.found), func(x, y task.Trial) int {
		return cmp.Compare(x.Number, y.Number)
	})
	for _, t := range proposed {
		y := t.ScoreOrZero()
		if n := len(points); n > 0 {
			y = max(y, points[n-1].Y)
		}
		points = append(points, Point{X: float64(t.Number), Y: y, Trial: 0})
	}
	return points
}
