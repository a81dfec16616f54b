package search

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

const (
	// tunedModels is how many of the named models recipes are tried on.
	tunedModels = 2
	// confirmedRecipes, the best ones, are trained with confirmingSeeds others, which decide:
	// the best of many is flattered by the seed that it was chosen with.
	confirmedRecipes = 3
	confirmingSeeds  = 2
	// tryingStream and a number, and not those of rounds, decide a proposal.
	tryingStream = 1 << 62
)

// tuner is the stage that tunes the recipe over a [Space]. Each recipe trains the same models,
// for a third of the epochs; the best third of the recipes goes on to all of them, and the best
// of these, to other seeds. All it knows it reads from its trials.
type tuner struct {
	settings Settings
	base     task.Recipe
	trials   []task.Trial // of the stage
	models   []task.Trial // whose structures are trained
}

func newTuner(s Settings, trials []task.Trial) *tuner {
	t := &tuner{settings: s, base: s.TrialRecipe(), trials: of(task.Tuning, trials)}
	begun := slices.DeleteFunc(slices.Clone(t.trials), func(trial task.Trial) bool { return trial.Recipe != t.base })
	t.models = bestFirst(begun)
	t.models = t.models[:min(len(t.models), tunedModels)]
	return t
}

// TunedOn says what recipes of a [Space] are tried on.
func (s Settings) TunedOn() string {
	if s.K != 4 {
		return "a structure like SimplE"
	}
	return "the best two named models"
}

// short is a recipe for the first part of the epochs.
func (t *tuner) short(r task.Recipe) task.Recipe {
	r.Training.Epochs = (r.Training.Epochs + halving - 1) / halving
	return r
}

// first are the trials that decide which models recipes are tried on: all named ones by the
// recipe to begin with.
func (t *tuner) first() (trials []task.Trial) {
	if t.settings.K != 4 {
		return []task.Trial{{Structure: tuned(t.settings.K), Recipe: t.base}}
	}
	for _, named := range structure.Baselines() {
		trials = append(trials, task.Trial{Name: named.Name, Structure: named.Structure, Recipe: t.base})
	}
	return trials
}

// on are trials of the models by a recipe.
func (t *tuner) on(r task.Recipe) (trials []task.Trial) {
	for _, m := range t.models {
		trials = append(trials, task.Trial{Name: m.Name, Structure: m.Structure, Recipe: r})
	}
	return trials
}

// mean is what the models reached by a recipe, in the mean; false where one has not ended.
func (t *tuner) mean(r task.Recipe) (float64, bool) {
	var all []float64
	for _, m := range t.models {
		i := slices.IndexFunc(t.trials, func(b task.Trial) bool { return b.Structure == m.Structure && b.Recipe == r && b.State != task.Running })
		if i < 0 {
			return 0, false
		}
		all = append(all, t.trials[i].ScoreOrZero())
	}
	return stat.Mean(all, nil), len(all) > 0
}

// rated are the recipes of the dimension of the search with results for so many epochs and a
// seed, in the order in which they were tried.
func (t *tuner) rated(epochs int, seed uint64) (all []rated) {
	for _, trial := range t.trials {
		r := trial.Recipe
		if r.Training.Epochs != epochs || r.Training.Dim != t.base.Training.Dim || r.Seed != seed || slices.ContainsFunc(all, func(b rated) bool { return b.recipe == r }) {
			continue
		}
		if score, ended := t.mean(r); ended {
			all = append(all, rated{r, score})
		}
	}
	return all
}

// whole are those with results for all epochs, best first.
func (t *tuner) whole() []rated {
	all := t.rated(t.base.Training.Epochs, t.base.Seed)
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
	return all
}

// next are the trials to come, none where the recipe is found. hurry ends the trying.
func (t *tuner) next(hurry bool) []task.Trial {
	if len(t.trials) == 0 {
		return t.first()
	}
	if len(t.models) == 0 {
		return nil // all diverged
	}
	tried := t.rated(t.short(t.base).Training.Epochs, t.base.Seed)
	if trials := t.promoted(tried); len(trials) > 0 && !hurry {
		return trials
	}
	if len(tried) < t.settings.Tune.Trials && !hurry {
		if trials := t.another(tried); len(trials) > 0 {
			return trials
		}
	}
	return t.confirming()
}

