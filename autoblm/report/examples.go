package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// predictions shows answers of the kept model.
func (a *analysis) predictions() []Part {
	if a.Measures == nil || len(a.Measures.Examples.Queries) == 0 {
		return nil
	}
	text := "Answers of the kept model, " + a.Measures.Examples.Note + "."
	if slices.ContainsFunc(a.Measures.Examples.Queries, hasMissed) {
		text += fmt.Sprintf(" ✗ is a correct answer below the best %d.", task.ShownAnswers)
	}
	return []Part{{Text: text, Predictions: a.Measures.Examples.Queries}}
}

func hasMissed(e task.Example) bool {
	return slices.ContainsFunc(e.Answers, func(a task.ExampleAnswer) bool {
		return a.Rank > task.ShownAnswers
	})
}

// entities shows the embeddings of the kept model on a plane.
func (a *analysis) entities() []Part {
	if a.Measures == nil || a.Measures.Map == nil || len(a.Measures.Map.Places) < 3 {
		return nil
	}
	return drawMap(a.Measures.Map)
}

// drawMap returns a chart with a series for each group of entities, the largest first.
func drawMap(m *task.Map) []Part {
	groups := map[string][]Point{}
	for _, p := range m.Places {
		groups[p.Group] = append(groups[p.Group], Point{X: p.X, Y: p.Y, Label: p.Name})
	}
	chart := &Chart{Label: "Embeddings of the entities on a plane", Caption: m.Note}
	names := slices.SortedFunc(maps.Keys(groups), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(groups[y]), len(groups[x])), cmp.Compare(x, y))
	})
	for _, name := range names {
		if name != "" {
			chart.Series = append(chart.Series, Series{name, Dots, groups[name]})
		}
	}
	if others := groups[""]; len(others) > 0 {
		chart.Series = append(chart.Series, Series{"other", Dots, others})
	}
	return []Part{{Chart: chart}}
}
