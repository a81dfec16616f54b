package search

import (
	"context"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Stage is a part of a search, such as tuning or retraining. It has no state: it reads everything
// from the [State], so that an interrupted search resumes from its trials. A stage embeds
// [StageBase] and overrides what it needs in addition to Next.
type Stage interface {
	// Next returns the next step from the trials so far. The executor carries the step out and
	// asks again, until the stage is done.
	Next(ctx context.Context, s *State) (Step, error)
	// Trained adds the artifacts to store to a change with trained trials.
	Trained(s *State, c *Change, artifacts []task.Artifact) error
	// Progress adjusts the counts of a progress report while the given trials train.
	Progress(s *State, training []task.Trial, p *Progress)
}

// StageBase implements the optional methods of [Stage].
type StageBase struct{}

// Trained makes the best of the artifacts the one that the study stores, if its trial is better
// than the stored one. After retraining, only that stage decides what is stored.
func (StageBase) Trained(s *State, c *Change, artifacts []task.Artifact) error {
	best, at := -1.0, -1
	kept := Kept(s.Trials)
	replacesDefault := kept != nil && kept.Stage == task.Default
	if kept != nil {
		if !IsCandidate(*kept) && !replacesDefault {
			return nil
		}
		best = kept.ScoreOrZero()
	}
	for i, a := range artifacts {
		if t := c.Trials[i]; a != nil && IsCandidate(t) && t.ScoreOrZero() > best {
			best, at = t.ScoreOrZero(), i
		}
	}
	if at < 0 {
		return nil
	}
	c.Best, c.Trials[at].Kept = artifacts[at], true
	if replacesDefault {
		kept.Kept = false
		c.Trials = append(slices.Clip(c.Trials), *kept) // without overwriting the next population
	}
	return nil
}

// IsCandidate returns true if the artifact of a trial may be stored as the best of the search.
func IsCandidate(t task.Trial) bool {
	return t.Stage == task.Searching || t.Stage == task.TuningEach || t.Stage == task.Final
}

// Progress counts all trials of the stage.
func (StageBase) Progress(*State, []task.Trial, *Progress) {}

// Progress reports how far a search is.
type Progress struct {
	Stage task.Stage
	// Baselines is true while the baselines train, before the structures.
	Baselines bool
	// Trained of Budget trials of the stage are finished, without baselines.
	Trained, Budget int
	// Share is the finished share of all training, from 0 to 1.
	Share float64
	// Best is the best trial of the stage so far, nil if there is none.
	Best *task.Trial
	// Metric is the metric of its score, such as "MRR".
	Metric string
	// End is the end of the time limit, the zero time for none.
	End time.Time
}

// Step is the next step of a stage: it stores a change, trains a population, or ends the stage.
type Step struct {
	// Change, if not nil, is stored before anything depends on it.
	Change *Change
	// AnnouncePlan reports the plan to the user.
	AnnouncePlan bool
	// Train are running trials that train as one population.
	Train []task.Trial
	// Work, if not nil, replaces the training of Train.
	Work func(ctx context.Context) (Change, error)
	// Deadline is the search time at which Train must end; 0 for none. StopEarly completes the
	// trials at the deadline as they are, instead of discarding them.
	Deadline  time.Duration
	StopEarly bool
	// TestSample is true if a plan that limits the ranking still tests these trials.
	TestSample bool
	// Ranked limits the ranking of a step before there is a plan; 0 for no limit.
	Ranked int
	// OnTimeout says what follows if the deadline passes.
	OnTimeout Timeout
	// Done ends the stage. EndSearch ends the search too. Stopped, if not empty, and Note are the
	// reason.
	Done, EndSearch bool
	Stopped         Stop
	Note            string
}

// Timeout says what follows if the deadline of a step passes.
type Timeout int

const (
	// StopSearch ends the search.
	StopSearch Timeout = iota
	// NextStage continues with the next stage, as if the stage were done.
	NextStage
	// NextStageThenStop continues with the next stage, but reports that the time limit was
	// reached.
	NextStageThenStop
)

// Skipped is an error of [Step.Work] that ends the stage with a note. TimeLimit is true if the
// reason is the time limit.
type Skipped struct {
	Note      string
	TimeLimit bool
}

func (s *Skipped) Error() string { return s.Note }
