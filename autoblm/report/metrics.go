package report

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// metrics returns the metrics of the models in the headline, also by parts of the data if these are
// available.
func (a *analysis) metrics() []Part {
	if a.best == nil || a.Presentation.Metrics == nil {
		return nil
	}
	var compared []task.LabeledTrial
	add := func(label string, t task.Trial) {
		isSame := func(c task.LabeledTrial) bool { return c.Number == t.Number }
		if slices.ContainsFunc(compared, isSame) {
			return
		}
		if t.Stage == task.Retraining { // its seed is one of several
			label += fmt.Sprintf(", seed %d", t.Recipe.Seed)
		}
		compared = append(compared, task.LabeledTrial{Label: label, Trial: t})
	}
	if k := a.kept; k != nil && !search.IsCandidate(*k) {
		add("Kept: "+a.nameWithRecipe(*k), *k)
	}
	full := search.FinalOf(a.fullSize())
	if t := a.unlessKept(full.Found, a.bestSearched); t != nil {
		add("Best found", *t)
	}
	if len(a.final) > 0 {
		add("Best of the final stage", a.final[0])
	}
	if t := a.unlessKept(full.Baseline, a.bestBaseline); t != nil {
		add(t.ModelName(), *t)
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

// unlessKept returns the first complete trial of a retrained model, or else another trial; nil if
// the retrained model is the kept one.
func (a *analysis) unlessKept(r *search.Retrained, otherwise *task.Trial) *task.Trial {
	if r == nil {
		return otherwise
	}
	for _, t := range r.Trials {
		if a.kept != nil && t.Number == a.kept.Number && !search.IsCandidate(t) {
			return nil
		}
	}
	isComplete := func(t task.Trial) bool { return t.State == task.Complete }
	if i := slices.IndexFunc(r.Trials, isComplete); i >= 0 {
		return &r.Trials[i]
	}
	return nil
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
