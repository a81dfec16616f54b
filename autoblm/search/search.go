package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/listen"
)

// Problem is what a search is about.
type Problem struct {
	Task     task.Task
	Strategy Strategy
	Settings Settings
	// Store keeps the trials; a new [Memory] when nil.
	Store Store
	// MixEngines lets a search go on that another engine or instruction set began. Without
	// it that is [ErrOtherEngine].
	MixEngines bool
	// OnProgress, when set, is called often.
	OnProgress func(Progress)
	// Began is when the time of the search began; now when zero. OnPlan, when set, is told the
	// plan where the settings have one made.
	Began  time.Time
	OnPlan func(Plan)
}

// Progress tells how far a search is.
type Progress struct {
	Stage task.Stage
	// Named is set while the named models are trained, before the others.
	Named bool
	// Trained of Budget trials of the stage are finished, named models not counted.
	Trained, Budget int
	// Share of all training that is done, named models and all stages counted, 0 to 1.
	Share float64
	// Best is the best trial of the stage so far, nil when there is none.
	Best *task.Trial
	// Metric is what its score is, as "MRR".
	Metric string
}

// Stop says why a search ended.
type Stop string

// The reasons why a search ends.
const (
	BudgetSpent    Stop = "budget"
	SpaceExhausted Stop = "space exhausted"
	TimeUp         Stop = "time"
	Interrupted    Stop = "interrupted"
)

// Result is what a search came to.
type Result struct {
	// Tuned has the trials of the tuning stage and Finals those of the last one,
	// best first; both are empty where the settings leave the stage out.
	Tuned, Finals []task.Trial
	// Again are the structures that were trained again with other seeds, the highest mean
	// first.
	Again []Retrained
	// Settings are those that were followed: of a plan, where there is one.
	Settings Settings
	Plan     *Plan
	// Team is the trial that stands for the team that was chosen among them, nil where there
	// is none. Of one member it says that no team is better.
	Team *task.Trial
	// Recipe is how the structures of the search were trained.
	Recipe task.Recipe
	// Best has the up to I best structures of the search, best first.
	Best []task.Trial
	// Named has the human-designed models under the same recipe; empty when K is not 4.
	Named []task.Trial
	// Trials has all trials of the study by number, and Rounds all rounds.
	Trials []task.Trial
	Rounds []Round
	// Artifact is what the best trial of the search, named models counted, and of the stages
	// after it has left; nil when no trial was complete, or where the task keeps nothing. Kept
	// is that trial where there is an artifact.
	Artifact task.Artifact
	Kept     *task.Trial
	// Trained counts the finished trials of the strategy, Complete those of them
	// that did not diverge, and Resumed those that the store had before.
	Trained, Complete, Resumed int
	Stopped                    Stop
	// Note explains Stopped where there is more to say.
	Note string
	// Metric is what the scores are, as "MRR"; "" of what was read from a file.
	Metric string
	// Seconds is the time of all trials of the study, and Overhead that of all
	// rounds: strategy, filter and predictor.
	Seconds, Overhead float64
}

// Run searches until the budget is spent, or the strategy or the time has run
// out. When ctx ends, Run returns what there is, as [Interrupted], without an
// error; the same call with the same store goes on from there.
func Run(ctx context.Context, p Problem) (*Result, error) {
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}
	if err := p.Task.Check(); err != nil {
		return nil, err
	}
	var err error
	if p.Settings, err = Settle(p.Task, p.Settings); err != nil {
		return nil, err
	}
	if p.Store == nil {
		p.Store = &Memory{}
	}
	s := &searcher{Problem: p, began: p.Began, recipe: p.Settings.recipe()}
	if s.began.IsZero() {
		s.began = time.Now()
	}
	if s.trials, err = p.Store.Trials(); err != nil {
		return nil, err
	}
	if s.rounds, err = p.Store.Rounds(); err != nil {
		return nil, err
	}
	s.resumed, s.before = finished(Proposed(s.trials)), timeOf(s.trials, s.rounds)
	stopped, note, err := s.run(ctx)
	switch {
	case errors.Is(err, task.ErrTimeUp):
		stopped = TimeUp
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		stopped = Interrupted
	case err != nil:
		return nil, err
	}
	if err := s.ends(stopped, note); err != nil {
		return nil, err
	}
	return s.result(stopped, note)
}

