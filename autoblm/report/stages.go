package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// stagesTitle returns the title of the stages of tuning and the final stage, of which a study may
// have one.
func (a *analysis) stagesTitle() string {
	s := a.About.Settings
	switch {
	case s.Final == nil:
		return "Tuning"
	case s.Tune == nil && s.TuneEach == nil:
		return "Final stage"
	}
	return "Tuning and final stage"
}

// stages describes the stages of tuning and the final stage.
func (a *analysis) stages() []Part {
	var parts []Part
	s := a.About.Settings
	if s.Tune != nil && len(a.tuned) > 0 {
		caption := "Recipes tried on SimplE, best first"
		if s.Tune.Space != nil {
			caption = "Best recipes on " + s.TunedOn()
		}
		parts = append(parts, Part{
			Heading: "Tuning", Text: a.tuning(*s.Tune),
			Table: a.recipes(caption, a.tuned, s.Tune.Space != nil),
		})
	}
	if s.TuneEach != nil && len(a.tunedEach) > 0 {
		parts = append(parts, Part{
			Heading: "Tuning of each model", Text: a.tuningEach(*s.TuneEach),
			Table: page.NewTable("The best recipe of each model, best first", a.tunedEach,
				page.Text("model", func(t task.Trial) any { return a.trialName(t) }),
				a.score(), a.testScore(), learningRate,
				page.Text("recipe", func(t task.Trial) any { return t.Recipe.Terms() }),
				structureColumn("structure")),
		})
	}
	if s.Final != nil && len(a.final) > 0 {
		caption := "Best structures with other recipes, best first"
		parts = append(parts, Part{
			Heading: "Final stage", Text: a.finalStage(*s.Final), Table: a.recipes(caption, a.final, false),
		})
	}
	return parts
}

func (a *analysis) tuning(tune search.TuneSettings) string {
	metric := a.Presentation.Validation
	text := fmt.Sprintf("Before the search, %s were tried on SimplE, %s.",
		format.Count(tune.Trials, "random recipe"), describeRanges(tune.Ranges))
	if tune.Space != nil {
		text = fmt.Sprintf("Before the search, up to %s were tried on %s for a third of the "+
			"epochs; new ones resembled good ones. The best third continued to all epochs, and "+
			"the best three of these were repeated with other seeds, which decided.",
			format.Count(tune.Trials, "recipe"), a.About.Settings.TunedOn())
		metric = "mean " + metric
	}
	best := a.tuned[0]
	r := best.Recipe
	text += fmt.Sprintf(" The recipe with the highest %s (%s) has learning rate %.3g, n3 %.2g "+
		"and batch %d. The search trained all structures and baselines with it.",
		metric, format.Cell(best.Score), r.LearningRate, r.N3, r.Training.Batch)
	if len(a.tuned) > 1 {
		text += fmt.Sprintf(" The next best is %.3f below.",
			best.ScoreOrZero()-a.tuned[1].ScoreOrZero())
	}
	return text
}

func (a *analysis) tuningEach(tune search.TuneSettings) string {
	text := fmt.Sprintf("A penalty that suits one structure may not suit another. After the search, each "+
		"of the best structures and each baseline tried up to %s: the kind of penalty, its weights and the "+
		"chunks in a block, relation prediction and translation. "+
		"All tried as many, for a third of the epochs first. "+
		"The highest %s, %s, has %s.", format.Count(tune.Trials, "recipe"), a.Presentation.Validation,
		format.Cell(a.tunedEach[0].Score), a.tunedEach[0].Recipe.Terms())
	if n := a.foundLater(); n > 0 {
		text += fmt.Sprintf(" Retraining fixed these recipes. A larger budget found %s later, with "+
			"the recipe of the search.", format.Count(n, "structure"))
	}
	return text
}

// foundLater counts the structures that were found after retraining began, too late for a recipe of
// their own.
func (a *analysis) foundLater() (n int) {
	retrained := task.InStage(task.Retraining, a.Trials)
	for _, t := range a.found {
		if len(retrained) > 0 && t.Number > retrained[0].Number {
			n++
		}
	}
	return n
}

func (a *analysis) finalStage(final search.FinalSettings) string {
	metric := a.Presentation.Validation
	text := fmt.Sprintf("After the search, %d trainings used random ones of the %d best "+
		"structures, %s, for at most %s.", final.Trials, min(a.About.Settings.Parents, len(a.found)),
		describeRanges(final.Ranges), format.Count(final.Epochs, "epoch"))
	if final.ValidateEvery > 0 {
		text += fmt.Sprintf(" Validation every %s selected the best epoch.",
			format.Count(final.ValidateEvery, "epoch"))
	}
	from := "that of this stage"
	switch {
	case study.IsBaseline(*a.kept):
		from = structure.TitleOf(a.kept.Name)
	case a.kept.Stage != task.Final:
		from = "that of the search"
	}
	return text + fmt.Sprintf(" The highest %s is %s%s. The search had reached %s, so the best "+
		"model of the study is %s.", metric, format.Cell(a.final[0].Score),
		a.withTest(a.final[0]), format.Cell(a.found[0].Score), from)
}

// describeRanges describes the ranges of random recipes.
func describeRanges(r search.Ranges) string {
	text := fmt.Sprintf("with learning rates from %g to %g, n3 from %g to %g and batches of %s",
		r.LearningRate[0], r.LearningRate[1], r.N3[0], r.N3[1], format.List(r.Batches, "or"))
	if len(r.Dims) > 0 {
		text += ", d " + format.List(r.Dims, "or")
	}
	return text
}

// recipes lists trials with their recipes; the first is the chosen one. If their scores are means over
// several models, they have no structure.
func (a *analysis) recipes(caption string, trials []task.Trial, areMeans bool) *page.Table {
	places := map[int]string{}
	for i, t := range trials {
		places[t.Number] = fmt.Sprint(i + 1)
	}
	places[trials[0].Number] += ", chosen"
	columns := []column{labels("place", places), a.score(), a.testScore(), dim, batch, learningRate, n3,
		structureColumn("structure")}
	if areMeans {
		mean := a.score()
		mean.Title = "mean " + mean.Title
		columns = []column{labels("place", places), mean, dim, batch, learningRate, n3}
	}
	t := page.NewTable(caption, trials, columns...)
	t.Rows[0].Chosen = true
	return t
}
