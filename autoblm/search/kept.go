package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// contender says whether what a trial leaves may become that of the search.
func contender(t task.Trial) bool { return t.Stage == task.Searching || t.Stage == task.Final }

// kept is the trial that left what a study keeps: the ensemble that says so, of those of other seeds
// the last one, else the best one. Where none does, in a study of before named models were kept, it
// is the best of the others.
func kept(trials []task.Trial) *task.Trial {
	for _, stage := range []task.Stage{task.EnsembleSelection, task.Retraining} {
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
