package stage

import (
	"context"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Default trains the default model of the task, as a training without a search does. A search with
// a time limit begins with it, so that it always keeps a model, and must beat it. If validation
// data cannot select between models, the search ends with it.
type Default struct{ search.StageBase }

// Next implements [search.Stage].
func (Default) Next(ctx context.Context, s *search.State) (search.Step, error) {
	reason := s.Task.CannotSelect()
	if reason == "" && !beginsWithDefault(s) {
		return done, nil
	}
	trials := s.InStage(task.Default)
	switch {
	case len(trials) == 0 && s.Settings.Planned != nil && s.Settings.TimeLimit == 0 && s.Plan == nil:
		return done, ErrNoTimeLimit
	case len(trials) == 0:
		t, found, err := defaultTrial(ctx, s, reason == "")
		if err != nil {
			return done, err
		}
		if found {
			return propose(s, task.Default, []task.Trial{t}), nil
		}
	case trials[0].State == task.Running:
		step := trainDefault(s)
		if reason == "" {
			step.Deadline = time.Duration(trials[0].TimeShare * float64(s.TimeLimit()))
		}
		return step, nil
	}
	if reason != "" {
		return search.Step{
			Done: true, EndSearch: true, Stopped: search.CannotSelect,
			Note: reason + ", so no structure can be selected; the default model was trained",
		}, nil
	}
	return done, nil
}

// beginsWithDefault returns true if the default model competes with those of the search. A study
// that began without it resumes without it.
func beginsWithDefault(s *search.State) bool {
	begun := len(s.Trials) > 0 && s.Trials[0].Stage != task.Default
	return s.Settings.Planned != nil && !begun
}

const (
	// defaultShare of the time is for training the default model: an ensemble of two models is
	// better than one that trains for twice as long.
	defaultShare = 0.5
	// stepShare of the time of a training is for its steps. The rest is for validating and ranking.
	stepShare = 0.85
)

// defaultTrial returns the trial of the default model, false if the task has none. Its dimension
// and its epochs follow the measured pace, unless they are given. The trial is stored before it
// trains, so that a resumed search has the same one.
func defaultTrial(
	ctx context.Context, s *search.State, validates bool,
) (t task.Trial, found bool, err error) {
	if t, found = s.Task.Default(s.Settings.FirstForm()); !found {
		return t, false, nil
	}
	if s.Default != nil {
		t.Recipe.Recipe = *s.Default
	}
	t.Recipe.Seed = s.Settings.Seed
	training := &t.Recipe.Training
	if !validates {
		training.SkipValidation()
	}
	if k := t.Structure.K(); k > 0 { // which may differ from that of the search
		training.Dim = max(1, training.Dim/k) * k
		if block := t.Recipe.N3Block; block > 1 && k%block != 0 {
			t.Recipe.N3Block = 0
		}
	}
	if s.Settings.Planned != nil {
		share := defaultShare
		if !validates { // the search ends with this training
			share = 1
		}
		if t, err = fitDefault(ctx, s, t, share); err != nil {
			return t, false, err
		}
		training = &t.Recipe.Training
	}
	training.Precision, err = s.Task.Precision(*training, t.Form)
	return t, true, err
}

// fitDefault returns the trial of the default model with a dimension and epochs for a share of the
// time. If only a short training of the smallest dimension fits, there is time for one good model,
// which gets all of it.
func fitDefault(
	ctx context.Context, s *search.State, t task.Trial, share float64,
) (task.Trial, error) {
	follow := kge.Fit{Dim: s.Settings.Planned.Dim, Epochs: s.Settings.Planned.Epochs}
	left := stepShare * (share*s.TimeLimit().Seconds() - s.Used().Seconds())
	fitted, err := s.Task.FitTime(ctx, t, left, follow)
	if err != nil {
		return t, err
	}
	if share < 1 && follow.Dim && fitted.Dim < 2*kge.MinDim && fitted != t.Recipe.Training {
		return fitDefault(ctx, s, t, 1)
	}
	t.TimeShare, t.Recipe.Training = share, fitted
	return t, nil
}

// trainDefault returns the training step of the stage, which stops early at the time limit.
func trainDefault(s *search.State) search.Step {
	return search.Step{
		Train:      s.Population(task.Default, 1, nil),
		TestSample: true,
		Ranked:     budget.Sample(s.TaskSize()),
		Deadline:   s.TimeLimit(),
		StopEarly:  s.TimeLimit() > 0,
		OnTimeout:  search.NextStageThenStop,
	}
}

// Trained keeps the best model of the stage, and stores all of them for an ensemble.
func (Default) Trained(s *search.State, c *search.Change, artifacts []task.Artifact) error {
	return Retraining{}.Trained(s, c, artifacts)
}

// Baselines trains more baselines, and then more seeds of the best two, if the time limit is too
// short for a search.
type Baselines struct{ Default }

// Next implements [search.Stage].
func (Baselines) Next(ctx context.Context, s *search.State) (search.Step, error) {
	if s.Plan == nil || !s.Plan.NoSearch {
		return done, nil
	}
	trials := s.InStage(task.Default)
	if len(trials) == 0 {
		return done, nil
	}
	limit := s.TimeLimit()
	if s.Settings.Ensemble > 0 {
		limit -= time.Duration(ensembleShare * float64(limit))
	}
	if trials[len(trials)-1].State == task.Running {
		step := trainDefault(s)
		step.Deadline = limit
		return step, nil
	}
	longest := 0.0
	for _, t := range trials {
		longest = max(longest, t.Seconds)
	}
	left := (limit - s.Used()).Seconds()
	next, isSeed := nextBaseline(trials)
	cools := next.Recipe.Training.Cooldown > 0
	least := leastShare
	if isSeed && cools { // its learning rate must fall as in the other seeds
		least = 1
	}
	if len(trials) >= maxCandidates || left < least*longest {
		return search.Step{
			Done: true, Stopped: search.TimeLimitReached, Note: "too little time for a search",
		}, nil
	}
	var err error
	if !isSeed && cools {
		next, err = fitEpochs(ctx, s, next, left)
	}
	return propose(s, task.Default, []task.Trial{next}), err
}

// fitEpochs returns a trial with those epochs of the default model that fit into some seconds.
func fitEpochs(
	ctx context.Context, s *search.State, t task.Trial, left float64,
) (task.Trial, error) {
	whole, found := s.Task.Default(form.Bilinear)
	if s.Default != nil {
		whole.Recipe.Recipe = *s.Default
	}
	if !found || !s.Settings.Planned.Epochs {
		return t, nil
	}
	t.Recipe.Training.Epochs = whole.Recipe.Training.Epochs
	var err error
	t.Recipe.Training, err = s.Task.FitTime(ctx, t, stepShare*left, kge.Fit{Epochs: true})
	return t, err
}

const (
	// leastShare of the time of a whole training makes one with fewer epochs worth its time.
	leastShare = 0.3
	// ensembleShare of the time limit is for the ensemble of the baselines of a large graph. It
	// comes on top of the reserve that every search has for selecting, ranking and saving.
	ensembleShare = 0.06
)

// secondBaseline follows the default model. It is the baseline that differs most from it.
var secondBaseline = structure.MustParse("quate")

// nextBaseline returns the next training: the second baseline, then more seeds of the best two.
// isSeed is true if the structure was trained before.
func nextBaseline(trials []task.Trial) (next task.Trial, isSeed bool) {
	next.Structure, next.Recipe = secondBaseline, trials[0].Recipe
	seen := func(t task.Trial) bool { return t.Structure == secondBaseline }
	if slices.ContainsFunc(trials, seen) {
		next.Structure = leastTrained(trials, search.RetrainedOf(trials))
	}
	next.Name = next.Structure.Name()
	for _, t := range trials {
		if t.Structure == next.Structure {
			next.Recipe, isSeed = t.Recipe, true
		}
	}
	if isSeed {
		next.Recipe.Seed++
	}
	return next, isSeed
}

// leastTrained returns the structure with the fewest trials among the best two; the better one if
// both have as many.
func leastTrained(trials []task.Trial, best []search.Retrained) structure.Structure {
	least := trials[0].Structure
	count := len(trials) + 1
	for _, r := range best[:min(2, len(best))] {
		if n := len(r.Trials); n < count {
			least, count = r.Structure, n
		}
	}
	return least
}
