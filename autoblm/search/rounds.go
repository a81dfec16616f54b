package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
)

// search is the stage in which the strategy proposes structures.
func (s *searcher) search(ctx context.Context) (Stop, string, error) {
	if err := s.trainNamed(ctx); err != nil {
		return "", "", err
	}
	for {
		for _, stage := range []task.Stage{task.HalvingRung, task.Searching} {
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
	proposal, err := ctxutil.Call(ctx, func() (Proposal, error) {
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
	for _, t := range slices.Concat(of(task.HalvingRung, s.trials), of(task.Searching, s.trials)) {
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
			t.Prediction = &proposal.Guesses[i]
		}
		before[a] = t
		trials = append(trials, t)
	}
	return trials
}
