package stage

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TuneEach gives each of the best structures and each baseline a recipe of its own, after the same
// number of trials. The penalty that suits one structure may not suit another, so one recipe for all
// would decide which of them seems best.
type TuneEach struct{ search.StageBase }

// Next implements [search.Stage]. In each step, all models that have the fewest trials try a recipe.
func (TuneEach) Next(_ context.Context, s *search.State) (search.Step, error) {
	if s.Settings.TuneEach == nil || s.Plan != nil && s.Plan.NoSearch ||
		len(s.InStage(task.Retraining)) > 0 { // which has chosen the recipes
		return done, nil
	}
	if p := s.Population(task.TuningEach, s.MaxPopulation(), nil); len(p) > 0 {
		return trainEach(s, p), nil
	}
	if s.TimeIsUp() || s.Plan != nil && s.Used() >= s.Plan.EachUntil {
		return outOfTime(s), nil
	}
	var trials []task.Trial
	tuners := eachTuners(s.Settings, eachModels(s.Settings, s.Trials), s.Trials)
	fewest := fewestTrials(tuners)
	for _, t := range tuners {
		if len(t.trials) > fewest {
			continue
		}
		next := t.next(false)
		if len(next) == 0 {
			return done, nil
		}
		trials = append(trials, next...)
	}
	if len(trials) == 0 {
		return done, nil
	}
	return search.Step{Change: &search.Change{
		Trials: groupByTraining(s.Numbered(task.TuningEach, trials)),
	}}, nil
}

// trainEach returns the training step of a population. A plan ends the stage while there is time
// left for retraining.
func trainEach(s *search.State, population []task.Trial) search.Step {
	step := search.Step{
		Train: population, Deadline: s.TimeLimit(), OnTimeout: search.NextStageThenStop,
	}
	if s.Plan != nil {
		step.Deadline, step.OnTimeout = min(s.TimeLimit(), s.Plan.EachUntil), search.NextStage
	}
	return step
}

// Trained keeps the best model that trained for all epochs, if it is better than the kept one.
func (e TuneEach) Trained(s *search.State, c *search.Change, artifacts []task.Artifact) error {
	artifacts = slices.Clone(artifacts)
	for i := range artifacts {
		if c.Trials[i].Recipe.Training.Epochs < s.Settings.Training.Epochs {
			artifacts[i] = nil
		}
	}
	return e.StageBase.Trained(s, c, artifacts)
}

// Progress counts recipes, which all models try.
func (TuneEach) Progress(s *search.State, _ []task.Trial, p *search.Progress) {
	p.Budget, p.Trained = s.Settings.TuneEach.Trials*len(eachModels(s.Settings, s.Trials)), 0
	for _, t := range s.InStage(task.TuningEach) {
		if t.State != task.Running && t.Recipe.Training.Epochs < s.Settings.Training.Epochs {
			p.Trained++
		}
	}
}

// eachTuners returns a tuner for each model. A tuner begins with the trial of the search, in which
// the model has the initial recipe and all epochs.
func eachTuners(s search.Settings, models, trials []task.Trial) (all []*tuner) {
	tuners, classes := map[class]*tuner{}, classes{}
	for _, model := range models {
		t := &tuner{
			settings: s, tune: *s.TuneEach, base: model.Recipe, models: []task.Trial{model},
			trials: []task.Trial{model}, each: true,
		}
		tuners[classes.of(model)] = t
		all = append(all, t)
	}
	for _, trial := range task.InStage(task.TuningEach, trials) {
		if t := tuners[classes.of(trial)]; t != nil {
			t.trials = append(t.trials, trial)
		}
	}
	return all
}

