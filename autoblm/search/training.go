package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// trainNamed adds and trains the human-designed models, which have four chunks.
func (s *searcher) trainNamed(ctx context.Context) error {
	if s.Settings.K == 4 && len(of(task.Searching, s.trials)) == 0 {
		var trials []task.Trial
		for i, named := range structure.Baselines() {
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
		if stage == task.Retraining {
			most = s.Settings.Again // those of one structure, which are judged together
		}
		for size < min(len(running), most) && running[size].Recipe.Training == running[0].Recipe.Training && running[size].Split == running[0].Split && (stage != task.Retraining || running[size].Structure == running[0].Structure) {
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
	if err != nil && errors.Is(context.Cause(ctx), task.ErrDeadlineExceeded) {
		return task.ErrDeadlineExceeded
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
	if s.MixEngines {
		return nil
	}
	var here task.Trial
	for _, t := range s.trials {
		here.Engine, here.Backend = s.Task.Arithmetic(t.Recipe.Training.Precision)
		if here.Engine == "" {
			return nil
		}
		if t.Engine != "" && (t.Engine != here.Engine || t.Backend != "" && t.Backend != here.Backend) {
			return fmt.Errorf("%w: its trials are of engine %s, and here is %s, whose results differ in rounding: go on with that engine, where it runs, or begin another study", ErrOtherEngine, t.EngineName(), here.EngineName())
		}
	}
	return nil
}
