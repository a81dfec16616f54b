package study

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

// MostShown is the largest number of trials that a table shows.
const MostShown = 5

func shown(trials []task.Trial) []task.Trial { return trials[:min(len(trials), MostShown)] }

// PrintTuned prints the recipes of the tuning stage, if there are any.
func (o Outcome) PrintTuned(w io.Writer) {
	if len(o.result.Tuned) == 0 {
		return
	}
	if tune := o.result.Settings.Tune; tune == nil || tune.Space == nil {
		fmt.Fprintf(w, "\nRecipes tried on SimplE, by %s; the search used the first\n\n",
			o.presentation.Valid)
		o.recipes(o.result.Tuned).Print(w)
		return
	}
	const title = "\nBest recipes on %s; the search used the first\n\n"
	fmt.Fprintf(w, title, o.result.Settings.TunedOn())
	t := table.New(o.presentation.Valid, "batch", "learning rate", "n3", "DURA", "relation prediction",
		"dropout", "init scale", "reciprocal")
	for _, trial := range shown(o.result.Tuned) {
		r := trial.Recipe
		t.Add(trial.Score, r.Training.Batch, short(r.LearningRate), short(r.N3), short(r.Products),
			short(r.RelationPrediction), short(r.Training.Dropout), short(r.Training.InitScale),
			r.Training.Reciprocal)
	}
	t.Print(w)
}

// PrintTunedEach prints the best recipe of each model that has its own, if there are any.
func (o Outcome) PrintTunedEach(w io.Writer) {
	if len(o.result.TunedEach) == 0 {
		return
	}
	fmt.Fprintf(w, "\nModels with the best recipe of each, of the same number for all\n\n")
	t := table.New("", o.presentation.Valid, o.presentation.Test, "learning rate", "recipe", "structure")
	for _, trial := range o.result.TunedEach {
		t.Add(trial.ModelName(), trial.Score, trial.TestScore, short(trial.Recipe.LearningRate),
			trial.Recipe.Terms(), trial.Structure)
	}
	t.Print(w)
}

func short(x float64) string { return fmt.Sprintf("%.3g", x) }

// PrintRecipes prints the best trials by their recipes, for a search without structures.
func (o Outcome) PrintRecipes(w io.Writer) {
	t := table.New("", o.presentation.Valid, o.presentation.Test, "d", "batch", "learning rate", "model")
	best := shown(o.result.Best)
	for i, trial := range best {
		r := trial.Recipe
		t.Add(i+1, trial.Score, trial.TestScore, r.Training.Dim, r.Training.Batch, short(r.LearningRate),
			trial.Form)
	}
	t.Print(w)
	fmt.Fprintln(w)
	for i, trial := range best {
		fmt.Fprintf(w, "settings of %d: %s\n", i+1, otherSettings(trial.Recipe))
	}
}

// otherSettings describes the settings of a recipe that searches vary, without dimension, batch and
// learning rate.
func otherSettings(r task.Recipe) string {
	t := r.Training
	terms := []string{
		settings.Set(t.Sampling), settings.Set(t.SelfAdversarial), r.Terms(),
		settings.Set(struct {
			LabelSmoothing float64 `json:"label_smoothing"`
			InputDropout   float64 `json:"input_dropout"`
			FeatureDropout float64 `json:"feature_dropout"`
			Dropout        float64 `json:"dropout"`
			Reciprocal     bool    `json:"reciprocal"`
			WalkHops       int     `json:"walk_hops"`
		}{t.LabelSmoothing, t.InputDropout, t.FeatureDropout, t.Dropout, t.Reciprocal, t.WalkHops}),
	}
	terms = slices.DeleteFunc(terms, func(s string) bool { return s == "" })
	return strings.Join(terms, ", ")
}

// PrintFinals prints the trials of the final stage, if there are any.
func (o Outcome) PrintFinals(w io.Writer) {
	if len(o.result.Finals) > 0 {
		fmt.Fprintf(w, "\nBest structures with other recipes\n\n")
		o.recipes(o.result.Finals).Print(w)
	}
}

