package main

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// block returns the final output of a search: the kept model, the model without a search, and what
// to do next.
func (s searchRun) block(r *search.Result) cli.Block {
	b := cli.Block{
		Title:      []string{s.state(r), s.identity.Dataset, s.amount(r), format.Brief(r.Seconds)},
		Unfinished: r.Stopped == search.Interrupted,
	}
	addHeadline(&b, s.report(r).Headline())
	s.addNotes(&b, r)
	if r.Artifact != nil {
		b.Next = append(b.Next, nextPrediction(s.out, s.Task))
	}
	place := studyPlace(s.settings.Study)
	if s.settings.Model == form.Bilinear {
		b.Next = append(b.Next, shellCommand([]string{"report", "--study", place}))
	}
	switch r.Stopped {
	case search.BudgetSpent, search.TimeLimitReached:
		finished := r.Plan != nil || r.Stopped == search.BudgetSpent
		b.Next = append(b.Next,
			shellCommand(resumption(place, finished, r.Plan, s.settings.Budget)))
	}
	return b
}

func (s searchRun) state(r *search.Result) string {
	switch r.Stopped {
	case search.Interrupted:
		return "search interrupted"
	case search.CannotSelect:
		return "default model trained"
	}
	return "search finished"
}

// amount returns how many structures or recipes were trained.
func (s searchRun) amount(r *search.Result) string {
	what := "structure"
	if s.settings.Model != form.Bilinear {
		what = "recipe"
	}
	switch budget := s.settings.Budget; {
	case r.Stopped == search.CannotSelect:
		return "no search"
	case r.Trained == 0:
		return "baselines only"
	case r.Trained < budget:
		return fmt.Sprintf("%d of %s", r.Trained, format.Count(budget, what))
	}
	return format.Count(r.Trained, what)
}

// addNotes adds what a reader must know about the result.
func (s searchRun) addNotes(b *cli.Block, r *search.Result) {
	switch {
	case r.Stopped == search.CannotSelect:
		b.Note("No structure can be selected: " + s.Task.CannotSelect() + ".")
	case r.Stopped == search.SpaceExhausted:
		b.Note("All structures of the search space were tried.")
	case r.Trained == 0 && r.Stopped != search.Interrupted:
		b.Note("No structure was trained: the deadline is too short.")
	}
	if diverged := r.Trained - r.Complete; diverged > 0 {
		b.Note(format.Count(diverged, "structure") + " diverged.")
	}
	if task.MixedEnginesWarning(task.Engines(r.Trials)) != "" {
		b.Note("Several engines trained the models: small differences may be rounding.")
	}
}

// addHeadline adds the rows of the kept model and of what it is compared with.
func addHeadline(b *cli.Block, h report.Headline) {
	addModel(b, "kept", h.Kept, errorAndHits(h.Kept))
	addModel(b, "baseline", h.Baseline, overBaseline(h.OverBaseline))
	addModel(b, "structure", h.Structure, string(h.StructureOver.Meaning))
}

// addModel adds the row of a model.
func addModel(b *cli.Block, label string, m *report.HeadlineModel, remark string) {
	switch {
	case m == nil:
	case m.Metric == "":
		b.Add(label, m.Name)
	default:
		b.Add(label, m.Name, m.Metric+" "+format.Cell(m.Score), remark)
	}
}

// errorAndHits returns the standard error of a model and its H@10.
func errorAndHits(m *report.HeadlineModel) (text string) {
	if m == nil {
		return ""
	}
	if m.Error > 0 {
		text = "± " + format.Cell(m.Error) + "  "
	}
	if m.Hits10 != nil {
		text += "H@10 " + format.Cell(*m.Hits10)
	}
	return text
}

// overBaseline says in words how the kept model compares with the baseline.
func overBaseline(g report.Gain) string {
	switch g.Meaning {
	case "":
		return ""
	case report.Better, report.Worse:
		return fmt.Sprintf("kept is %s (%s)", g.Meaning, format.Signed(g.By))
	}
	return fmt.Sprintf("%s (%s)", g.Meaning, format.Signed(g.By))
}
