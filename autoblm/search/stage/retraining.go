package stage

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Retraining retrains the best found structures and the best baselines with other seeds, because
// the score with which a structure was selected is biased upwards. It chooses the dimension first,
// and may score the structures on other splits of the data too. With a plan, more structures and
// then more seeds follow as long as there is time.
type Retraining struct{ search.StageBase }

const (
	// maxSeeds is the maximum number of seeds per structure.
	maxSeeds = 24
	// retrainGroups is the maximum number of groups of structures. Each group after the first has
	// moreFound structures and moreBaselines baselines, which improve ensembles.
	retrainGroups = 3
	moreFound     = 2
	moreBaselines = 1
)

// Next implements [search.Stage].
func (Retraining) Next(_ context.Context, s *search.State) (search.Step, error) {
	if s.Settings.RetrainSeeds == 0 {
		return done, nil
	}
	for _, stage := range []task.Stage{task.Retraining, task.Resplit, task.Sizing} {
		if step := trainRetrained(s, stage); len(step.Train) > 0 {
			return step, nil
		}
	}
	if s.TimeIsUp() && len(s.InStage(task.Sizing)) == 0 {
		return outOfTime(s), nil
	}
	size, missing := retrainSize(s)
	if len(missing) > 0 {
		return propose(s, task.Sizing, missing), nil
	}
	chosen := withDefaultRecipe(s, retrainGroup(s, 0, size))
	if step, found := proposeSeeds(s, chosen, 0); found {
		return step, nil
	}
	if step, found := proposeSplits(s, chosen); found {
		return step, nil
	}
	if s.Plan == nil || !s.Requested.Planned.Retrain || s.Requested.Planned.FixedSeeds {
		return done, nil
	}
	for group := 1; group < retrainGroups; group++ {
		next := retrainGroup(s, group, size)
		if step, found := proposeSeeds(s, next, 0); found {
			return step, nil
		}
		chosen = append(chosen, next...)
	}
	seeds := s.Settings.RetrainSeeds
	for first := seeds; first < maxSeeds; first += seeds {
		if step, found := proposeSeeds(s, chosen, first); found {
			return step, nil
		}
	}
	return done, nil
}

// outOfTime ends the stage for lack of time. A plan has made use of all of its time; without one, models
// are missing.
func outOfTime(s *search.State) search.Step {
	if s.Plan != nil {
		return done
	}
	return search.Step{Done: true, Stopped: search.TimeLimitReached}
}

// trainRetrained returns the training step of the next population of a stage. The seeds of one
// structure are a population. With a plan, they stop early at the time limit.
func trainRetrained(s *search.State, stage task.Stage) search.Step {
	limit := s.MaxPopulation()
	var same func(a, b task.Trial) bool
	if stage == task.Retraining {
		limit = s.Settings.RetrainSeeds
		same = isSameModel
	}
	return search.Step{
		Train:      s.Population(stage, limit, same),
		TestSample: stage == task.Retraining,
		Deadline:   s.TimeLimit(),
		StopEarly:  s.Plan != nil && stage == task.Retraining,
		OnTimeout:  search.NextStageThenStop,
	}
}

// trainingSize has the settings that retraining changes in the recipe of a model.
type trainingSize struct{ dim, epochs, maxSteps int }

// of returns a recipe at the size.
func (z trainingSize) of(r task.Recipe) task.Recipe {
	r.Training.Dim, r.Training.Epochs, r.Training.MaxSteps = z.dim, z.epochs, z.maxSteps
	return r
}

// retrainSize returns the size of retraining. Among several dimensions, it chooses the one at which
// the best two models have the highest mean score. If trials of a dimension are missing, it returns
// them instead.
func retrainSize(s *search.State) (size trainingSize, missing []task.Trial) {
	training := Recipe(s).Training
	size = trainingSize{training.Dim, training.Epochs, training.MaxSteps}
	if before := s.InStage(task.Retraining); len(before) > 0 { // chosen with an earlier budget
		training = before[0].Recipe.Training
		return trainingSize{training.Dim, training.Epochs, training.MaxSteps}, nil
	}
	if s.Settings.RetrainEpochs > 0 {
		size.epochs, size.maxSteps = s.Settings.RetrainEpochs, s.Settings.RetrainSteps
	}
	dims := s.Settings.RetrainDims
	if len(dims) == 1 {
		size.dim = dims[0]
	}
	if len(dims) < 2 {
		return size, nil
	}
	best := tunedModels(s.Settings, s.Trials)
	models := best[:min(len(best), budget.TunedModels)]
	highest := -1.0
	for _, dim := range dims {
		at := size
		at.dim = dim
		score, missing := sizingScore(s, models, at)
		if len(missing) > 0 {
			return size, missing
		}
		if score > highest {
			size, highest = at, score
		}
	}
	return size, nil
}