// searcher is a search on its way.
type searcher struct {
	Problem
	began   time.Time
	before  time.Duration // of the processes before
	plan    *Plan         // nil without one
	planned Settings      // before the plan
	ranked  int           // see Plan.Ranked
	recipe  task.Recipe   // of the search
	trials  []task.Trial
	rounds  []Round
	resumed int
}

func finished(trials []task.Trial) int {
	n := 0
	for _, t := range trials {
		if t.State != task.Running {
			n++
		}
	}
	return n
}

// of returns the trials of a stage.
func of(stage task.Stage, trials []task.Trial) []task.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t task.Trial) bool { return t.Stage != stage })
}

// run goes through the stages.
func (s *searcher) run(ctx context.Context) (Stop, string, error) {
	if s.Settings.Model != form.Bilinear {
		return s.recipes(ctx)
	}
	if s.Settings.Planned != nil {
		if err := s.makePlan(ctx); err != nil {
			return "", "", err
		}
		if s.plan.Ended {
			return s.plan.Stopped, s.plan.Note, nil
		}
	}
	if s.Settings.Tune != nil {
		if err := s.tune(ctx); err != nil {
			return "", "", err
		}
	}
	if err := s.replan(); err != nil {
		return "", "", err
	}
	stopped, note := BudgetSpent, ""
	var err error
	if s.plan != nil && s.plan.Searched {
		stopped, note = s.plan.Stopped, s.plan.Note
	} else if stopped, note, err = s.search(ctx); err == nil {
		err = s.note(func(p *Plan) { p.Searched, p.Stopped, p.Note = true, stopped, note })
	}
	switch {
	case err != nil:
		return "", "", err
	case s.Settings.Again > 0:
		var missing string
		missing, err = s.againTogether(ctx)
		note = strings.Trim(note+"; "+missing, "; ")
	case s.Settings.Final != nil:
		err = s.finish(ctx)
	}
	return stopped, note, err
}

// search is the stage in which the strategy proposes structures.
func (s *searcher) search(ctx context.Context) (Stop, string, error) {
	if err := s.trainNamed(ctx); err != nil {
		return "", "", err
	}
	for {
		for _, stage := range []task.Stage{task.Rung, task.Searching} {
			if err := s.trainRunning(ctx, stage); err != nil {
				return "", "", err
			}
		}
		if climbed, err := s.climb(); err != nil {
			return "", "", err
		} else if climbed {
			continue
		}
		left := s.Settings.Budget - len(Proposed(s.trials))
		if left <= 0 {
			return BudgetSpent, "", nil
		}
		if s.timeIsUp() || s.isOver(func(p *Plan) time.Duration { return p.SearchUntil }) {
			return TimeUp, "", nil
		}
		if n := s.roundsInVain(); n >= mostRoundsInVain {
			return SpaceExhausted, fmt.Sprintf("%d rounds in a row proposed nothing new", n), nil
		}
		why, err := s.propose(ctx, s.history(), left)
		if err != nil {
			return "", "", err
		}
		if why != "" {
			return SpaceExhausted, why, nil
		}
	}
}

// mostRoundsInVain is how many rounds may propose nothing but repeats, which
// only happens without a filter.
const mostRoundsInVain = 100

// roundsInVain counts the last rounds in which all was repeated.
func (s *searcher) roundsInVain() int {
	n := 0
	for _, r := range slices.Backward(s.rounds) {
		if r.Repeats < r.Proposed {
			break
		}
		n++
	}
	return n
}

