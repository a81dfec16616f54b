package study

import (
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// PrintWorth says what the stages of a search were worth by the test data: what is kept, beside
// the best named model by the recipe that was found, and by the one to begin with.
func (o Outcome) PrintWorth(w io.Writer) {
	r := o.result
	var parts []string
	add := func(score *float64, of string) {
		if score != nil {
			parts = append(parts, fmt.Sprintf("%s by %s", format.Cell(score), of))
		}
	}
	if r.Kept != nil {
		add(r.Kept.TestScore, "what is kept")
	}
	if named := search.FinalOf(r.Again).Named; named != nil {
		add(named.TestScore(), fmt.Sprintf("%s, the best named model, alone", structure.TitleOf(named.Name)))
	}
	if first := begunWith(r); first != nil {
		add(first.TestScore, fmt.Sprintf("%s by the recipe to begin with, d %d", structure.TitleOf(first.Name), first.Recipe.Training.Dim))
	}
	if len(parts) > 1 {
		fmt.Fprintf(w, "\nWhat the search was worth, by %s: %s.\n", o.words.Test, strings.Join(parts, "; "))
	}
}

// begunWith is the best named model by the recipe that the search began with, nil where none was
// trained by it.
func begunWith(r *search.Result) (best *task.Trial) {
	s := r.Settings
	for _, t := range r.Trials {
		if t.Stage != task.Tuning || t.Name == "" || t.Recipe.Training != s.Training || t.Recipe.LearningRate != s.LearningRate || t.Recipe.Weights != s.Weights || t.Recipe.Seed != s.Seed {
			continue
		}
		if best == nil || t.ScoreOrZero() > best.ScoreOrZero() {
			best = &t
		}
	}
	return best
}
