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

// How many of the best are trained again if nothing is said, and by how many seeds at most
// where there is time left.
const (
	foundAgain = 3
	namedAgain = 2
	mostSeeds  = 24
	// againGroups of structures are trained again by a plan, where there is time: after the
	// first ones, so many more each time, which ensembles are the better for.
	againGroups = 3
	foundMore   = 2
	namedMore   = 1
)

// trainAgain is the stage in which the best structures found and the best named models are
// trained with other seeds, each structure's together: the best of many is flattered by the
// seed that it was chosen with. By a plan, there are as many more structures and then seeds as
// there is time for.
func (s *searcher) trainAgain(ctx context.Context) error {
	for _, stage := range []task.Stage{task.Retraining, task.Resplit} { // which a run before began
		if err := s.trainRunning(ctx, stage); err != nil {
			return err
		}
	}
	if s.timeIsUp() {
		return nil
	}
	recipe, err := s.chooseSize(ctx)
	if err != nil {
		return err
	}
	chosen := s.chosenAgain(0)
	if goOn, err := s.trainSeeds(ctx, chosen, recipe, 0); err != nil || !goOn {
		return err
	}
	if err := s.judgeBySplits(ctx, chosen, recipe); err != nil || s.plan == nil || !s.planned.Planned.Again {
		return err
	}
	for group := 1; group < againGroups; group++ {
		next := s.chosenAgain(group)
		if goOn, err := s.trainSeeds(ctx, next, recipe, 0); err != nil || !goOn {
			return err
		}
		chosen = append(chosen, next...)
	}
	for first := s.Settings.Again; first < mostSeeds; first += s.Settings.Again {
		if goOn, err := s.trainSeeds(ctx, chosen, recipe, first); err != nil || !goOn {
			return err
		}
	}
	return nil
}

// trainSeeds trains structures by the seeds from the first on, and says whether there is time to
// go on.
func (s *searcher) trainSeeds(ctx context.Context, chosen []task.Trial, recipe task.Recipe, first int) (goOn bool, err error) {
	for _, t := range chosen {
		trials := s.again(t, recipe, first)
		if len(trials) == 0 {
			continue
		}
		if s.timeIsUp() || !s.leaves(s.leastAgain()) {
			return false, nil
		}
		if err := s.put(Change{Trials: trials}); err != nil {
			return false, err
		}
		if err := s.trainRunning(ctx, task.Retraining); err != nil {
			return false, err
		}
	}
	return true, nil
}

// again are the trials of a structure with so many seeds from the first on, of which it has
// none yet.
func (s *searcher) again(of task.Trial, recipe task.Recipe, first int) (trials []task.Trial) {
	for i := range s.Settings.Again {
		r := recipe
		r.Seed += uint64(first+i) + 1
		has := func(t task.Trial) bool {
			return t.Stage == task.Retraining && t.Structure == of.Structure && t.Recipe.Seed == r.Seed
		}
		if !slices.ContainsFunc(s.trials, has) {
			trials = append(trials, task.Trial{Name: of.Name, Structure: of.Structure, Recipe: r})
		}
	}
	return s.numbered(task.Retraining, trials)
}

// leastAgain is how much time the seeds of a structure are worth beginning with: what those before
// took, or at first what the best of the search did, below which they would come to less.
func (s *searcher) leastAgain() float64 {
	if len(retrained(s.trials)) > 0 {
		return s.longestAgain()
	}
	if best := bestFirst(of(task.Searching, s.trials)); len(best) > 0 {
		return best[0].Seconds
	}
	return 0
}

// longestAgain is how long the seeds of a structure took at most.
func (s *searcher) longestAgain() float64 {
	longest := 0.0
	for _, t := range of(task.Retraining, s.trials) {
		longest = max(longest, t.Seconds*float64(s.Settings.Again))
	}
	return longest
}