// propose adds the next round to the trials, or says why there is none.
func (s *searcher) propose(ctx context.Context, history []task.Trial, left int) (why string, err error) {
	began := time.Now()
	if err := s.sameEngine(); err != nil {
		return "", err
	}
	round := Round{Number: len(s.rounds) + 1}
	source := rand.NewPCG(s.Settings.Seed, uint64(round.Number))
	if round.RandomState, err = source.MarshalBinary(); err != nil {
		return "", err
	}
	proposal, err := listen.Call(ctx, func() (Proposal, error) {
		return s.Strategy.Propose(s.Settings, round.Number, history, left, rand.New(source))
	})
	round.Seconds = time.Since(began).Seconds()
	if err != nil && errors.Is(err, ctx.Err()) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("round %d of %s: %w", round.Number, s.Strategy.Name(), err)
	}
	if len(proposal.Structures) == 0 {
		return cmp.Or(proposal.Why, "the strategy has no more"), nil
	}
	round.Proposed = len(proposal.Structures)
	trials := s.trialsOf(proposal, &round)
	return "", s.put(Change{Trials: trials, Round: &round})
}

// trialsOf makes trials of what is new in a proposal. A structure that has a
// trial already is not trained again: it counts as a repeat, or, if it is a named
// model that was not proposed before, its trial joins the round.
func (s *searcher) trialsOf(proposal Proposal, round *Round) []task.Trial {
	before := map[structure.Structure]task.Trial{}
	for _, t := range slices.Concat(of(task.Rung, s.trials), of(task.Searching, s.trials)) {
		before[t.Structure] = t
	}
	next := len(s.trials) + 1
	stage, recipe := s.Settings.stageOf(0), s.Settings.onRung(0, s.recipe)
	var trials []task.Trial
	for i, a := range proposal.Structures {
		t, known := before[a]
		switch {
		case !known:
			t = task.Trial{Number: next, Stage: stage, Structure: a, Recipe: recipe, State: task.Running}
			next++
		case t.Round != 0:
			round.Repeats++
			continue
		}
		t.Round = round.Number
		if proposal.Guesses != nil {
			t.Guess = &proposal.Guesses[i]
		}
		before[a] = t
		trials = append(trials, t)
	}
	return trials
}

// trainNamed adds and trains the human-designed models, which have four chunks.
func (s *searcher) trainNamed(ctx context.Context) error {
	if s.Settings.K == 4 && len(of(task.Searching, s.trials)) == 0 {
		var trials []task.Trial
		for i, named := range structure.HumanDesigned() {
			trials = append(trials, task.Trial{Number: len(s.trials) + i + 1, Stage: task.Searching, Name: named.Name, Structure: named.Structure, Recipe: s.recipe, State: task.Running})
		}
		if err := s.put(Change{Trials: trials}); err != nil {
			return err
		}
	}
	return s.trainRunning(ctx, task.Searching)
}

// trainRunning trains what was proposed in a stage and has no result.
func (s *searcher) trainRunning(ctx context.Context, stage task.Stage) error {
	var running []task.Trial
	for _, t := range of(stage, s.trials) {
		if t.State == task.Running {
			running = append(running, t)
		}
	}
	left := max(0, s.Settings.Budget-finished(Proposed(s.trials)))
	if len(running) > left && s.begins(running[0]) {
		running = running[:left] // the budget was lowered
	}
	for len(running) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		size, most := 1, max(s.Settings.P, s.Settings.I)
		if stage == task.Again {
			most = s.Settings.Again // those of one structure, which are judged together
		}
		for size < min(len(running), most) && running[size].Recipe.Training == running[0].Recipe.Training && running[size].Split == running[0].Split && (stage != task.Again || running[size].Structure == running[0].Structure) {
			size++
		}
		if err := s.train(ctx, running[:size]); err != nil {
			return err
		}
		running = running[size:]
	}
	return nil
}

// begins says whether a trial is the first of a proposed structure.
func (s *searcher) begins(t task.Trial) bool {
	return t.Stage == s.Settings.stageOf(0) && t.Name == "" && t.Recipe.Training.Epochs == s.Settings.onRung(0, s.recipe).Training.Epochs
}

