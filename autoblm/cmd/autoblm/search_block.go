package main

import (
	"cmp"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// block returns the final output of a search: the kept model, the model without a search, and what
// to do next.
func (s searchRun) block(r *search.Result) cli.Block {
	b := cli.Block{
		Title:      []string{s.state(r), s.identity.Dataset, study.Amount(r), format.Brief(r.Seconds)},
		Unfinished: r.Stopped == search.Interrupted,
	}
	addHeadline(&b, s.report(r).Headline())
	s.addNotes(&b, r)
	if r.Artifact != nil {
		b.Next = append(b.Next, nextPrediction(s.out, s.Task))
	}
	place := studyPlace(s.settings.Study)
	b.Next = append(b.Next, nextReport(place, s.settings.Model, r)...)
	if resume := resumption(place, r); resume != nil && r.Stopped != search.Interrupted {
		b.Next = append(b.Next, shellCommand(resume))
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

// addNotes adds what a reader must know about the result.
func (s searchRun) addNotes(b *cli.Block, r *search.Result) {
	what := r.Settings.TrialName()
	switch {
	case r.Stopped == search.CannotSelect:
		b.Note("No structure can be selected: " + s.Task.CannotSelect() + ".")
	case r.Stopped == search.SpaceExhausted:
		b.Note("The search ended early: " + cmp.Or(r.Note, "there was nothing new to propose") + ".")
	case r.Trained == 0 && r.Stopped != search.Interrupted:
		why := "the deadline is too short"
		if s.trained != nil {
			why += ", or the cluster has no worker (autoblm cluster status)"
		}
		b.Note("No " + what + " was trained: " + why + ".")
	}
	if failed := r.Trained - r.Complete; failed > 0 {
		why := " diverged."
		if reason := task.WhyLost(r.Trials); reason != "" {
			why = " diverged or were lost: " + reason + "."
		}
		b.Note(format.Count(failed, what) + why)
	}
	noteRecipe(b, r)
	noteEngines(b, task.Engines(r.Trials))
}

// noteRecipe names the recipe of the kept model, if models have their own.
func noteRecipe(b *cli.Block, r *search.Result) {
	if len(r.TunedEach) == 0 || r.Kept == nil || r.Kept.Ensemble != nil {
		return
	}
	text := "Recipe of the kept model: " + r.Kept.Recipe.Terms()
	if k := r.Kept; k.Name != "" && k.HasBlocks() && !k.Structure.IsBaseline() {
		text += ", structure " + k.Structure.String() // the baseline's, with its chunks in other blocks
	}
	b.Note(text + ".")
}

// noteEngines says that the trials come from several engines.
func noteEngines(b *cli.Block, engines []string) {
	if len(engines) > 1 {
		b.Note("Several engines, " + format.List(engines, "and") +
			", trained the models: small differences may be rounding.")
	}
}

// addHeadline adds rows for the kept model, the baseline and the best structure.
func addHeadline(b *cli.Block, h report.Headline) {
	metric := strings.ReplaceAll(h.Metric, "validation", "valid")
	add := func(label, name string, m *report.Model, remark string) {
		score := ""
		if m.Score > 0 {
			score = metric + " " + format.Cell(m.Score)
		}
		b.Add(label, name, score, remark)
	}
	if k := h.Kept; k != nil {
		remark := errorAndHits(k)
		if h.HeldOut {
			remark = "on held-out triples, where it is ahead"
		}
		add("kept", shortName(k), k, remark)
	}
	if m := h.Baseline; m != nil && (h.Kept == nil || h.Kept.Name != m.Name) {
		remark := ""
		if h.Kept != nil {
			remark = difference("kept", h.Kept.Difference)
		}
		add("baseline", shortName(m), m, remark)
	}
	if m := h.Alone; m != nil {
		add("structure", strings.Replace(shortName(m), "structure found", "found, alone", 1), m,
			difference("", m.Difference))
	}
}

// shortName returns the name of a model for a narrow column.
func shortName(m *report.Model) string {
	return strings.NewReplacer(", default recipe", ", default", ", mean of ", ", ").Replace(m.Name)
}

// errorAndHits returns the standard error of a model and its H@10.
func errorAndHits(m *report.Model) string {
	var parts []string
	if m.Error > 0 {
		parts = append(parts, "± "+format.Cell(m.Error))
	}
	for _, other := range m.Others {
		if other.Name == "H@10" {
			parts = append(parts, other.Name+" "+format.Cell(other.Value))
		}
	}
	return strings.Join(parts, "  ")
}

// difference describes a difference to the baseline, if there is one.
func difference(subject string, d *report.Interval) string {
	if d == nil {
		return ""
	}
	return d.Note(subject)
}