// judgeAgain keeps beside what is trained again what it has left, since the best of it may come
// to be another one after more seeds or splits; and what the best seed of the structure has left
// that is the best then, where that is not kept so far. An ensemble, where one is kept, is so no
// longer.
func (s *searcher) judgeAgain(c *Change, artifacts []task.Artifact) error {
	stage := c.Trials[0].Stage
	if stage != task.Retraining && stage != task.Resplit {
		return nil
	}
	if stage == task.Retraining && (s.Settings.Ensemble+s.Settings.Splits > 0 || s.plan != nil) {
		c.Artifacts = map[int]task.Artifact{}
		for i, a := range artifacts {
			if a != nil {
				c.Artifacts[c.Trials[i].Number] = a
			}
		}
	}
	memory := Memory{trials: slices.Clone(s.trials)}
	_ = memory.Put(*c) // which cannot fail
	before, best := kept(of(task.Retraining, s.trials)), bestAgain(memory.trials)
	if best == nil || before != nil && before.Number == best.Number {
		return nil
	}
	if k := kept(s.trials); best.StoppedEarly && k != nil && k.ScoreOrZero() >= best.ScoreOrZero() {
		return nil // which came to less than what it was to better
	}
	at := slices.IndexFunc(c.Trials, func(t task.Trial) bool { return t.Number == best.Number })
	if at >= 0 && artifacts != nil {
		c.Best = artifacts[at]
	} else if at < 0 {
		var err error
		if c.Best, err = s.Store.Artifact(best.Number); err != nil {
			return err
		}
	}
	if c.Best == nil {
		return nil
	}
	c.Trials = slices.Clip(c.Trials) // behind them is what is trained next
	if best.Kept = true; at >= 0 {
		c.Trials[at] = *best
	} else {
		c.Trials = append(c.Trials, *best)
	}
	for _, no := range []*task.Trial{before, ensembleOf(s.trials)} {
		if no != nil && no.Kept {
			no.Kept = false
			c.Trials = append(c.Trials, *no)
		}
	}
	return nil
}

// bestAgain is the best seed of the structure that is best in the mean, nil where there is none.
func bestAgain(trials []task.Trial) *task.Trial {
	all := retrained(trials)
	if len(all) == 0 {
		return nil
	}
	seeds := bestFirst(all[0].Trials)
	if len(seeds) == 0 {
		return nil
	}
	return &seeds[0]
}

// chosenAgain are the best found and the best named structures, in turns; the next best ones for
// a later group.
func (s *searcher) chosenAgain(group int) (chosen []task.Trial) {
	from, to := [2]int{}, [2]int{}
	to[0], to[1] = s.Settings.timesAgain()
	if group > 0 {
		more := [2]int{foundMore, namedMore}
		for i := range to {
			from[i], to[i] = to[i]+(group-1)*more[i], to[i]+group*more[i]
		}
	}
	var all [2][]task.Trial
	for _, t := range bestFirst(of(task.Searching, s.trials)) {
		kind := 0
		if t.Name != "" {
			kind = 1
		}
		all[kind] = append(all[kind], t)
	}
	for i := range max(to[0], to[1]) {
		for kind, trials := range all {
			if i >= from[kind] && i < min(to[kind], len(trials)) {
				chosen = append(chosen, trials[i])
			}
		}
	}
	return chosen
}

// timesAgain is how many structures found and how many named models are trained again.
func (s Settings) timesAgain() (found, named int) {
	if s.AgainFound+s.AgainNamed == 0 {
		return foundAgain, namedAgain
	}
	return s.AgainFound, s.AgainNamed
}

// Retrained is a structure that was trained again with several seeds.
type Retrained struct {
	// Name is that of a named model, "" of a structure that was found.
	Name      string
	Structure structure.Structure
	// Trials are those of the seeds, in the order of these. Diverged ones count as 0 in
	// means.
	Trials []task.Trial
	// Splits are those by other splits of train and valid, whose seeds differ too.
	Splits []task.Trial
}

// Score is the mean over the splits, of which the one of the data has the mean over the seeds.
func (r Retrained) Score() float64 { return stat.Mean(r.bySplit(), nil) }

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

// retrained are the structures that have results of other seeds, the highest mean first.
func retrained(trials []task.Trial) []Retrained {
	var all []Retrained
	for _, t := range of(task.Retraining, trials) {
		if t.State == task.Running {
			continue
		}
		at := slices.IndexFunc(all, func(r Retrained) bool { return r.Structure == t.Structure })
		if at < 0 {
			at, all = len(all), append(all, Retrained{Name: t.Name, Structure: t.Structure})
		}
		all[at].Trials = append(all[at].Trials, t)
	}
	splits := of(task.Resplit, trials)
	unfinished := map[int]bool{} // splits, by which not all are judged yet
	for _, t := range splits {
		unfinished[t.Split] = unfinished[t.Split] || t.State == task.Running
	}
	for i := range all {
		for _, t := range splits {
			if t.Structure == all[i].Structure && !unfinished[t.Split] {
				all[i].Splits = append(all[i].Splits, t)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Retrained) int {
		// A structure that was judged by splits comes before one that was not.
		return cmp.Or(cmp.Compare(len(b.Splits), len(a.Splits)), cmp.Compare(b.Score(), a.Score()))
	})
	return all
}

// Difference is a mean of differences, seed by seed, with the interval in which it lies with a
// probability of 95 %, by Student's distribution: of the seeds only, not of the test data.
type Difference struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Tested is whether it is of test scores.
	Tested bool `json:"-"`
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

// Minus is the difference over the seeds that both have, of the test scores where all were
// tested, else of the scores. It is nil of fewer than two.
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
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return &Difference{Mean: mean, Low: mean - half, High: mean + half, Tested: tested}
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
