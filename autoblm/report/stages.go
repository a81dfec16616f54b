package report

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// stages tells of what came before and after the search, where the study has it.
func (o *outcome) stages() (section, error) {
	s := section{ID: "stages", Title: "Before and after the search"}
	if tune := o.About.Settings.Tune; tune != nil {
		s.Parts = append(s.Parts, part{Heading: "Tuning the recipe"}, part{Text: o.tuning(*tune)})
		if len(o.tuned) > 0 {
			s.Parts = append(s.Parts, part{Table: o.recipes("Recipes tried on SimplE, best first", o.tuned)})
		}
	}
	if final := o.About.Settings.Final; final != nil {
		s.Parts = append(s.Parts, part{Heading: "The last stage"}, part{Text: o.lastStage(*final)})
		if len(o.final) > 0 {
			s.Parts = append(s.Parts, part{Table: o.recipes("The best structures, trained by other recipes, best first", o.final)})
		}
	}
	return s, nil
}

func (o *outcome) tuning(tune search.TuneSettings) string {
	text := fmt.Sprintf("Before the search, %s were tried on SimplE, %s.", count(tune.Trials, "random recipe"), drawnFrom(tune.Ranges))
	if len(o.tuned) == 0 {
		return text + " None has a result yet."
	}
	r := o.tuned[0].Recipe
	text += fmt.Sprintf(" The one with the highest %s, %s, was taken: learning rate %.3g, n3 %.2g, batch %d. All structures of the search and the human-designed ones were trained by it.",
		o.valid, score(o.tuned[0]), r.LearningRate, r.N3, r.Training.Batch)
	if len(o.tuned) > 1 {
		text += fmt.Sprintf(" The next best is %.3f below.", o.tuned[0].ScoreOrZero()-o.tuned[1].ScoreOrZero())
	}
	return text
}

func (o *outcome) lastStage(final search.FinalSettings) string {
	text := fmt.Sprintf("After the search, random ones of the %d best structures were trained %d times, %s, over at most %s",
		min(o.About.Settings.I, len(o.found)), final.Trials, drawnFrom(final.Ranges), count(final.Epochs, "epoch"))
	if final.ValidateEvery > 0 {
		text += fmt.Sprintf(", of which the best was kept by validation every %d", final.ValidateEvery)
	}
	text += "."
	if len(o.final) == 0 {
		return text + " None has a result yet."
	}
	from := "this stage"
	if best, _ := o.bestModel(); best.Stage != task.Final {
		from = "the search"
	}
	return text + fmt.Sprintf(" The highest %s was chosen: %s%s. The search had reached %s, so the best model of the study is that of %s.",
		o.valid, score(o.final[0]), o.withTest(o.final[0]), score(o.found[0]), from)
}

// drawnFrom says what recipes were drawn from.
func drawnFrom(r search.Ranges) string {
	text := fmt.Sprintf("with learning rates from %g to %g, n3 from %g to %g and batches of %s", r.LearningRate[0], r.LearningRate[1], r.N3[0], r.N3[1], either(r.Batches))
	if len(r.Dims) > 0 {
		text += ", d " + either(r.Dims)
	}
	return text
}

// either is "32, 64 or 128".
func either(values []int) string {
	var words []string
	for _, v := range values {
		words = append(words, fmt.Sprint(v))
	}
	all := list(words)
	if i := strings.LastIndex(all, " and "); i >= 0 {
		all = all[:i] + " or " + all[i+len(" and "):]
	}
	return all
}

// recipes lists trials with how they were trained; the first is the chosen one.
func (o *outcome) recipes(caption string, trials []task.Trial) *table {
	t := &table{
		Caption: caption,
		Columns: append(texts("place"), append(numbers(o.validColumn, o.testColumn, "d", "batch", "learning rate", "n3"), texts("structure")...)...),
	}
	for i, trial := range trials {
		r := trial.Recipe
		place := fmt.Sprint(i + 1)
		if i == 0 {
			place += ", chosen"
		}
		t.add(place, score(trial), testScore(trial), r.Training.Dim, r.Training.Batch, fmt.Sprintf("%.3g", r.LearningRate), fmt.Sprintf("%.2g", r.N3), code(trial.Structure.String())).Chosen = i == 0
	}
	return t
}
