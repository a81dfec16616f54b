package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// An ensemble is chosen among mostCandidates trials at most, and where there is a limit of time first
// among fewCandidates, which takes a small part of it.
const (
	mostCandidates = 32
	fewCandidates  = 8
)

// againTogether trains the best again, and chooses an ensemble among what comes of it, also where the
// time for training is up. The note says why there is none.
func (s *searcher) againTogether(ctx context.Context) (note string, err error) {
	trained := s.trainAgain(ctx)
	if trained != nil && !errors.Is(trained, task.ErrDeadlineExceeded) {
		return "", trained
	}
	note, err = s.ensembleUp(ctx)
	return note, cmp.Or(err, trained)
}

// ensembleUp is the stage in which an ensemble is chosen among what was trained again. It is kept where
// it is better than the best of them by what had no part in the choice. Where there is no memory
// for it, which the note says, one model is.
func (s *searcher) ensembleUp(ctx context.Context) (note string, err error) {
	if !EnsembleLeft(s.Settings, s.trials) {
		return "", nil
	}
	if err := s.sameEngine(); err != nil {
		return "", err
	}
	ctx, cancel := s.untilTheEnd(ctx)
	defer cancel()
	candidates := candidatesOf(s.trials, mostCandidates)
	if s.limit() > 0 && ensembleOf(s.trials) == nil && len(candidates) > fewCandidates {
		if note, err := s.ensembleAmong(ctx, candidatesOf(s.trials, fewCandidates)); err != nil || note != "" {
			return note, err
		}
	}
	return s.ensembleAmong(ctx, candidates)
}

// ensembleAmong chooses an ensemble, in place of the one before if there is one.
func (s *searcher) ensembleAmong(ctx context.Context, candidates []int) (note string, err error) {
	start, none := time.Now(), "no ensemble was chosen"
	ensemble := task.Trial{Number: len(s.trials) + 1, Stage: task.EnsembleSelection, Recipe: s.recipe, State: task.Complete, Ensemble: &task.Selection{Candidates: candidates}}
	var change Change
	if before := ensembleOf(s.trials); before != nil {
		ensemble.Number, none = before.Number, fmt.Sprintf("the ensemble was chosen among %d of %d", len(before.Ensemble.Candidates), len(candidates))
		if one := kept(of(task.Retraining, s.trials)); before.Kept && one != nil { // to be replaced, by one model if not by an ensemble
			if change.Best, err = s.left(one.Number); err != nil {
				return "", err
			}
		}
	}
	s.progress([]task.Trial{ensemble}, 0)
	chosen, err := s.Task.Ensemble(ctx, len(candidates), s.Settings.Ensemble, func(place int) (task.Artifact, error) { return s.left(candidates[place]) })
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), task.ErrDeadlineExceeded):
		return none + ": the time was up", task.ErrDeadlineExceeded
	case memory.IsShortage(err):
		return none + ": " + err.Error(), nil
	default:
		return "", err
	}
	for _, place := range chosen.Members {
		ensemble.Ensemble.Members = append(ensemble.Ensemble.Members, candidates[place])
	}
	ensemble.Score, ensemble.TestScore, ensemble.Details = &chosen.Score, chosen.TestScore, chosen.Details
	ensemble.Seconds = time.Since(start).Seconds()
	if ensemble.Kept = len(chosen.Members) > 1 && chosen.Score > chosen.BestCandidate; ensemble.Kept {
		change.Best = chosen.Artifact
	}
	change.Trials = []task.Trial{ensemble}
	return "", s.put(change)
}

// EnsembleLeft says whether an ensemble is to be chosen by the settings: there is none yet, or there are
// other candidates since.
func EnsembleLeft(s Settings, trials []task.Trial) bool {
	candidates, ensemble := candidatesOf(trials, mostCandidates), ensembleOf(trials)
	return s.Ensemble > 0 && len(candidates) > 1 && (ensemble == nil || !slices.Equal(ensemble.Ensemble.Candidates, candidates))
}

// candidatesOf are the numbers of the trials that an ensemble is chosen among: of the structures in
// turns, the best of each first, since different ones make better ensembles than the best seeds of
// one do.
func candidatesOf(trials []task.Trial, most int) (numbers []int) {
	best := bestFirst(of(task.Retraining, trials))
	turn, next := map[int]int{}, map[structure.Structure]int{}
	for _, t := range best {
		turn[t.Number] = next[t.Structure]
		next[t.Structure]++
	}
	slices.SortStableFunc(best, func(a, b task.Trial) int { return cmp.Compare(turn[a.Number], turn[b.Number]) })
	for _, t := range best[:min(len(best), most)] {
		numbers = append(numbers, t.Number)
	}
	slices.Sort(numbers)
	return numbers
}

// ensembleOf is the trial that stands for the ensemble, nil where none was chosen.
func ensembleOf(trials []task.Trial) *task.Trial {
	ensembles := of(task.EnsembleSelection, trials)
	if len(ensembles) == 0 {
		return nil
	}
	return &ensembles[0]
}

// Members are the trials whose artifacts an ensemble has, in the order in which they were chosen.
func (r *Result) Members() (members []task.Trial) {
	if r.Ensemble == nil {
		return nil
	}
	for _, number := range r.Ensemble.Ensemble.Members {
		members = append(members, r.Trials[slices.IndexFunc(r.Trials, func(t task.Trial) bool { return t.Number == number })])
	}
	return members
}

// left is what a trial of other seeds has left.
func (s *searcher) left(number int) (task.Artifact, error) {
	a, err := s.Store.Artifact(number)
	if err == nil && a == nil {
		err = fmt.Errorf("what trial %d has left for an ensemble is lost: begin another study", number)
	}
	return a, err
}
