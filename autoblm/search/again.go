package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// How many of the best are trained again, at most.
const (
	foundAgain = 3
	namedAgain = 2
)

// trainAgain is the stage in which the best structures found and the best named models are
// trained by the recipe of the search with other seeds, each structure's together: the best of
// many is flattered by the seed that it was chosen with.
func (s *searcher) trainAgain(ctx context.Context) error {
	var trials []task.Trial
	if !s.timeIsUp() {
		trials = s.again(chosenAgain(bestFirst(of(task.Searching, s.trials))))
	}
	if len(trials) > 0 {
		if err := s.put(Change{Trials: trials}); err != nil {
			return err
		}
	}
	return s.trainRunning(ctx, task.Again)
}

// again are the trials of structures that have none of this stage yet, as after a larger budget.
func (s *searcher) again(chosen []task.Trial) (trials []task.Trial) {
	before := of(task.Again, s.trials)
	for _, t := range chosen {
		if slices.ContainsFunc(before, func(b task.Trial) bool { return b.Structure == t.Structure }) {
			continue
		}
		for i := range s.Settings.Again {
			recipe := s.recipe
			recipe.Seed += uint64(i) + 1
			trials = append(trials, task.Trial{Number: len(s.trials) + len(trials) + 1, Stage: task.Again, Name: t.Name, Structure: t.Structure, Recipe: recipe, State: task.Running})
		}
	}
	return trials
}

// bestAgain returns what the best seed of a structure has left, where its mean is above those of
// the structures before, and marks it.
func (s *searcher) bestAgain(artifacts []task.Artifact, seeds []task.Trial) task.Artifact {
	if before := retrained(s.trials); len(before) > 0 && (Retrained{Trials: seeds}).Score() <= before[0].Score() {
		return nil
	}
	best := -1
	for i, a := range artifacts {
		if a != nil && seeds[i].Score != nil && (best < 0 || *seeds[i].Score > *seeds[best].Score) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	seeds[best].Kept = true
	return artifacts[best]
}

// chosenAgain are the best found and the best named ones of trials, best first each.
func chosenAgain(trials []task.Trial) (chosen []task.Trial) {
	left := map[bool]int{false: foundAgain, true: namedAgain}
	for _, t := range trials {
		if named := t.Name != ""; left[named] > 0 {
			left[named]--
			chosen = append(chosen, t)
		}
	}
	return chosen
}

// Retrained is a structure that was trained again with several seeds.
type Retrained struct {
	// Name is that of a named model, "" of a structure that was found.
	Name      string
	Structure structure.Structure
	// Trials are those of the seeds, in the order of these. Diverged ones count as 0 in
	// means.
	Trials []task.Trial
}

// Score is the mean over the seeds.
func (r Retrained) Score() float64 { return stat.Mean(scores(r.Trials), nil) }

// TestScore is the mean over the seeds, nil where one was not tested.
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

// Seeds are those of the trials.
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

// retrained are the structures whose seeds all have a result, the highest mean first.
func retrained(trials []task.Trial) []Retrained {
	var all []Retrained
	for _, t := range of(task.Again, trials) {
		at := slices.IndexFunc(all, func(r Retrained) bool { return r.Structure == t.Structure })
		if at < 0 {
			at, all = len(all), append(all, Retrained{Name: t.Name, Structure: t.Structure})
		}
		all[at].Trials = append(all[at].Trials, t)
	}
	all = slices.DeleteFunc(all, func(r Retrained) bool { return finished(r.Trials) < len(r.Trials) })
	slices.SortStableFunc(all, func(a, b Retrained) int { return cmp.Compare(b.Score(), a.Score()) })
	return all
}

// Difference is a mean of differences, seed by seed, with the interval in which it lies with a
// probability of 95 %, by Student's distribution: of the seeds only, not of the test data.
type Difference struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// String tells it and what follows.
func (d Difference) String() string {
	verdict := "the seeds show no difference"
	switch {
	case d.Low > 0:
		verdict = "the first is better"
	case d.High < 0:
		verdict = "the second is better"
	}
	return fmt.Sprintf("%+.4f, with 95 %% probability %+.4f to %+.4f: %s", d.Mean, d.Low, d.High, verdict)
}

// Minus is the difference of the test scores, where all were tested, else of the scores. It is
// nil of fewer than two seeds, or of different ones.
func (r Retrained) Minus(other Retrained) *Difference {
	if n := len(r.Trials); n < 2 || !slices.Equal(r.Seeds(), other.Seeds()) {
		return nil
	}
	tested := r.TestScore() != nil && other.TestScore() != nil
	var differences []float64
	for i, t := range r.Trials {
		by := t.ScoreOrZero() - other.Trials[i].ScoreOrZero()
		if tested {
			by = *t.TestScore - *other.Trials[i].TestScore
		}
		differences = append(differences, by)
	}
	mean, deviation := stat.MeanStdDev(differences, nil)
	n := float64(len(differences))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return &Difference{Mean: mean, Low: mean - half, High: mean + half}
}

// Final is what of a search was trained again: the structure that is best in the mean, nil
// where there is none, the best of the named models, and their difference, nil where there is
// nothing to compare.
type Final struct {
	Best, Named *Retrained
	Difference  *Difference
}

// FinalOf sums up what was trained again.
func FinalOf(all []Retrained) (f Final) {
	var found *Retrained
	for i, r := range all {
		switch {
		case r.Name != "" && f.Named == nil:
			f.Named = &all[i]
		case r.Name == "" && found == nil:
			found = &all[i]
		}
	}
	if len(all) > 0 {
		f.Best = &all[0]
	}
	if found != nil && f.Named != nil {
		f.Difference = found.Minus(*f.Named)
	}
	return f
}
