package search

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// endShare of the time is left for choosing an ensemble, for the last ranking and for saving.
const endShare = 0.06

// used is the time that all processes have searched so far, as far as the trials know.
func (s *searcher) used() time.Duration { return s.before + time.Since(s.began) }

// timeOf is the time that trials and rounds took.
func timeOf(trials []task.Trial, rounds []Round) (sum time.Duration) {
	for _, t := range trials {
		sum += seconds(t.Seconds)
	}
	for _, r := range rounds {
		sum += seconds(r.Seconds)
	}
	return sum
}

// limit is when no training goes on; 0 without a limit. A plan has one for all processes.
func (s *searcher) limit() time.Duration {
	switch {
	case s.plan != nil:
		return s.plan.Limit - seconds(endShare*s.plan.Limit.Seconds())
	case s.Settings.TimeLimit > 0:
		return s.before + s.Settings.TimeLimit
	}
	return 0
}

func (s *searcher) timeIsUp() bool {
	limit := s.limit()
	return limit > 0 && s.used() >= limit
}

// isOver says whether the time of a stage is, by the plan.
func (s *searcher) isOver(until func(*Plan) time.Duration) bool {
	return s.plan != nil && s.used() >= until(s.plan)
}

// leaves says whether there is time for a training that took so long before.
func (s *searcher) leaves(seconds float64) bool {
	limit := s.limit()
	return limit == 0 || (s.used().Seconds()+1.1*seconds) < limit.Seconds()
}

// savedShare of the time is left for saving after all.
const savedShare = 0.02

// untilTheEnd ends with what a plan leaves for the end, but for saving.
func (s *searcher) untilTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.plan == nil {
		return s.untilTimeIsUp(ctx, task.EnsembleSelection)
	}
	end := seconds((1 - savedShare) * s.plan.Limit.Seconds())
	return context.WithDeadlineCause(ctx, s.began.Add(end-s.before), task.ErrDeadlineExceeded)
}

// cutInTime has the first results of a plan, and of its last stage, cut where they would come
// too late: some are better than none.
func (s *searcher) cutInTime(ctx context.Context, stage task.Stage) context.Context {
	first := len(bestFirst(of(task.Searching, s.trials))) == 0 && stage == task.Searching
	if s.plan == nil || !first && (stage != task.Retraining || len(bestFirst(of(task.Retraining, s.trials))) > 0) {
		return ctx
	}
	return task.StopAt(ctx, s.began.Add(s.limit()-s.before))
}

// untilTimeIsUp ends with the time, once there is a result to end with. That of tuning ends, by a
// plan, where there would be none left to compare structures in.
func (s *searcher) untilTimeIsUp(ctx context.Context, stage task.Stage) (context.Context, context.CancelFunc) {
	limit := s.limit()
	if s.plan != nil && stage == task.Tuning {
		limit = min(limit, s.plan.SearchUntil)
	}
	if _, cut := task.StopTime(ctx); cut || limit == 0 || s.plan == nil && len(bestFirst(of(task.Searching, s.trials))) == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, s.began.Add(limit-s.before), task.ErrDeadlineExceeded)
}
