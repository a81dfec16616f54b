package search

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// judgeBySplits trains structures by other splits of the training and the validation data: few
// validation triples tell little, and other ones tell something else. Nothing is kept of that but
// the scores.
func (s *searcher) judgeBySplits(ctx context.Context, chosen []task.Trial, recipe task.Recipe) error {
	for split := 1; split <= s.Settings.Splits; split++ {
		var trials []task.Trial
		for _, t := range chosen {
			if !slices.ContainsFunc(of(task.Resplit, s.trials), func(b task.Trial) bool { return b.Structure == t.Structure && b.Split == split }) {
				r := recipe
				r.Seed += uint64(split)
				trials = append(trials, task.Trial{Name: t.Name, Structure: t.Structure, Recipe: r, Split: split})
			}
		}
		if len(trials) > 0 {
			if s.timeIsUp() || !s.leaves(s.longestAgain()*float64(len(trials))/float64(s.Settings.Again)) {
				return nil
			}
			if err := s.put(Change{Trials: s.numbered(task.Resplit, trials)}); err != nil {
				return err
			}
		}
		if err := s.trainRunning(ctx, task.Resplit); err != nil {
			return err
		}
	}
	return nil
}

// bySplit are the scores of a structure by splits, the first of which is that of the data, whose
// score is the mean over the seeds.
func (r Retrained) bySplit() []float64 {
	all := []float64{stat.Mean(scores(r.Trials), nil)}
	return append(all, scores(r.Splits)...)
}
