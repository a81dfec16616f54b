package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Retrained is a structure that was retrained with several seeds.
type Retrained struct {
	// Name is the name of a baseline, "" for a structure that was found.
	Name      string
	Structure structure.Structure
	// Trials are the trainings with different seeds, without lost ones. Diverged ones count as 0 in
	// means. Those that stopped early are left out if there are others.
	Trials []task.Trial
	// Splits are the trainings on other splits, which also have other seeds.
	Splits []task.Trial
	// Lead is the mean over all splits of the difference to the mean score of the compared
	// structures on the same split. Scores of different splits are not comparable.
	Lead float64

	defaultRecipe bool
}

// Score returns the mean over the seeds, on the original split.
func (r Retrained) Score() float64 { return stat.Mean(scores(r.Trials), nil) }

// onSplits returns the score on the original split and those on the other splits, by number.
func (r Retrained) onSplits() map[int]float64 {
	all := map[int]float64{0: r.Score()}
	for _, t := range r.Splits {
		all[t.Split] = t.ScoreOrZero()
	}
	return all
}

// Mean returns the first trial with the mean scores.
func (r Retrained) Mean() task.Trial {
	t, score := r.Trials[0], r.Score()
	if t.TestScore = r.TestScore(); t.State != task.Complete || t.Score != nil {
		t.Score = &score // else there is no validation data
	}
	return t
}

// TestScore returns the mean test score over the seeds, nil if one was not tested.
func (r Retrained) TestScore() *float64 {
	var all []float64
	for _, t := range r.Trials {
		if t.TestScore == nil {
			return nil
		}
		all = append(all, *t.TestScore)
	}
	mean := stat.Mean(all, nil)
	return &mean
}

// Seeds returns the seeds of the trials.
func (r Retrained) Seeds() (seeds []uint64) {
	for _, t := range r.Trials {
		seeds = append(seeds, t.Recipe.Seed)
	}
	return seeds
}

func scores(trials []task.Trial) (all []float64) {
	for _, t := range trials {
		all = append(all, t.ScoreOrZero())
	}
	return all
}

// RetrainedOf returns the retrained structures with results, the best first: by their lead over the
// splits that they have in common.
func RetrainedOf(trials []task.Trial) []Retrained {
	var all []Retrained
	for _, t := range trials {
		if t.State == task.Running || t.State == task.Lost || !IsRetrained(t) {
			continue
		}
		at := slices.IndexFunc(all, func(r Retrained) bool { return r.isOf(t) })
		if at < 0 {
			at, all = len(all), append(all, Retrained{Name: t.Name, Structure: t.Structure})
		}
		all[at].Trials = append(all[at].Trials, t)
	}
	for i, r := range all {
		whole := slices.DeleteFunc(slices.Clone(r.Trials), func(t task.Trial) bool {
			return t.StoppedEarly
		})
		if len(whole) > 0 {
			all[i].Trials = whole
		}
	}
	markDefaultRecipe(all, task.InStage(task.Default, trials))
	splits := task.InStage(task.Resplit, trials)
	unfinished := map[int]bool{} // splits on which some structures have no result
	for _, t := range splits {
		unfinished[t.Split] = unfinished[t.Split] || t.State == task.Running || t.State == task.Lost
	}
	for i := range all {
		for _, t := range splits {
			if all[i].isOf(t) && !unfinished[t.Split] {
				all[i].Splits = append(all[i].Splits, t)
			}
		}
	}
	setLeads(all)
	slices.SortStableFunc(all, func(a, b Retrained) int {
		// A structure with scores on other splits comes before one without.
		return cmp.Or(cmp.Compare(len(b.Splits), len(a.Splits)), cmp.Compare(b.Lead, a.Lead))
	})
	// A default model has only the original split, on which the others must beat it.
	for i, r := range all {
		if r.IsDefault() && len(r.Splits) == 0 && r.Score() > all[0].Score() {
			copy(all[1:], all[:i])
			all[0] = r
		}
	}
	return all
}

// IsDefault returns true for models that were trained as without a search.
func (r Retrained) IsDefault() bool { return r.Trials[0].Stage == task.Default }

// IsBaseline reports whether the model is a baseline, or the default model.
func (r Retrained) IsBaseline() bool { return r.Name != "" || r.IsDefault() }

// Suffix marks default models, and structures with the recipe of the default model.
func (r Retrained) Suffix() string {
	switch {
	case r.IsDefault():
		return ", default"
	case r.defaultRecipe:
		return ", default recipe"
	}
	return ""
}

