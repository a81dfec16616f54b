package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// Ensemble selects an ensemble from the retrained models, also after the time limit of training.
// The study stores it if it beats the best model on data that were not used for the selection.
// Without enough memory, one model remains, and a note says so.
type Ensemble struct{ search.StageBase }

// maxCandidates is the maximum number of candidates. With a time limit, an ensemble of
// fewCandidates comes first, which takes a fraction of the time.
const (
	maxCandidates = 32
	fewCandidates = 8
)

// Next implements [search.Stage].
func (Ensemble) Next(_ context.Context, s *search.State) (search.Step, error) {
	if s.Settings.RetrainSeeds == 0 || !ensembleLeft(s.Settings, s.Trials) {
		return done, nil
	}
	candidates := candidatesOf(s.Trials, maxCandidates)
	before := search.EnsembleOf(s.Trials)
	if s.TimeLimit() > 0 && before == nil && len(candidates) > fewCandidates {
		candidates = candidatesOf(s.Trials, fewCandidates)
	}
	ensemble := task.Trial{
		Number: len(s.Trials) + 1, Stage: task.EnsembleSelection, Recipe: Recipe(s),
		State: task.Complete, Ensemble: &task.Selection{Candidates: candidates},
	}
	if before != nil {
		ensemble.Number = before.Number
	}
	step := search.Step{Train: []task.Trial{ensemble}, Deadline: s.SavingLimit()}
	if s.Plan == nil && len(task.BestFirst(s.InStage(task.Searching))) > 0 {
		step.Deadline = s.TimeLimit()
	}
	step.Work = func(ctx context.Context) (search.Change, error) {
		return selectEnsemble(ctx, s, ensemble, before)
	}
	return step, nil
}

// selectEnsemble selects an ensemble, which replaces the earlier one if there is one.
func selectEnsemble(
	ctx context.Context, s *search.State, ensemble task.Trial, before *task.Trial,
) (change search.Change, err error) {
	start, missing := time.Now(), "no ensemble was selected"
	candidates := ensemble.Ensemble.Candidates
	if before != nil {
		missing = fmt.Sprintf("the ensemble was selected from %d of %d candidates",
			len(before.Ensemble.Candidates), len(candidates))
		// If no new ensemble replaces the stored one, the best single model does.
		if one := search.KeptRetrained(s.Trials); before.Kept && one != nil {
			if change.Best, err = s.Artifact(one.Number); err != nil {
				return change, err
			}
		}
	}
	read := func(i int) (task.Artifact, error) { return s.Artifact(candidates[i]) }
	on := s.Task
	if s.Plan != nil {
		on = search.LimitRanking(on, s.Plan.Ranked, true)
	}
	selected, err := on.Ensemble(ctx, len(candidates), s.Settings.Ensemble, read)
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), task.ErrDeadlineExceeded):
		return change, &search.Skipped{Note: missing + ": time limit reached", TimeLimit: true}
	case memory.IsShortage(err):
		return change, &search.Skipped{Note: missing + ": " + err.Error()}
	default:
		return change, err
	}
	for _, i := range selected.Members {
		ensemble.Ensemble.Members = append(ensemble.Ensemble.Members, candidates[i])
	}
	ensemble.Score, ensemble.TestScore = &selected.Score, selected.TestScore
	ensemble.Details = selected.Details
	ensemble.Seconds = time.Since(start).Seconds()
	ensemble.Kept = len(selected.Members) > 1 && selected.Score > selected.BestCandidate
	if ensemble.Kept {
		change.Best = selected.Artifact
	}
	change.Trials = []task.Trial{ensemble}
	return change, nil
}

// ensembleLeft returns true if an ensemble is still to be selected: there is none yet, or there
// are other candidates.
func ensembleLeft(s search.Settings, trials []task.Trial) bool {
	candidates, ensemble := candidatesOf(trials, maxCandidates), search.EnsembleOf(trials)
	return s.Ensemble > 0 && len(candidates) > 1 &&
		(ensemble == nil || !slices.Equal(ensemble.Ensemble.Candidates, candidates))
}

// candidatesOf returns the numbers of at most limit retrained trials: the best of each structure
// first, then the second best, since different structures make better ensembles than the best
// seeds of one.
func candidatesOf(trials []task.Trial, limit int) (numbers []int) {
	best := slices.DeleteFunc(task.BestFirst(trials), func(t task.Trial) bool {
		return !search.IsRetrained(t)
	})
	turn, next := map[int]int{}, map[task.Model]int{}
	for _, t := range best {
		m := t.Model()
		turn[t.Number] = next[m]
		next[m]++
	}
	slices.SortStableFunc(best, func(a, b task.Trial) int {
		return cmp.Compare(turn[a.Number], turn[b.Number])
	})
	for _, t := range best[:min(len(best), limit)] {
		numbers = append(numbers, t.Number)
	}
	slices.Sort(numbers)
	return numbers
}