// train gives results to trials with the same training settings, as one population.
func (s *searcher) train(ctx context.Context, trials []task.Trial) error {
	if err := s.sameEngine(); err != nil {
		return err
	}
	start := time.Now()
	s.progress(trials, 0)
	ctx, cancel := s.untilTimeIsUp(s.cutInTime(ctx, trials[0].Stage), trials[0].Stage)
	defer cancel()
	artifacts, err := s.taskOf(trials[0]).Train(ctx, trials, func(share float64) { s.progress(trials, share) })
	if err != nil && errors.Is(context.Cause(ctx), task.ErrTimeUp) {
		return task.ErrTimeUp
	}
	if err != nil {
		return err
	}
	for i := range trials {
		trials[i].Seconds = max(trials[i].Seconds, time.Since(start).Seconds()/float64(len(trials)))
	}
	change := Change{Trials: trials, Best: s.bestOf(artifacts, trials)}
	if err := s.judgeAgain(&change, artifacts); err != nil {
		return err
	}
	if err := s.put(change); err != nil {
		return err
	}
	s.progress(trials, 0)
	return nil
}

// ErrOtherEngine marks a search whose trials another engine or instruction set has trained.
var ErrOtherEngine = kge.ErrOtherEngine

// sameEngine says whether what is to be trained can be compared with the trials so far, as far
// as they know what trained them.
func (s *searcher) sameEngine() error {
	computed, says := s.Task.(task.Computed)
	if s.MixEngines || !says {
		return nil
	}
	var here task.Trial
	for _, t := range s.trials {
		here.Engine, here.Backend = computed.Arithmetic(t.Recipe.Training.Precision)
		if t.Engine != "" && (t.Engine != here.Engine || t.Backend != "" && t.Backend != here.Backend) {
			return fmt.Errorf("%w: its trials are of engine %s, and here is %s, whose results differ in rounding: go on with that engine, where it runs, or begin another study", ErrOtherEngine, t.By(), here.By())
		}
	}
	return nil
}

// contender says whether what a trial leaves may become that of the search.
func contender(t task.Trial) bool { return t.Stage == task.Searching || t.Stage == task.Final }

// kept is the trial that left what a study keeps: the team that says so, of those of other seeds
// the last one, else the best one. Where none does, in a study of before named models were kept, it
// is the best of the others.
func kept(trials []task.Trial) *task.Trial {
	for _, stage := range []task.Stage{task.Teamed, task.Again} {
		for _, t := range slices.Backward(of(stage, trials)) {
			if t.Kept {
				return &t
			}
		}
	}
	best := bestFirst(trials)
	at := slices.IndexFunc(best, func(t task.Trial) bool { return t.Kept })
	if at < 0 {
		at = slices.IndexFunc(best, func(t task.Trial) bool { return t.Name == "" && contender(t) })
	}
	if at < 0 {
		return nil
	}
	return &best[at]
}

// bestOf returns what the trial has left that is better than what is kept so far, if there is
// one, and marks it. After a stage of other seeds, which such a trial has yet to come to, that
// stage says what is kept.
func (s *searcher) bestOf(artifacts []task.Artifact, trials []task.Trial) (best task.Artifact) {
	most, at := -1.0, -1
	if k := kept(s.trials); k != nil {
		if !contender(*k) {
			return nil
		}
		most = k.ScoreOrZero()
	}
	for i, a := range artifacts {
		if t := trials[i]; a != nil && contender(t) && t.ScoreOrZero() > most {
			best, most, at = a, t.ScoreOrZero(), i
		}
	}
	if at >= 0 {
		trials[at].Kept = true
	}
	return best
}

// put stores a change and remembers it.
func (s *searcher) put(c Change) error {
	if err := s.Store.Put(c); err != nil {
		return err
	}
	memory := Memory{trials: s.trials, rounds: s.rounds, plan: s.plan}
	err := memory.Put(c)
	s.trials, s.rounds = memory.trials, memory.rounds
	return err
}