// sizingScore returns the mean score of models at a size, and the trials that are missing for it. The
// score is NaN, which is not above any other, if all trials are lost.
func sizingScore(
	s *search.State, models []task.Trial, size trainingSize,
) (score float64, missing []task.Trial) {
	var scores []float64
	sizing := s.InStage(task.Sizing)
	for _, m := range models {
		recipe := size.of(m.Recipe)
		at := slices.IndexFunc(sizing, func(t task.Trial) bool {
			return isSameModel(t, m) && t.Recipe == recipe
		})
		if at < 0 {
			missing = append(missing, retrained(m, recipe))
		} else if sizing[at].State != task.Lost {
			scores = append(scores, sizing[at].ScoreOrZero())
		}
	}
	return stat.Mean(scores, nil), missing
}

// retrained returns a new trial of a model with a recipe.
func retrained(m task.Trial, recipe task.Recipe) task.Trial {
	return task.Trial{Name: m.Name, Form: m.Form, Structure: m.Structure, Recipe: recipe}
}

// retrainGroup returns the models of a group at the size of retraining. Found structures and
// baselines alternate, best first. A later group has the next best ones.
func retrainGroup(s *search.State, group int, size trainingSize) (chosen []task.Trial) {
	from, to := [2]int{}, [2]int{}
	to[0], to[1] = s.Settings.RetrainCounts()
	if group > 0 {
		for i, more := range [2]int{moreFound, moreBaselines} {
			from[i], to[i] = to[i]+(group-1)*more, to[i]+group*more
		}
	}
	var all [2][]task.Trial // found structures and baselines
	for _, t := range tunedModels(s.Settings, s.Trials) {
		kind := 0
		if t.Name != "" {
			kind = 1
		}
		all[kind] = append(all[kind], t)
	}
	for i := range max(to[0], to[1]) {
		for kind, trials := range all {
			if i >= from[kind] && i < min(to[kind], len(trials)) {
				t := trials[i]
				chosen = append(chosen, retrained(t, size.of(t.Recipe)))
			}
		}
	}
	return chosen
}

// withDefaultRecipe adds the best structure with the recipe of the default model, if retraining has
// another size than tuning: the tuned recipe may suit only the size that it was tuned at.
func withDefaultRecipe(s *search.State, chosen []task.Trial) []task.Trial {
	models := s.InStage(task.Default)
	if len(models) == 0 || models[0].State != task.Complete || len(chosen) == 0 {
		return chosen
	}
	added, tuned := chosen[0], Recipe(s)
	at := added.Recipe.Training
	asTuned := trainingSize{tuned.Training.Dim, tuned.Training.Epochs, tuned.Training.MaxSteps}
	switch {
	case at.Dim == tuned.Training.Dim && at.Epochs == tuned.Training.Epochs,
		asTuned.of(added.Recipe) == s.Settings.TrialRecipe(), // nothing was tuned
		isSameModel(added, models[0]), !models[0].HasBlocks() && added.IsEquivalent(models[0]):
		return chosen
	}
	message := added.Recipe.Training.Message
	if added.Recipe = models[0].Recipe; added.Recipe.Training.Encoder == kge.BLM {
		added.Recipe.Training.Message = message
	}
	added.Recipe.Seed = tuned.Seed
	k := max(1, added.Structure.K())
	added.Recipe.Training.Dim = max(1, added.Recipe.Training.Dim/k) * k
	if added.Recipe == chosen[0].Recipe ||
		added.Recipe.Training.ValidateFor(added.Member()) != nil { // such as N3 of moduli, for K = 3
		return chosen
	}
	return slices.Insert(chosen, 1, added)
}

// proposeSeeds proposes trials with the seeds from number first on, for the first structure that
// lacks some of them. If there is no time for them, the stage is done. It returns false if no seeds
// are missing.
func proposeSeeds(s *search.State, chosen []task.Trial, first int) (search.Step, bool) {
	for _, t := range chosen {
		missing := missingSeeds(s, t, first)
		if len(missing) == 0 {
			continue
		}
		if s.TimeIsUp() {
			return outOfTime(s), true
		}
		if !s.HasTimeFor(leastRetrainTime(s)) {
			return proposeLastSeed(s, missing)
		}
		return propose(s, task.Retraining, missing), true
	}
	return done, false
}

// missingSeeds returns trials of a structure and a recipe for those seeds, from number first on,
// that are missing.
func missingSeeds(s *search.State, of task.Trial, first int) (trials []task.Trial) {
	perTrial := uint64(max(1, s.Task.Supports().Seeds))
	for i := range s.Settings.RetrainSeeds {
		t := of
		t.Recipe.Seed += (uint64(first+i) + 1) * perTrial
		exists := func(b task.Trial) bool {
			return b.Stage == task.Retraining && isSameModel(b, t) && b.Recipe == t.Recipe
		}
		if !slices.ContainsFunc(s.Trials, exists) {
			trials = append(trials, t)
		}
	}
	return trials
}

// proposeLastSeed proposes one more seed if the time that is left is at least a part of its
// training, which then stops early. Otherwise the stage is done.
func proposeLastSeed(s *search.State, missing []task.Trial) (search.Step, bool) {
	whole := longestRetrainTime(s) / float64(s.Settings.RetrainSeeds)
	left := (s.TimeLimit() - s.Used()).Seconds()
	if s.Plan == nil || !s.Requested.Planned.Retrain || whole == 0 || left < leastShare*whole {
		return outOfTime(s), true
	}
	return propose(s, task.Retraining, missing[:1]), true
}

