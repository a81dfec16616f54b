package eval

import (
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/progress"
)

// Options limit ranking. The zero value ranks all questions.
type Options struct {
	Limits
	// End, if set, is when ranking must end. A [Sample] of each split is ranked, as large as
	// time allows. What takes only seconds is ranked as a whole in any case.
	End time.Time
	// OnProgress, if set, is called a few times a second with the share that is done.
	OnProgress func(share float64)
}

// minRanked is the number of questions of a split that are ranked even if there is no time.
const minRanked = 64

// Parts of the remaining time.
const (
	// safeShare is the largest expected part of the last round.
	safeShare = 0.8
	// roundShare is the part of any other round.
	roundShare = 0.5
)

// fewSeconds is the time that ranking may always take, also after its end.
const fewSeconds = 1

// RoundSize returns how many of the remaining questions the next round ranks, 0 to stop. These are
// all questions if they take only seconds or most of the remaining time, and otherwise as many as
// half of that time allows. perQuestion and timeLeft are in seconds.
func RoundSize(rest int, perQuestion, timeLeft float64) int {
	if perQuestion*float64(rest) <= max(fewSeconds, safeShare*timeLeft) {
		return rest
	}
	if n := int(roundShare * timeLeft / perQuestion); n >= minRanked {
		return n
	}
	return 0
}

// Rank ranks questions of splits of the given sizes. It calls rank with ascending indices of
// some questions of a split, more than once if there is a time limit. ranker reports the
// progress of these calls if it can. Rank returns the ascending indices of all questions that
// were ranked in each split.
func (o Options) Rank(
	ranker any, sizes []int, rank func(split int, indices []int) error,
) ([][]int, error) {
	r := ranking{Options: o, ranker: ranker, rank: rank, ranked: make([][]int, len(sizes))}
	for _, size := range sizes {
		r.left = append(r.left, samplingOrder(size))
		r.total += size
	}
	if o.End.IsZero() {
		return r.ranked, r.round(1, 0, float64(r.total))
	}
	if err := r.untilEnd(); err != nil {
		return nil, err
	}
	for _, indices := range r.ranked {
		slices.Sort(indices)
	}
	return r.ranked, nil
}

// ranking is the state of a call of Rank.
type ranking struct {
	Options
	ranker any
	rank   func(split int, indices []int) error
	ranked [][]int // by split
	left   [][]int // by split, in the order of samples
	total  int
	done   int
}

// untilEnd ranks in rounds, each of which measures the time per question for the next.
func (r *ranking) untilEnd() error {
	began := time.Now()
	if err := r.round(0, minRanked, float64(r.total)); err != nil {
		return err
	}
	// The pace of the first round is too low: it includes one-time work, such as compilation.
	pace := time.Since(began).Seconds() / float64(max(1, r.done))
	isFirst := true
	for r.done < r.total {
		began, before, rest := time.Now(), r.done, r.total-r.done
		timeLeft := time.Until(r.End).Seconds()
		n, least := RoundSize(rest, pace, timeLeft), 0
		switch {
		case n == rest:
		case isFirst && timeLeft > 0:
			n, least = 0, minRanked
		case n == 0:
			return nil
		}
		expected := min(float64(r.total), float64(before)+timeLeft/pace)
		if n == rest {
			expected = float64(r.total)
		}
		if err := r.round(float64(n)/float64(rest), least, expected); err != nil {
			return err
		}
		pace, isFirst = time.Since(began).Seconds()/float64(r.done-before), false
	}
	return nil
}

// round ranks a share of the remaining questions of each split, and at least a number of them.
// expected is the number of questions that progress is relative to.
func (r *ranking) round(share float64, least int, expected float64) error {
	for split, order := range r.left {
		n := max(least, int(math.Ceil(share*float64(len(order)))))
		n = min(n, len(order))
		if n == 0 {
			continue
		}
		indices := slices.Sorted(slices.Values(order[:n]))
		if err := r.rankWithProgress(split, indices, expected); err != nil {
			return err
		}
		r.ranked[split] = append(r.ranked[split], indices...)
		r.left[split] = order[n:]
		r.done += n
	}
	return nil
}

func (r *ranking) rankWithProgress(split int, indices []int, expected float64) error {
	var report func(share float64)
	if r.OnProgress != nil {
		report = func(share float64) {
			r.OnProgress((float64(r.done) + share*float64(len(indices))) / expected)
		}
	}
	defer progress.Attach(r.ranker, report)()
	return r.rank(split, indices)
}
