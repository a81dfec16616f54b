package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// metrics returns the metrics of the best models, also by parts of the data if these are
// available.
func (a *analysis) metrics() []Part {
	if a.best == nil || a.Presentation.Metrics == nil {
		return nil
	}
	var compared []task.LabeledTrial
	add := func(label string, t task.Trial) {
		compared = append(compared, task.LabeledTrial{Label: label, Trial: t})
	}
	if k := a.kept; k != nil && !search.IsCandidate(*k) {
		add("Kept: "+a.trialName(*k), *k)
	}
	if a.bestSearched != nil {
		add("Best found", *a.bestSearched)
	}
	if len(a.final) > 0 {
		add("Best of the final stage", a.final[0])
	}
	if a.bestBaseline != nil {
		add(structure.TitleOf(a.bestBaseline.Name), *a.bestBaseline)
	}
	parts := layOut(a.Presentation.Metrics(compared))
	switch {
	case a.Measures != nil:
		parts = append(parts, layOut(a.Measures.Best)...)
	case a.NoData != "" && a.Presentation.Breakdown != "":
		text := fmt.Sprintf("By %s: %s", a.Presentation.Breakdown, a.NoData)
		parts = append(parts, Part{Text: text})
	}
	return parts
}

// data describes the data.
func (a *analysis) data() []Part {
	switch {
	case a.Measures != nil:
		return layOut(a.Measures.Data)
	case a.NoData != "":
		text := fmt.Sprintf("The data of %s are not available: %s", a.About.Dataset, a.NoData)
		return []Part{{Text: text}}
	}
	return nil
}

// layOut converts the parts of a task.
func layOut(parts []page.Part) []Part {
	all := make([]Part, len(parts))
	for i, p := range parts {
		all[i] = Part{Heading: p.Heading, Text: p.Text, Table: p.Table}
	}
	return all
}
