package stage

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Tuning chooses the recipe of the search. It tries random recipes on SimplE. With a
// [search.Space], a Parzen estimator proposes the recipes, which are tried on the best two
// baselines.
type Tuning struct{ search.StageBase }

// Recipe returns the recipe of the structures of the search: the best of the tuning stage so far,
// or that of the settings.
func Recipe(s *search.State) task.Recipe {
	if best := rankedRecipes(s.Settings, s.Trials); len(best) > 0 {
		return best[0].Recipe
	}
	return s.Settings.TrialRecipe()
}

// rankedRecipes returns the recipes that the tuning stage may choose, the best first.
func rankedRecipes(s search.Settings, trials []task.Trial) (all []ratedRecipe) {
	if s.Tune == nil {
		return nil
	}
	if s.Tune.Space != nil {
		return newTuner(s, trials).ranked()
	}
	for _, t := range task.BestFirst(task.InStage(task.Tuning, trials)) {
		all = append(all, ratedRecipe{choice{Recipe: t.Recipe}, t.ScoreOrZero()})
	}
	return all
}

// Next implements [search.Stage].
func (Tuning) Next(_ context.Context, s *search.State) (search.Step, error) {
	tune := s.Settings.Tune
	begun := len(s.InStage(task.HalvingRung))+len(s.InStage(task.Searching)) > 0
	if tune == nil || s.Plan != nil && s.Plan.Tuned || begun { // structures share one recipe
		return done, nil
	}
	if p := s.Population(task.Tuning, s.MaxPopulation(), nil); len(p) > 0 {
		return trainRecipes(s, p), nil
	}
	var next []task.Trial
	if tune.Space == nil {
		next = randomRecipes(s)
	} else {
		t := newTuner(s.Settings, s.Trials)
		hurry := s.Plan != nil && s.Used() >= s.Plan.TuneUntil-t.confirmationTime()
		next = s.Numbered(task.Tuning, t.next(hurry))
	}
	if len(next) > 0 && !endsWithoutPlan(s) {
		return search.Step{Change: &search.Change{Trials: next}}, nil
	}
	if len(rankedRecipes(s.Settings, s.Trials)) == 0 {
		return done, errors.New("all trainings of the tuning stage diverged: " +
			"lower its learning rates")
	}
	return done, nil
}

// endsWithoutPlan reports whether the time is up in a search without a plan that has a recipe.
func endsWithoutPlan(s *search.State) bool {
	return s.Plan == nil && s.TimeIsUp() && len(rankedRecipes(s.Settings, s.Trials)) > 0
}

// trainRecipes returns the training step of a population. A plan ends tuning while there is time left
// to compare structures. Without one, it goes on until there is a recipe.
func trainRecipes(s *search.State, population []task.Trial) search.Step {
	step := search.Step{Train: population}
	if s.Plan != nil {
		step.Deadline = min(s.TimeLimit(), s.Plan.SearchUntil)
		step.OnTimeout = search.NextStage
	} else if len(rankedRecipes(s.Settings, s.Trials)) > 0 {
		step.Deadline, step.OnTimeout = s.TimeLimit(), search.NextStageThenStop
	}
	return step
}

// randomRecipes returns the trials of random recipes on SimplE, all at once; none if they exist.
func randomRecipes(s *search.State) []task.Trial {
	if len(s.InStage(task.Tuning)) > 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.Settings.Seed, tuningStream))
	var trials []task.Trial
	for i := range s.Settings.Tune.Trials {
		trials = append(trials, task.Trial{
			Number: i + 1, Stage: task.Tuning, Structure: simple(s.Settings.K),
			Recipe: drawRecipe(s.Settings.Tune.Ranges, s.Settings.TrialRecipe(), rng),
			State:  task.Running,
		})
	}
	return groupByTraining(trials)
}

// Progress counts recipes, each of which may have several trials.
func (Tuning) Progress(s *search.State, _ []task.Trial, p *search.Progress) {
	p.Budget = s.Settings.Tune.Trials
	if s.Settings.Tune.Space != nil {
		t := newTuner(s.Settings, s.Trials)
		p.Trained = len(t.tried())
	}
}

// tunedRecipes returns trials of the recipes that were compared last, the best first. Those of a
// space have the mean score that decided.
func tunedRecipes(s search.Settings, trials []task.Trial) (tuned []task.Trial) {
	if s.Tune == nil || s.Tune.Space == nil {
		return task.BestFirst(task.InStage(task.Tuning, trials))
	}
	t := newTuner(s, trials)
	recipes := t.ranked()
	if n := min(len(recipes), budget.ConfirmedRecipes); n > 1 {
		recipes = recipes[:n]
	}
	for _, c := range recipes {
		i := slices.IndexFunc(t.trials, func(b task.Trial) bool {
			return b.Recipe == c.Recipe && b.Structure == t.models[0].Structure
		})
		trial := t.trials[i]
		trial.Score, trial.TestScore = &c.score, nil
		tuned = append(tuned, trial)
	}
	return tuned
}