// promoted is the next recipe that is worth all epochs, if there is one: no more than a third
// of those that were tried are.
func (t *tuner) promoted(tried []rated) []task.Trial {
	whole := t.whole()
	places := (len(tried) + halving - 1) / halving
	best := slices.Clone(tried)
	slices.SortStableFunc(best, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
	for _, b := range best[:places] {
		r := b.recipe
		r.Training.Epochs = t.base.Training.Epochs
		if _, ended := t.mean(r); !ended && len(whole)-1 < places { // the first recipe has no place
			return t.on(r)
		}
	}
	return nil
}

// another is a recipe that was not tried.
func (t *tuner) another(tried []rated) []task.Trial {
	if len(tried) == 0 && t.short(t.base) != t.base {
		return t.on(t.short(t.base))
	}
	rng := rand.New(rand.NewPCG(t.settings.Seed, tryingStream+uint64(len(tried))))
	if r, found := t.settings.Tune.Space.draw(t.short(t.base), tried, t.settings.K, rng); found {
		return t.on(r)
	}
	return nil
}

// confirming are the best recipes with other seeds.
func (t *tuner) confirming() (trials []task.Trial) {
	best := t.whole()
	best = best[:min(len(best), confirmedRecipes)]
	if len(best) < 2 {
		return nil
	}
	for _, b := range best {
		for i := range confirmingSeeds {
			r := b.recipe
			r.Seed += 1 + uint64(i)
			if _, ended := t.mean(r); !ended {
				trials = append(trials, t.on(r)...)
			}
		}
	}
	return trials
}

// toConfirm is how long that is likely to take.
func (t *tuner) toConfirm() float64 {
	longest := 0.0
	for _, trial := range t.trials {
		if trial.Recipe.Training.Epochs == t.base.Training.Epochs {
			longest = max(longest, trial.Seconds)
		}
	}
	return longest * confirmedRecipes * confirmingSeeds * tunedModels
}

// chosen are the recipes that were trained for all epochs, best first: those that were
// confirmed by the mean of the other seeds, and then the rest.
func (t *tuner) chosen() []rated {
	var confirmed, rest []rated
	for _, w := range t.whole() {
		var means []float64
		for i := range confirmingSeeds {
			r := w.recipe
			r.Seed += 1 + uint64(i)
			if score, ended := t.mean(r); ended {
				means = append(means, score)
			}
		}
		if len(means) == confirmingSeeds {
			confirmed = append(confirmed, rated{w.recipe, stat.Mean(means, nil)})
		} else {
			rest = append(rest, w)
		}
	}
	slices.SortStableFunc(confirmed, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
	return append(confirmed, rest...)
}

// trainTuning is trainRunning for the first stage, whose time is over where a plan says so: what
// is not trained by then is left out.
func (s *searcher) trainTuning(ctx context.Context) (over bool, err error) {
	if s.plan != nil && s.plan.Tuned {
		return true, nil
	}
	err = s.trainRunning(ctx, task.Tuning)
	if s.plan != nil && errors.Is(err, task.ErrDeadlineExceeded) {
		return true, nil
	}
	return false, err
}

// tuneOverSpace is the first stage where there is a [Space].
func (s *searcher) tuneOverSpace(ctx context.Context) error {
	for {
		over, err := s.trainTuning(ctx)
		if err != nil {
			return err
		}
		t := newTuner(s.Settings, s.trials)
		var trials []task.Trial
		if begun := len(of(task.Searching, s.trials)) > 0; !begun && !over {
			trials = t.next(s.isOver(func(p *Plan) time.Duration { return p.TuneUntil - seconds(t.toConfirm()) }))
		}
		if len(trials) == 0 {
			best := t.chosen()
			if len(best) > 0 {
				s.recipe = best[0].recipe
			} else if !over {
				return errors.New("all trainings of the tuning stage diverged: lower the learning rate to begin with")
			}
			return nil
		}
		if err := s.put(Change{Trials: s.numbered(task.Tuning, trials)}); err != nil {
			return err
		}
	}
}

// numbered are new trials of a stage.
func (s *searcher) numbered(stage task.Stage, trials []task.Trial) []task.Trial {
	for i := range trials {
		trials[i].Number, trials[i].Stage, trials[i].State = len(s.trials)+i+1, stage, task.Running
	}
	return trials
}

// tunedRecipes are the trials of the tuning stage, best first; over a [Space] one for each
// recipe that was confirmed, or where none was that was trained for all epochs, with the mean
// that decided.
func tunedRecipes(s Settings, trials []task.Trial) []task.Trial {
	if s.Tune == nil || s.Tune.Space == nil {
		return bestFirst(of(task.Tuning, trials))
	}
	t := newTuner(s, trials)
	var all []task.Trial
	recipes := t.chosen()
	if n := min(len(recipes), confirmedRecipes); n > 1 {
		recipes = recipes[:n]
	}
	for _, c := range recipes {
		i := slices.IndexFunc(t.trials, func(b task.Trial) bool { return b.Recipe == c.recipe && b.Structure == t.models[0].Structure })
		trial := t.trials[i]
		trial.Score, trial.TestScore = &c.score, nil
		all = append(all, trial)
	}
	return all
}

// triedRecipes has a trial of each recipe that was tried.
func (s *searcher) triedRecipes() (all []task.Trial) {
	trials := of(task.Tuning, s.trials)
	if s.Settings.Tune.Space == nil {
		return trials
	}
	t := newTuner(s.Settings, s.trials)
	for _, r := range t.rated(t.short(t.base).Training.Epochs, t.base.Seed) {
		i := slices.IndexFunc(trials, func(b task.Trial) bool { return b.Recipe == r.recipe })
		all = append(all, trials[i])
	}
	return all
}