func (o Outcome) recipes(trials []task.Trial) *table.Table {
	t := table.New(o.presentation.Valid, o.presentation.Test, "d", "batch", "learning rate", "n3",
		"structure")
	for _, trial := range shown(trials) {
		r := trial.Recipe
		t.Add(trial.Score, trial.TestScore, r.Training.Dim, r.Training.Batch,
			short(r.LearningRate), fmt.Sprintf("%.2g", r.N3), trial.Structure)
	}
	return t
}

// PrintBest compares the best structures found with the baselines.
func (o Outcome) PrintBest(w io.Writer) {
	t := table.New("")
	for _, c := range o.presentation.ScoreColumns() {
		t.Header = append(t.Header, c.Name)
	}
	add := func(name string, trial task.Trial) {
		if trial.HasFailed() {
			name += " (" + string(trial.State) + ")"
		}
		cells := []any{name}
		for _, c := range o.presentation.ScoreColumns() {
			cells = append(cells, c.Value(trial))
		}
		t.Add(cells...)
	}
	for i, trial := range shown(o.result.Best) {
		name := fmt.Sprintf("found %d", i+1)
		if same := trial.Equivalent(); same != "" {
			name += ", is " + same
		}
		add(name, trial)
	}
	for _, trial := range o.result.Baselines {
		add(trial.ModelName(), trial)
	}
	t.Print(w)
}

// PrintRetrained prints the mean scores of the retraining stage, if there are any.
func (o Outcome) PrintRetrained(w io.Writer) {
	all := o.result.Retrained
	if len(all) == 0 {
		return
	}
	fmt.Fprint(w, "\nTrained at full size; means over the seeds\n\n")
	t := table.New("", "seeds", o.presentation.Valid, o.presentation.Test, "structure")
	n := len(all[0].Splits)
	if n > 0 {
		t.Header = append(t.Header, "lead")
		fmt.Fprintf(w, "(ordered by lead: the mean difference in %s to the others on the same "+
			"split, over %s)\n\n", o.presentation.Valid, format.Count(n+1, "split"))
	}
	for _, r := range all {
		name := r.Trials[0].ModelName() + r.Suffix()
		cells := []any{name, len(r.Trials), r.Mean().Score, r.TestScore(), r.Structure}
		if n > 0 {
			cells = append(cells, leadOf(r))
		}
		t.Add(cells...)
	}
	t.Print(w)
	if d := o.Difference; d != nil {
		metric := o.presentation.Valid
		if d.Tested {
			metric = o.presentation.Test
		}
		fmt.Fprintf(w, "\nDifference in %s between the best found and %s, the best baseline with "+
			"the same seeds, paired by seed: %v.\n", metric, structure.TitleOf(o.PairedBaseline), d)
	}
}

// leadOf returns the lead of a structure that has scores on other splits.
func leadOf(r search.Retrained) string {
	if len(r.Splits) == 0 {
		return ""
	}
	return format.Signed(r.Lead)
}

// PrintEnsemble prints the members of the ensemble, if one was selected.
func (o Outcome) PrintEnsemble(w io.Writer) {
	members := o.result.Members()
	if len(members) == 0 {
		return
	}
	ensemble := *o.result.Ensemble
	candidates := len(ensemble.Ensemble.Candidates)
	if !ensemble.Kept {
		fmt.Fprintf(w, "\nNo ensemble of these models beats the best one on held-out validation "+
			"data (%d candidates).\n", candidates)
		return
	}
	fmt.Fprintf(w, "\nKept: an ensemble of %d of these %d models; its %s is on held-out "+
		"validation data\n\n", len(members), candidates, o.presentation.Valid)
	t := table.New("", "seed", o.presentation.Valid, o.presentation.Test, "structure")
	for _, m := range members {
		t.Add(m.ModelName(), m.Recipe.Seed, m.Score, m.TestScore, m.Structure)
	}
	t.Add("ensemble", "", ensemble.Score, ensemble.TestScore, "")
	t.Print(w)
}