// tuner tunes a recipe over a [search.Space]. Each recipe trains the same models, first for a third
// of the epochs. The best third of the recipes trains for all epochs. The best of these train with
// other seeds, whose mean score decides. Its state consists of its trials.
type tuner struct {
	settings search.Settings
	tune     search.TuneSettings
	base     task.Recipe
	trials   []task.Trial // of the stage
	models   []task.Trial // that recipes are tried on
	// each is true if every model has a tuner. All promote as many recipes, whether or not the
	// initial one is among the best, so that they have the same number of trials. Retraining has
	// the other seeds.
	each bool
}

// trialStream and the number of tried recipes seed a proposal.
const trialStream = 1 << 62

func newTuner(s search.Settings, trials []task.Trial) *tuner {
	t := &tuner{
		settings: s, tune: *s.Tune, base: s.TrialRecipe(), trials: task.InStage(task.Tuning, trials),
	}
	initial := slices.DeleteFunc(slices.Clone(t.trials), func(trial task.Trial) bool {
		return trial.Recipe != t.base
	})
	t.models = task.BestFirst(initial)
	t.models = t.models[:min(len(t.models), budget.TunedModels)]
	return t
}

// initialChoice returns the choice that tuning begins with.
func (t *tuner) initialChoice() choice { return choice{Recipe: t.base} }

// short returns a choice with the first third of the epochs.
func short(c choice) choice {
	c.Training.Epochs = promotions(c.Training.Epochs)
	return c
}

// initial returns the trials that select the models: the baselines with the initial recipe.
func (t *tuner) initial() []task.Trial {
	if !t.settings.HasBaselines() {
		return []task.Trial{{Structure: simple(t.settings.K), Recipe: t.base}}
	}
	return baselines(t.settings, t.base)
}

// trialsWith returns trials of the models with a choice.
func (t *tuner) trialsWith(c choice) (trials []task.Trial) {
	for _, m := range t.models {
		trials = append(trials, c.trial(m))
	}
	return trials
}

// trial returns the trial of a model with a choice.
func (c choice) trial(m task.Trial) task.Trial {
	return task.Trial{
		Name: m.Name, Form: m.Form, Structure: cmp.Or(c.layout, m.Structure), Recipe: c.Recipe,
	}
}

// choiceOf returns what a trial of the tuner tries.
func (t *tuner) choiceOf(trial task.Trial) choice {
	c := choice{Recipe: trial.Recipe}
	if t.each && trial.Structure != t.models[0].Structure {
		c.layout = trial.Structure
	}
	return c
}

// isSameModel reports whether two trials train the same model, whatever their recipes are.
func isSameModel(a, b task.Trial) bool { return a.Model() == b.Model() }

// mean returns the mean score of the models with a choice; false if a trial has not ended. It leaves
// out lost trials, and is 0 if all are lost.
func (t *tuner) mean(c choice) (float64, bool) {
	var all []float64
	for _, m := range t.models {
		wanted := c.trial(m)
		i := slices.IndexFunc(t.trials, func(b task.Trial) bool {
			return isSameModel(b, wanted) && b.Recipe == c.Recipe && b.State != task.Running
		})
		if i < 0 {
			return 0, false
		}
		if t.trials[i].State != task.Lost {
			all = append(all, t.trials[i].ScoreOrZero())
		}
	}
	if len(all) == 0 {
		return 0, len(t.models) > 0
	}
	return stat.Mean(all, nil), true
}

// rated returns the recipes with results for a number of epochs and a seed, in the order of their
// trials. It leaves out recipes of another dimension than the search.
func (t *tuner) rated(epochs int, seed uint64) (all []ratedRecipe) {
	for _, trial := range t.trials {
		c := t.choiceOf(trial)
		if c.Training.Epochs != epochs || c.Training.Dim != t.base.Training.Dim ||
			c.Seed != seed || isRated(all, c) {
			continue
		}
		if score, ended := t.mean(c); ended {
			all = append(all, ratedRecipe{c, score})
		}
	}
	return all
}

// tried returns the recipes with results for the first third of the epochs.
func (t *tuner) tried() []ratedRecipe {
	return t.rated(short(t.initialChoice()).Training.Epochs, t.base.Seed)
}

// full returns the recipes with results for all epochs, the best first.
func (t *tuner) full() []ratedRecipe {
	all := t.rated(t.base.Training.Epochs, t.base.Seed)
	sortRecipes(all)
	return all
}

