package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Problem is what a search is about.
type Problem struct {
	Graph    *datasets.Graph
	Engine   completion.Engine
	Strategy Strategy
	Settings Settings
	// Store keeps the trials; a new [Memory] when nil.
	Store Store
	// OnProgress, when set, is called often.
	OnProgress func(Progress)
}

// Progress tells how far a search is.
type Progress struct {
	// Trained of Budget structures are finished, named models not counted.
	Trained, Budget int
	// Named is set while the named models are trained, before the others.
	Named bool
	// Share of all training that is done, named models counted, 0 to 1.
	Share float64
	// Best is the best trial so far, nil when there is none.
	Best *Trial
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
	// Best has the up to I best structures, best first.
	Best []Trial
	// Named has the human-designed models under the same settings; empty when K is not 4.
	Named []Trial
	// Trials has all trials of the study by number, the named models too.
	Trials []Trial
	// Model is that of the best structure; nil when no trial was complete.
	Model *completion.Model
	// Trained counts the finished trials, Complete those of them that did not
	// diverge, and Resumed those that the store had before; named models are in
	// none of them.
	Trained, Complete, Resumed int
	Stopped                    Stop
	// Note explains Stopped where there is more to say.
	Note string
	// Seconds is the time of all trials of the study.
	Seconds float64
}

// Run searches until the budget is spent, or the strategy or the time has run
// out. When ctx ends, Run returns what there is, as [Interrupted], without an
// error; the same call with the same store goes on from there.
func Run(ctx context.Context, p Problem) (*Result, error) {
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}
	if err := Searchable(p.Graph); err != nil {
		return nil, err
	}
	if p.Store == nil {
		p.Store = &Memory{}
	}
	s := &searcher{Problem: p}
	var err error
	if s.trials, err = p.Store.Trials(); err != nil {
		return nil, err
	}
	s.resumed = finished(proposed(s.trials))
	stopped, note, err := s.run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if err != nil {
		stopped = Interrupted
	}
	return s.result(stopped, note)
}

// Searchable says why a graph cannot be searched on.
func Searchable(g *datasets.Graph) error {
	if len(g.Valid) == 0 {
		return fmt.Errorf("%s has no validation triples to compare structures by: autoblm dataset split makes some of a file of triples", g.Name)
	}
	return nil
}

// searcher is a search on its way.
type searcher struct {
	Problem
	trials  []Trial
	resumed int
}

func finished(trials []Trial) int {
	n := 0
	for _, t := range trials {
		if t.State != Running {
			n++
		}
	}
	return n
}

func (s *searcher) run(ctx context.Context) (Stop, string, error) {
	start := time.Now()
	if err := s.trainNamed(ctx); err != nil {
		return "", "", err
	}
	for {
		if err := s.trainRunning(ctx); err != nil {
			return "", "", err
		}
		history := proposed(s.trials)
		left := s.Settings.Budget - len(history)
		if left <= 0 {
			return BudgetSpent, "", nil
		}
		if limit := s.Settings.TimeLimit; limit > 0 && time.Since(start) >= limit {
			return TimeUp, "", nil
		}
		why, err := s.propose(history, left)
		if err != nil {
			return "", "", err
		}
		if why != "" {
			return SpaceExhausted, why, nil
		}
	}
}

// propose adds the next round to the trials, or says why there is none.
func (s *searcher) propose(history []Trial, left int) (why string, err error) {
	round := 1
	if len(history) > 0 {
		round = history[len(history)-1].Round + 1
	}
	rng := rand.New(rand.NewPCG(s.Settings.Seed, uint64(round)))
	proposal, err := s.Strategy.Propose(s.Settings, round, history, left, rng)
	if err != nil {
		return "", fmt.Errorf("round %d of %s: %w", round, s.Strategy.Name(), err)
	}
	if len(proposal.Structures) == 0 {
		return cmp.Or(proposal.Why, "the strategy has no more"), nil
	}
	var trials []Trial
	for i, a := range proposal.Structures {
		t := Trial{Number: len(s.trials) + 1 + i, Round: round, Structure: a, State: Running}
		if proposal.Guesses != nil {
			t.Guess = &proposal.Guesses[i]
		}
		trials = append(trials, t)
	}
	return "", s.put(trials, nil)
}

// trainNamed adds and trains the human-designed models, which have four chunks.
func (s *searcher) trainNamed(ctx context.Context) error {
	if s.Settings.K == 4 && len(s.trials) == 0 {
		var trials []Trial
		for i, named := range structure.HumanDesigned() {
			trials = append(trials, Trial{Number: i + 1, Name: named.Name, Structure: named.Structure, State: Running})
		}
		if err := s.put(trials, nil); err != nil {
			return err
		}
	}
	return s.trainRunning(ctx)
}

