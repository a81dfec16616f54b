package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// column is one of a table of trials.
type column = page.Column[task.Trial]

var (
	trialNumber  = page.Number("trial", func(t task.Trial) any { return fmt.Sprint(t.Number) })
	stage        = page.Text("stage", func(t task.Trial) any { return t.Stage })
	learningRate = page.Number("learning rate", func(t task.Trial) any { return fmt.Sprintf("%.3g", t.Recipe.LearningRate) })
	n3           = page.Number("n3", func(t task.Trial) any { return fmt.Sprintf("%.2g", t.Recipe.N3) })
	dim          = page.Number("d", func(t task.Trial) any { return fmt.Sprint(t.Recipe.Training.Dim) })
	batch        = page.Number("batch", func(t task.Trial) any { return fmt.Sprint(t.Recipe.Training.Batch) })
)

// named has names of trials by their numbers.
func named(title string, names map[int]string) column {
	return page.Text(title, func(t task.Trial) any { return names[t.Number] })
}

func structureAs(title string) column {
	return page.Text(title, func(t task.Trial) any { return t.Structure })
}

func (o *outcome) score() column {
	return page.Number(o.Words.Valid, func(t task.Trial) any { return t.Score })
}

func (o *outcome) testScore() column {
	return page.Number(o.Words.Test, func(t task.Trial) any { return t.TestScore })
}
