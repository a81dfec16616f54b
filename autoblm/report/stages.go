package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// stages tells of what came before and after the search, where the study has it.
func (o *outcome) stages() []part {
	var parts []part
	add := func(heading, text, caption string, trials []task.Trial) {
		p := part{Heading: heading, Text: text + " None has a result yet."}
		if len(trials) > 0 {
			p.Text, p.Table = text, o.recipes(caption, trials)
		}
		parts = append(parts, p)
	}
	if tune := o.About.Settings.Tune; tune != nil {
		caption := "Recipes tried on SimplE, best first"
		if tune.Space != nil {
			caption = "The best recipes, by " + o.About.Settings.TunedOn()
		}
		add("Tuning the recipe", o.tuning(*tune), caption, o.tuned)
	}
	if final := o.About.Settings.Final; final != nil {
		add("The last stage", o.lastStage(*final), "The best structures, trained by other recipes, best first", o.final)
	}
	if o.About.Settings.Again > 0 {
		parts = append(parts, o.otherSeeds())
	}
	if ensemble := o.Result().Ensemble; ensemble != nil {
		parts = append(parts, o.ensemble(*ensemble))
	}
	return parts
}

// otherSeeds tells of the stage in which the best were trained again.
func (o *outcome) otherSeeds() part {
	all := o.Result().Again
	p := part{Heading: "Other seeds", Text: fmt.Sprintf("After the search, the best structures found and the best named models were trained again with %s, of which the mean %s decides.", format.Count(o.About.Settings.Again, "other seed"), o.Words.Validation)}
	if len(all) == 0 {
		p.Text += " None has a result yet."
		return p
	}
	if d := search.FinalOf(all).Difference; d != nil {
		by := o.Words.Validation
		if d.Tested {
			by = o.Words.Test
		}
		p.Text += fmt.Sprintf(" The best found less the best named, by %s, seed by seed: %v.", by, d)
	}
	p.Table = page.NewTable("Means over the seeds, best first", all,
		page.Text("", func(r search.Retrained) any {
			if r.Name != "" {
				return title(r.Name)
			}
			return "found"
		}),
		page.Number(o.Words.Valid, func(r search.Retrained) any { return r.Score() }),
		page.Number(o.Words.Test, func(r search.Retrained) any { return r.TestScore() }),
		page.Text("structure", func(r search.Retrained) any { return r.Structure }))
	return p
}

// ensemble tells of the ensemble that was chosen among them.
func (o *outcome) ensemble(ensemble task.Trial) part {
	p := part{Heading: "An ensemble", Text: fmt.Sprintf("Among %d of these models an ensemble was chosen one by one by validation; its members add the logarithms of their probabilities. ", len(ensemble.Ensemble.Candidates))}
	if !ensemble.Kept {
		p.Text += fmt.Sprintf("None has a higher %s than one model, on data that had no part in the choice.", o.Words.Validation)
		return p
	}
	p.Text += fmt.Sprintf("On data that had no part in the choice it has a %s of %s%s, and is what is kept.", o.Words.Validation, format.Cell(ensemble.Score), o.withTest(ensemble))
	p.Table = page.NewTable("The members, as they were chosen", o.Result().Members(),
		page.Text("", func(t task.Trial) any {
			if t.Name != "" {
				return title(t.Name)
			}
			return "found"
		}),
		page.Number("seed", func(t task.Trial) any { return t.Recipe.Seed }),
		o.score(), o.testScore(), structureAs("structure"))
	return p
}

func (o *outcome) tuning(tune search.TuneSettings) string {
	text := fmt.Sprintf("Before the search, %s were tried on SimplE, %s.", format.Count(tune.Trials, "random recipe"), drawnFrom(tune.Ranges))
	if tune.Space != nil {
		text = fmt.Sprintf("Before the search, up to %s were tried on %s for a third of the epochs, new ones drawn like the good ones; the best third of them went on to all epochs, and the best three of these to other seeds, which decided.", format.Count(tune.Trials, "recipe"), o.About.Settings.TunedOn())
	}
	if len(o.tuned) == 0 {
		return text
	}
	r := o.tuned[0].Recipe
	text += fmt.Sprintf(" The one with the highest %s, %s, was taken: learning rate %.3g, n3 %.2g, batch %d. All structures of the search and the human-designed ones were trained by it.",
		o.Words.Validation, format.Cell(o.tuned[0].Score), r.LearningRate, r.N3, r.Training.Batch)
	if len(o.tuned) > 1 {
		text += fmt.Sprintf(" The next best is %.3f below.", o.tuned[0].ScoreOrZero()-o.tuned[1].ScoreOrZero())
	}
	return text
}

func (o *outcome) lastStage(final search.FinalSettings) string {
	text := fmt.Sprintf("After the search, random ones of the %d best structures were trained %d times, %s, over at most %s",
		min(o.About.Settings.I, len(o.found)), final.Trials, drawnFrom(final.Ranges), format.Count(final.Epochs, "epoch"))
	if final.ValidateEvery > 0 {
		text += fmt.Sprintf(", of which the best was kept by validation every %d", final.ValidateEvery)
	}
	text += "."
	if len(o.final) == 0 {
		return text
	}
	from := "that of this stage"
	switch {
	case study.IsBaseline(*o.kept):
		from = title(o.kept.Name)
	case o.kept.Stage != task.Final:
		from = "that of the search"
	}
	return text + fmt.Sprintf(" The highest %s was chosen: %s%s. The search had reached %s, so the best model of the study is %s.",
		o.Words.Validation, format.Cell(o.final[0].Score), o.withTest(o.final[0]), format.Cell(o.found[0].Score), from)
}

// drawnFrom says what recipes were drawn from.
func drawnFrom(r search.Ranges) string {
	text := fmt.Sprintf("with learning rates from %g to %g, n3 from %g to %g and batches of %s", r.LearningRate[0], r.LearningRate[1], r.N3[0], r.N3[1], format.List(r.Batches, "or"))
	if len(r.Dims) > 0 {
		text += ", d " + format.List(r.Dims, "or")
	}
	return text
}

// recipes lists trials with how they were trained; the first is the chosen one.
func (o *outcome) recipes(caption string, trials []task.Trial) *page.Table {
	places := map[int]string{}
	for i, t := range trials {
		places[t.Number] = fmt.Sprint(i + 1)
	}
	places[trials[0].Number] += ", chosen"
	t := page.NewTable(caption, trials, named("place", places), o.score(), o.testScore(), dim, batch, learningRate, n3, structureAs("structure"))
	t.Rows[0].Chosen = true
	return t
}