func (s *searcher) progress(training []task.Trial, share float64) {
	if s.OnProgress == nil {
		return
	}
	report := Progress{Metric: s.Task.Words().Metric, Stage: training[0].Stage, Named: training[0].Round == 0 && training[0].Stage == task.Searching}
	if report.Stage == task.Rung {
		report.Stage = task.Searching // of which it is a part
	}
	var stage, counted []task.Trial
	switch report.Stage {
	case task.Tuning:
		stage, counted, report.Budget = of(task.Tuning, s.trials), s.triedRecipes(), s.Settings.Tune.Trials
	case task.Searching:
		stage, counted, report.Budget = of(task.Searching, s.trials), Proposed(s.trials), s.Settings.Budget
		stage = slices.DeleteFunc(stage, func(t task.Trial) bool { return t.Round == 0 })
	default:
		stage = of(report.Stage, s.trials)
		report.Budget = len(stage)
	}
	if counted == nil {
		counted = stage
	}
	report.Trained = finished(counted)
	report.Share = s.share(training, share)
	if s.plan != nil {
		report.Share = min(1, s.used().Seconds()/s.plan.Limit.Seconds())
	}
	if best := bestFirst(stage); len(best) > 0 {
		report.Best = &best[0]
	}
	s.OnProgress(report)
}

// share is how much of all training is done, in trainings of a search for all epochs; a share
// of what is trained now counts.
func (s *searcher) share(training []task.Trial, share float64) float64 {
	part := func(trials []task.Trial) (sum float64) {
		for _, t := range trials {
			if t.Stage == task.Rung {
				sum += float64(t.Recipe.Training.Epochs) / float64(s.recipe.Training.Epochs)
			} else {
				sum++
			}
		}
		return sum
	}
	all := float64(s.Settings.Budget*(s.Settings.Rungs+1)) / math.Pow(halving, float64(s.Settings.Rungs))
	for _, t := range s.trials {
		if t.Stage == task.Searching && t.Round == 0 {
			all++
		}
	}
	if s.Settings.Tune != nil {
		all += float64(s.Settings.Tune.Trials)
	}
	if s.Settings.Final != nil {
		all += float64(s.Settings.Final.Trials)
	}
	all += float64(s.Settings.Again * (foundAgain + namedAgain))
	ended := slices.DeleteFunc(slices.Clone(s.trials), func(t task.Trial) bool { return t.State == task.Running })
	return min(1, (part(ended)+part(training)*share)/all)
}

func (s *searcher) result(stopped Stop, note string) (*Result, error) {
	best, err := s.Store.Best()
	if err != nil {
		return nil, err
	}
	r := Summarize(s.Settings, s.trials, s.rounds)
	r.Plan = s.plan
	r.Artifact, r.Metric, r.Resumed, r.Stopped, r.Note = best, s.Task.Words().Metric, s.resumed, stopped, note
	return r, nil
}

// Summarize is what a study came to, from its trials and rounds alone: without
// the artifact, the reason why it ended, and what was resumed.
func Summarize(settings Settings, trials []task.Trial, rounds []Round) *Result {
	history := Proposed(trials)
	complete := bestFirst(history)
	best := slices.DeleteFunc(slices.Clone(complete), func(t task.Trial) bool { return t.Stage == task.Rung })
	r := &Result{
		Settings: settings,
		Tuned:    tunedRecipes(settings, trials), Finals: bestFirst(of(task.Final, trials)), Recipe: settings.recipe(),
		Best: best[:min(len(best), settings.I)], Trials: trials, Rounds: rounds,
		Trained: finished(history), Complete: len(complete), Kept: kept(trials), Again: retrained(trials), Team: teamOf(trials),
	}
	if searched := of(task.Searching, trials); len(searched) > 0 { // the recipe may come from the tuning stage
		r.Recipe = searched[0].Recipe
	}
	for _, t := range trials {
		r.Seconds += t.Seconds
		if t.Name != "" && t.Stage == task.Searching && t.State != task.Running {
			r.Named = append(r.Named, t)
		}
	}
	for _, round := range rounds {
		r.Overhead += round.Seconds
	}
	return r
}