// next returns the next trials, none once the recipe is chosen. With hurry, it tries no more
// recipes.
func (t *tuner) next(hurry bool) []task.Trial {
	if len(t.trials) == 0 {
		return t.initial()
	}
	if len(t.models) == 0 {
		return nil // all diverged
	}
	tried := t.tried()
	if trials := t.promote(tried); len(trials) > 0 && !hurry {
		return trials
	}
	if len(tried) < t.tune.Trials && !hurry {
		if trials := t.proposeRecipe(tried); len(trials) > 0 {
			return trials
		}
	}
	return t.confirm()
}

// promote returns the trials of the next recipe to train for all epochs, one of the best third of
// the tried ones.
func (t *tuner) promote(tried []ratedRecipe) []task.Trial {
	full := t.full()
	places := promotions(len(tried))
	best := slices.Clone(tried)
	sortRecipes(best)
	if t.each {
		best = slices.DeleteFunc(best, func(b ratedRecipe) bool { return b.choice == short(t.initialChoice()) })
	}
	for _, b := range best[:min(len(best), places)] {
		c := b.choice
		c.Training.Epochs = t.base.Training.Epochs
		// The initial recipe is among the full ones and takes no place.
		if _, ended := t.mean(c); !ended && len(full)-1 < places {
			return t.trialsWith(c)
		}
	}
	return nil
}

// proposeRecipe returns the trials of a recipe that was not tried yet.
func (t *tuner) proposeRecipe(tried []ratedRecipe) []task.Trial {
	initial := t.initialChoice()
	if len(tried) == 0 && short(initial) != initial {
		return t.trialsWith(short(initial))
	}
	rng := rand.New(rand.NewPCG(t.settings.Seed, trialStream+uint64(len(tried))))
	space := recipeSpace{*t.tune.Space}
	if c, found := space.draw(short(initial).Recipe, tried, t.trainable(), rng); found {
		return t.trialsWith(c)
	}
	return nil
}

// trainable returns models that a recipe must be able to train: those that it is tried on, and
// structures with each number of chunks of the search that uses it.
func (t *tuner) trainable() []task.Trial {
	models := slices.Clone(t.models)
	for _, k := range t.settings.Ks() {
		if !t.each {
			models = append(models, task.Trial{Structure: simple(k)})
		}
	}
	return models
}

// confirmingSeed is the first seed of the confirmation of recipes, relative to that of the search. It is
// far from those of retraining, whose scores must not be those that chose a recipe.
const confirmingSeed = 1000

// confirm returns the trials of the best recipes with other seeds.
func (t *tuner) confirm() (trials []task.Trial) {
	best := t.full()
	best = best[:min(len(best), budget.ConfirmedRecipes)]
	if len(best) < 2 || t.each {
		return nil
	}
	for _, b := range best {
		for i := range budget.ConfirmingSeeds {
			c := b.choice
			c.Seed += confirmingSeed + uint64(i)
			if _, ended := t.mean(c); !ended {
				trials = append(trials, t.trialsWith(c)...)
			}
		}
	}
	return trials
}

// confirmationTime returns the expected duration of confirming the best recipes.
func (t *tuner) confirmationTime() time.Duration {
	longest := 0.0
	for _, trial := range t.trials {
		if trial.Recipe.Training.Epochs == t.base.Training.Epochs {
			longest = max(longest, trial.Seconds)
		}
	}
	trials := budget.ConfirmedRecipes * budget.ConfirmingSeeds * budget.TunedModels
	return time.Duration(longest * float64(trials) * float64(time.Second))
}

// ranked returns the recipes with results for all epochs, the best first: the confirmed ones by
// their mean over the other seeds, and then the rest. The score with which a recipe was selected is
// biased upwards.
func (t *tuner) ranked() []ratedRecipe {
	var confirmed, rest []ratedRecipe
	for _, f := range t.full() {
		var means []float64
		for i := range budget.ConfirmingSeeds {
			c := f.choice
			c.Seed += confirmingSeed + uint64(i)
			if score, ended := t.mean(c); ended {
				means = append(means, score)
			}
		}
		if len(means) == budget.ConfirmingSeeds {
			confirmed = append(confirmed, ratedRecipe{f.choice, stat.Mean(means, nil)})
		} else {
			rest = append(rest, f)
		}
	}
	sortRecipes(confirmed)
	return append(confirmed, rest...)
}

// ratedRecipe is a choice with its mean score.
type ratedRecipe struct {
	choice
	score float64
}

// sortRecipes sorts recipes, the best first.
func sortRecipes(all []ratedRecipe) {
	slices.SortStableFunc(all, func(a, b ratedRecipe) int { return cmp.Compare(b.score, a.score) })
}

func isRated(all []ratedRecipe, c choice) bool {
	return slices.ContainsFunc(all, func(b ratedRecipe) bool { return b.choice == c })
}