// markDefaultRecipe marks the structures that were retrained with two recipes, where they have that
// of a default model.
func markDefaultRecipe(all []Retrained, models []task.Trial) {
	type model struct {
		name string
		task.Model
	}
	of := func(r Retrained) model { return model{r.Name, r.Trials[0].Model()} }
	count := map[model]int{}
	for _, r := range all {
		count[of(r)]++
	}
	for i, r := range all {
		all[i].defaultRecipe = count[of(r)] > 1 &&
			slices.ContainsFunc(models, r.hasRecipeOf)
	}
}

// hasRecipeOf reports whether the recipe equals that of a trial, apart from seed and dimension.
func (r Retrained) hasRecipeOf(t task.Trial) bool {
	a, b := r.Trials[0].Recipe, t.Recipe
	a.Seed, a.Training.Dim = b.Seed, b.Training.Dim
	return a == b
}

// isOf returns true for trials of the same structure with the same recipe, apart from the seed.
func (r Retrained) isOf(t task.Trial) bool {
	recipe := t.Recipe
	recipe.Seed = r.Trials[0].Recipe.Seed
	return t.Form == r.Trials[0].Form && t.Structure == r.Structure && recipe == r.Trials[0].Recipe
}

// setLeads sets the leads. Structures with the same number of splits are compared.
func setLeads(all []Retrained) {
	bySplit := map[[2]int][]float64{} // scores by number of splits and split
	for _, r := range all {
		for split, score := range r.onSplits() {
			key := [2]int{len(r.Splits), split}
			bySplit[key] = append(bySplit[key], score)
		}
	}
	for i, r := range all {
		var leads []float64
		for split, score := range r.onSplits() {
			leads = append(leads, score-stat.Mean(bySplit[[2]int{len(r.Splits), split}], nil))
		}
		slices.Sort(leads) // the order of a map must not change the sum
		all[i].Lead = stat.Mean(leads, nil)
	}
}

// Difference is a mean of differences over seeds with its 95 % confidence interval by Student's
// distribution. The interval covers the seeds only, not the sampling of test data.
type Difference struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Tested is true for test scores.
	Tested bool `json:"-"`
}

// String describes the difference and its significance.
func (d Difference) String() string {
	verdict := "no significant difference over the seeds"
	switch {
	case d.Low > 0:
		verdict = "the first is better"
	case d.High < 0:
		verdict = "the second is better"
	}
	return fmt.Sprintf("%+.3f, with 95 %% confidence %+.3f to %+.3f: %s",
		d.Mean, d.Low, d.High, verdict)
}

// Minus returns the difference over the seeds that both have, of test scores if all were tested,
// else of scores. It returns nil if both have fewer than two seeds in common.
func (r Retrained) Minus(other Retrained) *Difference {
	tested := r.TestScore() != nil && other.TestScore() != nil
	var differences []float64
	for _, t := range r.Trials {
		at := slices.Index(other.Seeds(), t.Recipe.Seed)
		if at < 0 {
			continue
		}
		by := t.ScoreOrZero() - other.Trials[at].ScoreOrZero()
		if tested {
			by = *t.TestScore - *other.Trials[at].TestScore
		}
		differences = append(differences, by)
	}
	if len(differences) < 2 {
		return nil
	}
	mean, deviation := stat.MeanStdDev(differences, nil)
	n := float64(len(differences))
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := quantile * deviation / math.Sqrt(n)
	return &Difference{Mean: mean, Low: mean - half, High: mean + half, Tested: tested}
}

// Final compares the retrained structures.
type Final struct {
	// Best is the best of all, Found the best of the found structures, and Baseline the best of the
	// baselines; nil if there is none.
	Best, Found, Baseline *Retrained
	// Difference compares Found with Paired, the best baseline that has the same seeds; nil if one
	// of them is missing.
	Difference *Difference
	Paired     *Retrained
}

// FinalOf compares retrained structures, best first.
func FinalOf(all []Retrained) (f Final) {
	for i, r := range all {
		switch {
		case r.IsBaseline() && f.Baseline == nil:
			f.Baseline = &all[i]
		case !r.IsBaseline() && f.Found == nil:
			f.Found = &all[i]
		}
	}
	if len(all) > 0 {
		f.Best = &all[0]
	}
	for i, r := range all {
		if f.Found == nil || !r.IsBaseline() {
			continue
		}
		if d := f.Found.Minus(r); d != nil {
			f.Difference, f.Paired = d, &all[i]
			break
		}
	}
	return f
}
