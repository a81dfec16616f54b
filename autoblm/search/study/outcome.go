package study

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Outcome tells what a search has come to: in JSON for programs, in tables for people.
type Outcome struct {
	Dataset   string         `json:"dataset"`
	Task      string         `json:"task"`
	Metric    string         `json:"metric"`
	Algorithm string         `json:"algorithm"`
	Engines   []string       `json:"engines"`   // that trained the trials; several where they are mixed
	Precision kge.Precision  `json:"precision"` // of the trials of the search
	Budget    int            `json:"budget"`
	Tuned     []TrialSummary `json:"tuned"`
	Best      []TrialSummary `json:"best"`
	Human     []TrialSummary `json:"human"`
	Finals    []TrialSummary `json:"finals"`
	// Final and NamedFinal are the best structure of all, or the ensemble that is kept, and the
	// best named model, in the mean of other seeds, and Difference is that of the best structure found and the named model;
	// null where nothing was trained again.
	Final      TrialSummary       `json:"final"`
	NamedFinal TrialSummary       `json:"named_final"`
	Difference *search.Difference `json:"difference"`
	Kept       TrialSummary       `json:"kept"` // whose model is kept, null where none is
	result     *search.Result
	words      task.Presentation
}

// TrialSummary is what one needs to know of a trial.
type TrialSummary map[string]any

// OutcomeOf tells a result in the words of its task.
func OutcomeOf(about About, r *search.Result, w task.Presentation) Outcome {
	o := Outcome{
		Dataset: about.Dataset, Task: about.Task, Metric: w.Metric, Algorithm: about.Algorithm, Engines: task.Engines(r.Trials), Precision: r.Recipe.Training.Precision, Budget: about.Settings.Budget,
		Tuned: summarized(r.Tuned, w, byRecipe), Best: summarized(r.Best, w, found), Human: summarized(r.Named, w, named), Finals: summarized(r.Finals, w, byRecipe),
		result: r, words: w,
	}
	for _, s := range o.Best {
		s["rung"] = r.Settings.Rungs // all of which it climbed
	}
	again := search.FinalOf(r.Again)
	o.Final, o.NamedFinal, o.Difference = summaryAgain(again.Best, w), summaryAgain(again.Named, w), again.Difference
	if r.Ensemble != nil && r.Ensemble.Kept {
		o.Final = o.ensembleed()
	}
	if r.Artifact != nil && r.Kept != nil {
		o.Kept = summarized([]task.Trial{*r.Kept}, w, keptAs)[0]
	}
	return o
}

// summarized are trials with what tells them apart and what they came to: score and test
// score, by the names that they have for the task too. All are null for one that diverged.
func summarized(trials []task.Trial, w task.Presentation, what func(task.Trial) TrialSummary) []TrialSummary {
	all := []TrialSummary{}
	for _, t := range trials {
		s := what(t)
		s["valid_mrr"], s["test_mrr"] = nil, nil
		s[w.ScoreField], s[w.TestField] = t.Score, t.TestScore
		s["score"], s["test_score"] = t.Score, t.TestScore
		all = append(all, s)
	}
	return all
}

func found(t task.Trial) TrialSummary {
	if t.Form != form.Bilinear {
		s := byRecipe(t)
		s["model"] = t.Form
		return s
	}
	return TrialSummary{"structure": t.Structure, "canonical": t.Canonical()}
}

func named(t task.Trial) TrialSummary { return TrialSummary{"name": t.Name} }

// keptAs says where the trial whose model is kept is from.
func keptAs(t task.Trial) TrialSummary {
	if t.Ensemble != nil {
		return TrialSummary{"structure": nil, "from": "ensemble"}
	}
	s := byRecipe(t)
	s["from"] = "found"
	if IsNamed(t) {
		s["from"], s["name"] = "named", t.Name
	}
	return s
}

// IsNamed says whether a trial is of a named model that the strategy did not propose itself.
func IsNamed(t task.Trial) bool { return t.Name != "" && t.Round == 0 }

func byRecipe(t task.Trial) TrialSummary {
	s := TrialSummary{
		"structure": nil, "dim": t.Recipe.Training.Dim, "batch": t.Recipe.Training.Batch,
		"learning_rate": t.Recipe.LearningRate, "n3": t.Recipe.N3,
	}
	if t.Form == form.Bilinear {
		s["structure"] = t.Structure
	}
	return s
}

// summaryAgain is what one needs to know of a structure that was trained again, with its means;
// nil for none.
func summaryAgain(r *search.Retrained, w task.Presentation) TrialSummary {
	if r == nil {
		return nil
	}
	mean := r.Score()
	of := r.Trials[0]
	of.Score, of.TestScore = &mean, r.TestScore()
	s := summarized([]task.Trial{of}, w, found)[0]
	s["seeds"], s["from"], s["name"], s["members"] = r.Seeds(), "found", nil, nil
	if r.Name != "" {
		s["from"], s["name"] = "named", r.Name
	}
	return s
}

// ensembleed is what one needs to know of the ensemble that is kept.
func (o Outcome) ensembleed() TrialSummary {
	seeds, members := []uint64{}, []TrialSummary{}
	for _, t := range o.result.Members() {
		m := TrialSummary{"structure": t.Structure, "seed": t.Recipe.Seed, "name": nil}
		if t.Name != "" {
			m["name"] = t.Name
		}
		seeds, members = append(seeds, t.Recipe.Seed), append(members, m)
	}
	s := summarized([]task.Trial{*o.result.Ensemble}, o.words, func(task.Trial) TrialSummary { return TrialSummary{"structure": nil, "canonical": nil} })[0]
	s["seeds"], s["from"], s["name"], s["members"] = seeds, "ensemble", nil, members
	return s
}