// leastRetrainTime returns how many seconds must be left to start retraining a structure: the
// longest time that this took so far. At first it is the training time of the best structure,
// because retraining would not reach the same score in less.
func leastRetrainTime(s *search.State) float64 {
	if len(search.RetrainedOf(s.Trials)) > 0 {
		return longestRetrainTime(s)
	}
	best := task.BestFirst(s.InStage(task.Searching))
	if len(best) == 0 {
		return 0
	}
	if best[0].Seconds == 0 { // the result is that of the default model
		return s.InStage(task.Default)[0].Seconds
	}
	return best[0].Seconds
}

// longestRetrainTime returns the longest time of the seeds of a structure in seconds.
func longestRetrainTime(s *search.State) float64 {
	longest := 0.0
	for _, t := range s.InStage(task.Retraining) {
		longest = max(longest, t.Seconds*float64(s.Settings.RetrainSeeds))
	}
	return longest
}

// proposeSplits proposes the trials of the next other split. With few validation examples, the mean
// over several splits is a better estimate. These trials only give scores, and no artifact is
// stored. It returns false if no trials are missing or there is no time for them.
func proposeSplits(s *search.State, chosen []task.Trial) (search.Step, bool) {
	resplit := s.InStage(task.Resplit)
	for split := 1; split <= s.Settings.RetrainSplits; split++ {
		if !canValidate(s.Task.Resplit(split)) {
			continue
		}
		var missing []task.Trial
		for _, t := range chosen {
			t.Split = split
			t.Recipe.Seed += uint64(split)
			exists := func(b task.Trial) bool {
				return isSameModel(b, t) && b.Recipe == t.Recipe && b.Split == split
			}
			if !slices.ContainsFunc(resplit, exists) {
				missing = append(missing, t)
			}
		}
		if len(missing) == 0 {
			continue
		}
		seconds := longestRetrainTime(s) * float64(len(missing)) / float64(s.Settings.RetrainSeeds)
		if s.TimeIsUp() || !s.HasTimeFor(seconds) {
			return done, false
		}
		return propose(s, task.Resplit, missing), true
	}
	return done, false
}

// canValidate returns false if a task has no validation data, as after an unlucky split.
func canValidate(t task.Task) bool {
	size := t.Size()
	return size == (task.Size{}) || size.Validation > 0
}

// Trained stores the artifacts that an ensemble may need. It stores the artifact of the best seed
// of the best structure as the best; more seeds or splits may change it. That artifact replaces a
// stored ensemble.
func (Retraining) Trained(s *search.State, c *search.Change, artifacts []task.Artifact) error {
	stage := c.Trials[0].Stage
	if stage == task.Sizing {
		return nil
	}
	if stage == task.Default || stage == task.Retraining &&
		(s.Settings.Ensemble+s.Settings.RetrainSplits > 0 || s.Plan != nil) {
		c.Artifacts = map[int]task.Artifact{}
		for i, a := range artifacts {
			if a != nil {
				c.Artifacts[c.Trials[i].Number] = a
			}
		}
	}
	before := search.KeptRetrained(s.Trials)
	all := search.WithTrials(s.Trials, c.Trials)
	best := bestRetrained(all)
	if best == nil || before != nil && before.Number == best.Number {
		return nil
	}
	kept := search.Kept(s.Trials)
	if kept != nil && kept.ScoreOrZero() >= best.ScoreOrZero() &&
		(best.StoppedEarly || best.Stage == task.Default && !wasRetrained(*kept, all)) {
		return nil
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
	c.Trials = slices.Clip(c.Trials) // appending must not overwrite the next population
	if best.Kept = true; at >= 0 {
		c.Trials[at] = *best
	} else {
		c.Trials = append(c.Trials, *best)
	}
	for _, replaced := range []*task.Trial{before, search.EnsembleOf(s.Trials)} {
		if replaced != nil && replaced.Kept {
			replaced.Kept = false
			c.Trials = append(c.Trials, *replaced)
		}
	}
	return nil
}

// wasRetrained reports whether the structure of a trial was retrained without stopping early, so
// that these scores replace its own. The default model is no retraining of its structure.
func wasRetrained(of task.Trial, trials []task.Trial) bool {
	return slices.ContainsFunc(trials, func(t task.Trial) bool {
		return t.Stage == task.Retraining && isSameModel(t, of) &&
			t.State != task.Running && t.State != task.Lost && !t.StoppedEarly
	})
}

// bestRetrained returns the best seed of the structure with the best mean, nil if there is none.
func bestRetrained(trials []task.Trial) *task.Trial {
	all := search.RetrainedOf(trials)
	if len(all) == 0 {
		return nil
	}
	seeds := task.BestFirst(all[0].Trials)
	if len(seeds) == 0 {
		return nil
	}
	return &seeds[0]
}
