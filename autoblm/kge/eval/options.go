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
	// time allows.
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
	// The first round is not timed: it includes one-time work, such as compilation.
	if err := r.round(0, minRanked, float64(r.total)); err != nil {
		return err
	}
	perQuestion := 0.0 // seconds; 0 if not measured yet
	for r.done < r.total {
		began, before := time.Now(), r.done
		timeLeft := time.Until(r.End).Seconds()
		share, least, expected := 0.0, minRanked, float64(r.total)
		if perQuestion > 0 {
			share, least = 1, 0
			if rest := perQuestion * float64(r.total-r.done); rest > safeShare*timeLeft {
				share = roundShare * timeLeft / rest
				expected = float64(r.done) + timeLeft/perQuestion
			}
		}
		tooFew := perQuestion > 0 && share*float64(r.total-r.done) < minRanked
		if timeLeft <= 0 || tooFew {
			break
		}
		if err := r.round(share, least, expected); err != nil {
			return err
		}
		perQuestion = time.Since(began).Seconds() / float64(r.done-before)
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
