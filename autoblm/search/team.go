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

// A team is chosen among mostCandidates trials at most, and where there is a limit of time first
// among fewCandidates, which takes a small part of it.
const (
	mostCandidates = 32
	fewCandidates  = 8
)

// againTogether trains the best again, and chooses a team among what comes of it, also where the
// time for training is up. The note says why there is none.
func (s *searcher) againTogether(ctx context.Context) (note string, err error) {
	trained := s.trainAgain(ctx)
	if trained != nil && !errors.Is(trained, task.ErrTimeUp) {
		return "", trained
	}
	note, err = s.teamUp(ctx)
	return note, cmp.Or(err, trained)
}

// teamUp is the stage in which a team is chosen among what was trained again. It is kept where
// it is better than the best of them by what had no part in the choice. Where there is no memory
// for it, which the note says, one model is.
func (s *searcher) teamUp(ctx context.Context) (note string, err error) {
	if !TeamLeft(s.Settings, s.trials) {
		return "", nil
	}
	if err := s.sameEngine(); err != nil {
		return "", err
	}
	ctx, cancel := s.untilTheEnd(ctx)
	defer cancel()
	candidates := candidatesOf(s.trials, mostCandidates)
	if s.limit() > 0 && teamOf(s.trials) == nil && len(candidates) > fewCandidates {
		if note, err := s.teamAmong(ctx, candidatesOf(s.trials, fewCandidates)); err != nil || note != "" {
			return note, err
		}
	}
	return s.teamAmong(ctx, candidates)
}

// teamAmong chooses a team, in place of the one before if there is one.
func (s *searcher) teamAmong(ctx context.Context, candidates []int) (note string, err error) {
	start, none := time.Now(), "no team was chosen"
	team := task.Trial{Number: len(s.trials) + 1, Stage: task.Teamed, Recipe: s.recipe, State: task.Complete, Team: &task.Chosen{Candidates: candidates}}
	var change Change
	if before := teamOf(s.trials); before != nil {
		team.Number, none = before.Number, fmt.Sprintf("the team was chosen among %d of %d", len(before.Team.Candidates), len(candidates))
		if one := kept(of(task.Again, s.trials)); before.Kept && one != nil { // to be replaced, by one model if not by a team
			if change.Best, err = s.left(one.Number); err != nil {
				return "", err
			}
		}
	}
	s.progress([]task.Trial{team}, 0)
	chosen, err := s.Task.(task.Teaming).Team(ctx, len(candidates), s.Settings.Team, func(place int) (task.Artifact, error) { return s.left(candidates[place]) })
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), task.ErrTimeUp):
		return none + ": the time was up", task.ErrTimeUp
	case memory.Short(err):
		return none + ": " + err.Error(), nil
	default:
		return "", err
	}
	for _, place := range chosen.Members {
		team.Team.Members = append(team.Team.Members, candidates[place])
	}
	team.Score, team.TestScore, team.Details = &chosen.Score, chosen.TestScore, chosen.Details
	team.Seconds = time.Since(start).Seconds()
	if team.Kept = len(chosen.Members) > 1 && chosen.Score > chosen.Alone; team.Kept {
		change.Best = chosen.Artifact
	}
	change.Trials = []task.Trial{team}
	return "", s.put(change)
}

// TeamLeft says whether a team is to be chosen by the settings: there is none yet, or there are
// other candidates since.
func TeamLeft(s Settings, trials []task.Trial) bool {
	candidates, team := candidatesOf(trials, mostCandidates), teamOf(trials)
	return s.Team > 0 && len(candidates) > 1 && (team == nil || !slices.Equal(team.Team.Candidates, candidates))
}

// candidatesOf are the numbers of the trials that a team is chosen among: of the structures in
// turns, the best of each first, since different ones make better teams than the best seeds of
// one do.
func candidatesOf(trials []task.Trial, most int) (numbers []int) {
	best := bestFirst(of(task.Again, trials))
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

// teamOf is the trial that stands for the team, nil where none was chosen.
func teamOf(trials []task.Trial) *task.Trial {
	teams := of(task.Teamed, trials)
	if len(teams) == 0 {
		return nil
	}
	return &teams[0]
}

// Members are the trials whose artifacts a team has, in the order in which they were chosen.
func (r *Result) Members() (members []task.Trial) {
	if r.Team == nil {
		return nil
	}
	for _, number := range r.Team.Team.Members {
		members = append(members, r.Trials[slices.IndexFunc(r.Trials, func(t task.Trial) bool { return t.Number == number })])
	}
	return members
}

// left is what a trial of other seeds has left.
func (s *searcher) left(number int) (task.Artifact, error) {
	a, err := s.Store.Artifact(number)
	if err == nil && a == nil {
		err = fmt.Errorf("what trial %d has left for a team is lost: begin another study", number)
	}
	return a, err
}