// PrintEnsemble shows the ensemble that was chosen among what was trained again, if there is one.
func (o Outcome) PrintEnsemble(w io.Writer) {
	members := o.result.Members()
	if len(members) == 0 {
		return
	}
	ensemble := *o.result.Ensemble
	if !ensemble.Kept {
		fmt.Fprintf(w, "\nNo ensemble, chosen among %d of these models, is better than one on validation data that had no part in the choice.\n", len(ensemble.Ensemble.Candidates))
		return
	}
	fmt.Fprintf(w, "\nA ensemble of %d, chosen among %d of these models, is kept; its %s is by data that had no part in the choice\n\n", len(members), len(ensemble.Ensemble.Candidates), o.words.Valid)
	t := table.New("", "seed", o.words.Valid, o.words.Test, "structure")
	for _, m := range members {
		t.Add(titleAgain(m.Name), m.Recipe.Seed, m.Score, m.TestScore, m.Structure)
	}
	t.Add("the ensemble", "", ensemble.Score, ensemble.TestScore, "")
	t.Print(w)
}

// titleAgain is what a structure that was trained again is called.
func titleAgain(name string) string {
	if name == "" {
		return "found"
	}
	return structure.TitleOf(name)
}

// PrintAgain shows what other seeds say of the best structures, if there are any.
func (o Outcome) PrintAgain(w io.Writer) {
	if len(o.result.Again) == 0 {
		return
	}
	fmt.Fprintf(w, "\nTrained again with other seeds, the best of the search and the best named models; means over the seeds\n\n")
	if n := len(o.result.Again[0].Splits); n > 0 {
		fmt.Fprintf(w, "(the %s of the first ones is the mean over %s of train and valid, the one of the data among them)\n\n", o.words.Valid, format.Count(n+1, "split"))
	}
	t := table.New("", "seeds", o.words.Valid, o.words.Test, "structure")
	for _, r := range o.result.Again {
		t.Add(titleAgain(r.Name), len(r.Trials), r.Score(), r.TestScore(), r.Structure)
	}
	t.Print(w)
	if d := o.Difference; d != nil {
		by := o.words.Valid
		if d.Tested {
			by = o.words.Test
		}
		fmt.Fprintf(w, "\nThe best found less the best named, by %s, seed by seed: %v.\n", by, d)
	}
}

// MostShown is how many of the structures found tables show.
const MostShown = 5

// PrintTuned shows the recipes that were tried before the search, if there are any.
func (o Outcome) PrintTuned(w io.Writer) {
	if len(o.result.Tuned) == 0 {
		return
	}
	if tune := o.result.Settings.Tune; tune == nil || tune.Space == nil {
		fmt.Fprintf(w, "\nRecipes tried on SimplE before; the first, of the highest %s, became that of the search\n\n", o.words.Valid)
		o.recipes(o.result.Tuned).Print(w)
		return
	}
	fmt.Fprintf(w, "\nThe best recipes on %s; the first became that of the search\n\n", o.result.Settings.TunedOn())
	t := table.New(o.words.Valid, "batch", "learning rate", "n3", "DURA", "relation prediction", "dropout", "init scale", "reciprocal")
	for _, trial := range o.result.Tuned[:min(len(o.result.Tuned), MostShown)] {
		r := trial.Recipe
		number := func(x float64) string { return fmt.Sprintf("%.3g", x) }
		t.Add(trial.Score, r.Training.Batch, number(r.LearningRate), number(r.N3), number(r.Products), number(r.RelationPrediction), number(r.Training.Dropout), number(r.Training.InitScale), r.Training.Reciprocal)
	}
	t.Print(w)
}

// PrintFinals shows the trials of the last stage, if there are any.
func (o Outcome) PrintFinals(w io.Writer) {
	if len(o.result.Finals) > 0 {
		fmt.Fprintf(w, "\nThe best structures, trained by other recipes\n\n")
		o.recipes(o.result.Finals).Print(w)
	}
}

// PrintRecipes shows the best trials by their recipes, as where there is no structure.
func (o Outcome) PrintRecipes(w io.Writer) { o.recipes(o.result.Best).Print(w) }

func (o Outcome) recipes(trials []task.Trial) *table.Table {
	t := table.New(o.words.Valid, o.words.Test, "d", "batch", "learning rate", "n3", "structure")
	for _, trial := range trials[:min(len(trials), MostShown)] {
		r := trial.Recipe
		t.Add(trial.Score, trial.TestScore, r.Training.Dim, r.Training.Batch, fmt.Sprintf("%.3g", r.LearningRate), fmt.Sprintf("%.2g", r.N3), trial.Structure)
	}
	return t
}

// PrintBest compares the best structures found with the named ones.
func (o Outcome) PrintBest(w io.Writer) {
	t := table.New("")
	for _, c := range o.words.ScoreColumns() {
		t.Header = append(t.Header, c.Name)
	}
	add := func(name string, trial task.Trial) {
		if trial.State == task.Failed {
			name += " (diverged)"
		}
		cells := []any{name}
		for _, c := range o.words.ScoreColumns() {
			cells = append(cells, c.Value(trial))
		}
		t.Add(cells...)
	}
	for i, trial := range o.result.Best[:min(len(o.result.Best), MostShown)] {
		name := fmt.Sprintf("found %d", i+1)
		if same := trial.Structure.Name(); same != "" {
			name += fmt.Sprintf(" (is %s)", structure.TitleOf(same))
		}
		add(name, trial)
	}
	for _, trial := range o.result.Named {
		add(structure.TitleOf(trial.Name), trial)
	}
	t.Print(w)
}
