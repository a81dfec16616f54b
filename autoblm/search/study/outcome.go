package study

import (
	"cmp"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Outcome is the JSON of a search. Its methods print the results as tables.
type Outcome struct {
	Dataset   string         `json:"dataset"`
	Task      string         `json:"task"`
	Metric    string         `json:"metric"`
	Algorithm string         `json:"algorithm"`
	Engines   []string       `json:"engines"`   // that trained the trials
	Precision kge.Precision  `json:"precision"` // of the trials of the search
	Budget    int            `json:"budget"`
	Tuned     []TrialSummary `json:"tuned"`
	TunedEach []TrialSummary `json:"tuned_each"` // models with their own recipes
	Best      []TrialSummary `json:"best"`
	Baselines []TrialSummary `json:"baselines"`
	Finals    []TrialSummary `json:"finals"`
	// Final is the best retrained structure or the ensemble, and BaselineFinal the best
	// retrained baseline, with means over the seeds. They are null without a retraining stage.
	Final         TrialSummary `json:"final"`
	BaselineFinal TrialSummary `json:"baseline_final"`
	// Difference compares the best structure found with PairedBaseline, the best baseline that has the
	// same seeds; null and "" without one.
	Difference     *search.Difference `json:"difference"`
	PairedBaseline string             `json:"paired_baseline"`
	Kept           TrialSummary       `json:"kept"` // of the kept model, null if there is none
	result         *search.Result
	presentation   task.Presentation
}

// TrialSummary holds the identity and the scores of a trial.
type TrialSummary map[string]any

// Origins of a model, as "from" in a TrialSummary.
const (
	FromSearch   = "found"
	FromBaseline = "baseline"
	FromEnsemble = "ensemble"
)

// OutcomeOf returns the outcome of a search.
func OutcomeOf(about About, r *search.Result, p task.Presentation) Outcome {
	retrained := search.FinalOf(r.Retrained)
	if k := r.Kept; k != nil && search.IsCandidate(*k) && retrained.Best != nil &&
		retrained.Best.IsDefault() {
		retrained = search.Final{} // a structure of the search has beaten the default model
	}
	o := Outcome{
		Dataset:       about.Dataset,
		Task:          about.Task,
		Metric:        p.Metric,
		Algorithm:     about.Algorithm,
		Engines:       task.Engines(r.Trials),
		Precision:     r.Recipe.Training.Precision,
		Budget:        about.Settings.Budget,
		Tuned:         summaries(r.Tuned, p, recipeOf),
		TunedEach:     summaries(r.TunedEach, p, modelWithRecipe),
		Best:          summaries(r.Best, p, foundModel),
		Baselines:     summaries(r.Baselines, p, baseline),
		Finals:        summaries(r.Finals, p, recipeOf),
		Final:         retrainedSummary(retrained.Best, p),
		BaselineFinal: retrainedSummary(retrained.Baseline, p),
		Difference:    retrained.Difference,
		result:        r,
		presentation:  p,
	}
	if retrained.Paired != nil {
		o.PairedBaseline = retrained.Paired.Name
	}
	for _, s := range o.Best {
		s["rung"] = r.Settings.Halving // the best have passed all rungs
	}
	if r.Ensemble != nil && r.Ensemble.Kept {
		o.Final = o.ensembleSummary()
	}
	if r.Artifact != nil && r.Kept != nil {
		o.Kept = summary(*r.Kept, p, keptModel(*r.Kept))
	}
	return o
}

func summaries(
	trials []task.Trial, p task.Presentation, identify func(task.Trial) TrialSummary,
) []TrialSummary {
	all := []TrialSummary{}
	for _, t := range trials {
		all = append(all, summary(t, p, identify(t)))
	}
	return all
}

// summary adds the scores of a trial to s, also under their names in the task. They are null for
// a trial that diverged.
func summary(t task.Trial, p task.Presentation, s TrialSummary) TrialSummary {
	s["valid_mrr"], s["test_mrr"] = nil, nil
	s[p.ScoreField], s[p.TestField] = t.Score, t.TestScore
	s["score"], s["test_score"] = t.Score, t.TestScore
	return s
}

// foundModel identifies a proposal of the search.
func foundModel(t task.Trial) TrialSummary {
	if t.Form != form.Bilinear {
		s := recipeOf(t)
		s["model"], s["recipe"] = t.Form, t.Recipe
		return s
	}
	s := TrialSummary{"structure": t.Structure, "canonical": t.Canonical()}
	addMessage(s, t)
	return s
}

// addMessage adds the structure of the messages of an encoder, if there is one.
func addMessage(s TrialSummary, t task.Trial) {
	if message := t.Message(); message.K() > 0 {
		s["message"] = message
	}
}

func baseline(t task.Trial) TrialSummary { return TrialSummary{"name": t.Name} }

// keptModel identifies the trial whose model is kept.
func keptModel(t task.Trial) TrialSummary {
	if t.Ensemble != nil {
		return TrialSummary{"structure": nil, "from": FromEnsemble}
	}
	s := recipeOf(t)
	s["from"] = FromSearch
	if IsBaseline(t) {
		s["from"], s["name"] = FromBaseline, cmp.Or(t.Name, t.ModelName())
	}
	return s
}

// IsBaseline reports whether a trial trains a baseline that the strategy did not propose itself, or the
// default model.
func IsBaseline(t task.Trial) bool {
	return t.Name != "" && t.Round == 0 || t.Stage == task.Default
}

// recipeOf identifies a trial by its structure and recipe.
func recipeOf(t task.Trial) TrialSummary {
	s := TrialSummary{
		"structure":     nil,
		"dim":           t.Recipe.Training.Dim,
		"batch":         t.Recipe.Training.Batch,
		"learning_rate": t.Recipe.LearningRate,
		"n3":            t.Recipe.N3,
		"penalty":       search.PenaltyOf(t.Recipe.Weights),
		"weights":       t.Recipe.Weights,
		"translate":     t.Recipe.Training.Translate,
	}
	if t.Form == form.Bilinear {
		s["structure"] = t.Structure
	}
	addMessage(s, t)
	return s
}

// modelWithRecipe identifies a trial by its model and recipe.
func modelWithRecipe(t task.Trial) TrialSummary {
	s := recipeOf(t)
	s["model"], s["name"] = t.ModelName(), nil
	if t.Name != "" {
		s["name"] = t.Name
	}
	return s
}

// retrainedSummary returns the means over the seeds of a retrained structure, nil for none.
func retrainedSummary(r *search.Retrained, p task.Presentation) TrialSummary {
	if r == nil {
		return nil
	}
	t := r.Mean()
	s := summary(t, p, foundModel(t))
	s["weights"], s["translate"] = t.Recipe.Weights, t.Recipe.Training.Translate
	s["seeds"], s["from"], s["name"], s["members"] = r.Seeds(), FromSearch, nil, nil
	if r.IsBaseline() {
		s["from"], s["name"] = FromBaseline, cmp.Or(r.Name, t.ModelName())
	}
	return s
}

func (o Outcome) ensembleSummary() TrialSummary {
	seeds, members := []uint64{}, []TrialSummary{}
	for _, t := range o.result.Members() {
		m := TrialSummary{"structure": nil, "seed": t.Recipe.Seed, "name": nil}
		if t.Form == form.Bilinear {
			m["structure"] = t.Structure
		}
		if t.Name != "" {
			m["name"] = t.Name
		}
		seeds, members = append(seeds, t.Recipe.Seed), append(members, m)
	}
	return summary(*o.result.Ensemble, o.presentation, TrialSummary{
		"structure": nil,
		"canonical": nil,
		"seeds":     seeds,
		"from":      FromEnsemble,
		"name":      nil,
		"members":   members,
	})
}
