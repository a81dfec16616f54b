package kge

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/progress"
)

// Limits are how many questions of each split are ranked at most: 0 is all of them, and
// [None] none. What is ranked is a [Sample].
type Limits struct{ Valid, Test int }

// None leaves a split out.
const None = -1

// Sample is so many of all, drawn at random, in their order: the same each time, and a part of
// each larger sample. 0 is all, and [None] none.
func Sample[T any](all []T, most int) []T {
	if most == 0 || most >= len(all) {
		return all
	}
	chosen := drawn(len(all))[:max(0, most)]
	slices.Sort(chosen)
	return Pick(all, chosen)
}

// drawn are the numbers below n in the order in which samples take them.
func drawn(n int) []int { return rand.New(rand.NewPCG(1, 0)).Perm(n) }

// Pick are those of all with the given numbers.
func Pick[T any](all []T, numbers []int) []T {
	some := make([]T, len(numbers))
	for i, number := range numbers {
		some[i] = all[number]
	}
	return some
}

// Ranking is how what is held out is ranked: all at once, where nothing else is said.
type Ranking struct {
	Limits
	// End, when set, is when the ranking is to be over: a [Sample] of each split is ranked,
	// as large as there is time for.
	End time.Time
	// OnProgress, when set, is called now and then with the share that is done.
	OnProgress func(share float64)
}

// fewest is how many questions of a split are ranked by its [Ranking] in any case.
const fewest = 64

// Of ranks questions of splits of some sizes, by calls of rank for some of a split, whose
// numbers ascend. It returns the numbers of all that were ranked of each. The ranker tells how
// far it is, where it can.
func (how Ranking) Of(r Ranker, sizes []int, rank func(split int, numbers []int) error) ([][]int, error) {
	ranked, orders, all, done := make([][]int, len(sizes)), make([][]int, len(sizes)), 0, 0
	for split, size := range sizes {
		orders[split], all = drawn(size), all+size
	}
	// some ranks a share of what is left of each split, and some questions at least.
	some := func(share float64, least int, expected float64) error {
		for split, order := range orders {
			n := min(len(order), max(least, int(math.Ceil(share*float64(len(order))))))
			if n == 0 {
				continue
			}
			now := slices.Sorted(slices.Values(order[:n]))
			var tell func(share float64)
			if how.OnProgress != nil {
				tell = func(share float64) { how.OnProgress((float64(done) + share*float64(n)) / expected) }
			}
			detach := progress.Attach(r, tell)
			err := rank(split, now)
			detach()
			if err != nil {
				return err
			}
			ranked[split], orders[split], done = append(ranked[split], now...), order[n:], done+n
		}
		return nil
	}
	if how.End.IsZero() {
		return ranked, some(1, 0, float64(all))
	}
	if err := some(0, fewest, float64(all)); err != nil { // which also readies what all share
		return nil, err
	}
	for question := 0.0; done < all; { // seconds of one, which the last call tells
		began, before, left := time.Now(), done, time.Until(how.End).Seconds()
		share, least, expected := 0.0, fewest, float64(all)
		if question > 0 {
			const safe, careful = 0.8, 0.5 // parts of the time that is left
			share, least = 1, 0
			if whole := question * float64(all-done); whole > safe*left {
				share, expected = careful*left/whole, float64(done)+left/question
			}
		}
		if left <= 0 || question > 0 && share*float64(all-done) < fewest {
			break
		}
		if err := some(share, least, expected); err != nil {
			return nil, err
		}
		question = time.Since(began).Seconds() / float64(done-before)
	}
	for _, numbers := range ranked {
		slices.Sort(numbers)
	}
	return ranked, nil
}
