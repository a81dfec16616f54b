package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// column is a column of a table of trials.
type column = page.Column[task.Trial]

var (
	trialNumber  = page.Number("trial", func(t task.Trial) any { return fmt.Sprint(t.Number) })
	stage        = page.Text("stage", func(t task.Trial) any { return t.Stage })
	learningRate = page.Number("learning rate", func(t task.Trial) any {
		return fmt.Sprintf("%.3g", t.Recipe.LearningRate)
	})
	n3  = page.Number("n3", func(t task.Trial) any { return fmt.Sprintf("%.2g", t.Recipe.N3) })
	dim = page.Number("d", func(t task.Trial) any {
		return fmt.Sprint(t.Recipe.Training.Dim)
	})
	batch = page.Number("batch", func(t task.Trial) any {
		return fmt.Sprint(t.Recipe.Training.Batch)
	})
)

// labels shows labels of trials by their numbers.
func labels(title string, byNumber map[int]string) column {
	return page.Text(title, func(t task.Trial) any { return byNumber[t.Number] })
}

func structureColumn(title string) column {
	return page.Text(title, func(t task.Trial) any {
		if t.Form != form.Bilinear {
			return t.Form
		}
		return t.Structure
	})
}

func (a *analysis) score() column {
	return page.Number(a.Presentation.Valid, func(t task.Trial) any { return t.Score })
}

func (a *analysis) testScore() column {
	return page.Number(a.Presentation.Test, func(t task.Trial) any { return t.TestScore })
}