// trainRunning trains what was proposed and has no result.
func (s *searcher) trainRunning(ctx context.Context) error {
	var running []Trial
	for _, t := range s.trials {
		if t.State == Running {
			running = append(running, t)
		}
	}
	if left := s.Settings.Budget - finished(proposed(s.trials)); len(running) > left && running[0].Name == "" {
		running = running[:max(0, left)] // the budget was lowered
	}
	for len(running) > 0 {
		population := running[:min(len(running), max(s.Settings.P, s.Settings.I))]
		if err := s.train(ctx, population); err != nil {
			return err
		}
		running = running[len(population):]
	}
	return nil
}

// train gives results to trials, as one population.
func (s *searcher) train(ctx context.Context, trials []Trial) error {
	start := time.Now()
	job := completion.Job{Graph: s.Graph, Settings: s.Settings.Training}
	for _, t := range trials {
		job.Members = append(job.Members, s.Settings.member(t.Structure))
	}
	job.OnEpoch = func(p completion.Progress) { s.progress(trials, p) }
	s.progress(trials, completion.Progress{Epochs: s.Settings.Training.Epochs})
	report, err := completion.Train(ctx, s.Engine, job)
	if err != nil {
		return err
	}
	var models []*completion.Model
	var trained []int // the trial of each model
	for i, r := range report.Results {
		trials[i].Loss = r.Loss
		trials[i].Engine, trials[i].Backend = s.Engine.Name(), s.Engine.Backend()
		if r.Err != nil {
			trials[i].State, trials[i].Error = Failed, r.Err.Error()
			continue
		}
		trials[i].State = Complete
		models, trained = append(models, r.Model), append(trained, i)
	}
	if err := completion.EvaluateAll(ctx, s.Engine, models, s.Graph); err != nil {
		return err
	}
	for i, m := range models {
		trials[trained[i]].Valid, trials[trained[i]].Test = m.Valid, m.Test
	}
	best := s.bestOf(models, trained, trials)
	for i := range trials {
		trials[i].Seconds = time.Since(start).Seconds() / float64(len(trials))
	}
	if err := s.put(trials, best); err != nil {
		return err
	}
	s.progress(trials, completion.Progress{Epochs: s.Settings.Training.Epochs})
	return nil
}

// bestOf returns the model among these that is better than all proposed trials
// so far, if there is one.
func (s *searcher) bestOf(models []*completion.Model, trained []int, trials []Trial) *completion.Model {
	var best *completion.Model
	most := -1.0
	if before := bestFirst(proposed(s.trials)); len(before) > 0 {
		most = before[0].MRR()
	}
	for i, m := range models {
		if t := trials[trained[i]]; t.Name == "" && t.MRR() > most {
			best, most = m, t.MRR()
		}
	}
	return best
}

// put stores trials and remembers them.
func (s *searcher) put(trials []Trial, best *completion.Model) error {
	if err := s.Store.Put(trials, best); err != nil {
		return err
	}
	memory := Memory{trials: s.trials}
	err := memory.Put(trials, nil)
	s.trials = memory.trials
	return err
}

func (s *searcher) progress(training []Trial, p completion.Progress) {
	if s.OnProgress == nil {
		return
	}
	history := proposed(s.trials)
	report := Progress{Trained: finished(history), Budget: s.Settings.Budget, Named: training[0].Name != ""}
	done := float64(finished(s.trials)) + float64(len(training)*p.Epoch)/float64(p.Epochs) // in trials
	report.Share = min(1, done/float64(s.Settings.Budget+len(s.trials)-len(history)))
	if best := bestFirst(history); len(best) > 0 {
		report.Best = &best[0]
	}
	s.OnProgress(report)
}

func (s *searcher) result(stopped Stop, note string) (*Result, error) {
	model, err := s.Store.Best()
	if err != nil {
		return nil, err
	}
	history := proposed(s.trials)
	best := bestFirst(history)
	r := &Result{
		Best: best[:min(len(best), s.Settings.I)], Trials: s.trials, Model: model,
		Trained: finished(history), Complete: len(best), Resumed: s.resumed, Stopped: stopped, Note: note,
	}
	for _, t := range s.trials {
		r.Seconds += t.Seconds
		if t.Name != "" && t.State != Running {
			r.Named = append(r.Named, t)
		}
	}
	return r, nil
}