// eachModels returns trials of the models that the stage tunes: the best found structures, which
// retraining takes first, and all baselines. Of equivalent structures it takes the best, as tuning
// tries the layouts of the others too; of those that a larger budget found later, none.
func eachModels(s search.Settings, trials []task.Trial) (models []task.Trial) {
	left, _ := s.RetrainCounts()
	searched := task.BestFirst(task.InStage(task.Searching, trials))
	seen, classes := map[class]bool{}, classes{}
	for _, t := range searched {
		if t.Name == "" && (left <= 0 || seen[classes.of(t)]) {
			continue
		}
		if t.Name == "" {
			seen[classes.of(t)] = true
			left--
		}
		models = append(models, t)
	}
	stage, begun := task.InStage(task.TuningEach, trials), firstOf(task.TuningEach, trials)
	for i, m := range models {
		isTuned := func(t task.Trial) bool { return classes.of(t) == classes.of(m) }
		if m.Number < begun || !slices.ContainsFunc(stage, isTuned) {
			continue
		}
		for _, t := range searched { // the one of its class that was there
			if t.Number < begun && isTuned(t) {
				models[i] = t
				break
			}
		}
	}
	return models
}

// firstOf returns the number of the first trial of a stage, a large one if it has none.
func firstOf(stage task.Stage, trials []task.Trial) int {
	if in := task.InStage(stage, trials); len(in) > 0 {
		return in[0].Number
	}
	return math.MaxInt
}

// classes computes the class of each model once: a search has many trials of few models.
type classes map[task.Model]class

// class identifies a baseline, or equivalent structures that the search found.
type class struct {
	name  string
	model task.Model // with canonical structures
}

func (c classes) of(t task.Trial) class {
	model := t.Model()
	if t.Name != "" {
		return class{name: t.Name}
	}
	known, has := c[model]
	if !has {
		known.model = task.Model{
			Form: model.Form, Structure: model.Structure.Canonical(structure.Full),
			Message: model.Message.Canonical(structure.Full),
		}
		c[model] = known
	}
	return known
}

// fewestTrials returns the number of trials of the tuner that has the fewest.
func fewestTrials(tuners []*tuner) int {
	if len(tuners) == 0 {
		return 0
	}
	fewest := slices.MinFunc(tuners, func(a, b *tuner) int {
		return cmp.Compare(len(a.trials), len(b.trials))
	})
	return len(fewest.trials)
}

// tunedModels returns the models of the search, the best first, as the trial with the best recipe
// that the stage found for each. Those that were not tuned have their scores of the search.
func tunedModels(s search.Settings, trials []task.Trial) []task.Trial {
	models, classes := task.BestFirst(task.InStage(task.Searching, trials)), classes{}
	var tuned []task.Trial
	begun := firstOf(task.TuningEach, trials)
	for _, t := range endedTuners(s, trials) {
		best := t.full()[0]
		at := slices.IndexFunc(t.trials, func(trial task.Trial) bool {
			return t.choiceOf(trial) == best.choice
		})
		tuned = append(tuned, t.trials[at])
		models = slices.DeleteFunc(models, func(m task.Trial) bool {
			return isSameModel(m, t.models[0]) ||
				m.Number < begun && classes.of(m) == classes.of(t.models[0])
		})
	}
	return task.BestFirst(append(tuned, models...))
}

// endedTuners returns the tuners of the models that the stage tunes, with the trials that have a
// result. All have the same number of trials: the fewest, if a time limit ended the stage. It
// returns none if some model has no result. A structure that a larger budget found after the stage
// is left out.
func endedTuners(s search.Settings, trials []task.Trial) []*tuner {
	stage := task.InStage(task.TuningEach, trials)
	if s.TuneEach == nil || len(stage) == 0 {
		return nil
	}
	ended := slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool {
		return t.State == task.Running
	})
	tuners := slices.DeleteFunc(eachTuners(s, eachModels(s, ended), ended), func(t *tuner) bool {
		return len(t.trials) == 1 && t.models[0].Number > stage[0].Number
	})
	fewest := fewestTrials(tuners)
	if fewest == 1 {
		return nil
	}
	for _, t := range tuners {
		t.trials = t.trials[:fewest]
	}
	return tuners
}
