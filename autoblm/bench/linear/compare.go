package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/structure/linear"
)

// trained is a structure with its validation MRR.
type trained struct {
	Structure structure.Structure `json:"structure"`
	MRR       float64             `json:"valid_mrr"`
}

// pair is a structure that the filter drops, beside the earlier one for which it does.
type pair struct {
	Dropped trained `json:"dropped"`
	Kept    trained `json:"kept"`
	// Joined is whether a map was found that joins them. Without one the filter may
	// be right or wrong.
	Joined bool `json:"joined"`
}

func (p pair) gain() float64 { return p.Dropped.MRR - p.Kept.MRR }

// result is what was measured. MRR is the filtered one on the validation triples.
type result struct {
	Dataset string `json:"dataset"`
	Seed    uint64 `json:"seed"`
	// Trained structures were trained to their end, Dropped of them in vain by the filter.
	Trained int `json:"trained"`
	Dropped int `json:"dropped"`
	// Joined of the dropped are proved to be the kept ones in another basis.
	Joined int `json:"joined"`
	// Noise is the standard deviation of the MRR over the seeds of one structure.
	Noise float64 `json:"noise"`
	// MeanDifference and MaxDifference are between dropped and kept, without sign.
	MeanDifference float64 `json:"mean_difference"`
	MaxDifference  float64 `json:"max_difference"`
	// Better counts the dropped that are better than the kept by more than the
	// noise, BetterThanTwice by more than twice the noise; Worse and WorseThanTwice
	// likewise count the other way round.
	Better          int `json:"better"`
	BetterThanTwice int `json:"better_than_twice"`
	Worse           int `json:"worse"`
	WorseThanTwice  int `json:"worse_than_twice"`
	// BestDroppedRank is the place of the best dropped one among all, 0 without one.
	BestDroppedRank int `json:"best_dropped_rank"`
	// BestMRR is that of all, BestKeptMRR that without the dropped.
	BestMRR     float64 `json:"best_mrr"`
	BestKeptMRR float64 `json:"best_kept_mrr"`
	Pairs       []pair  `json:"pairs"`
}

// compare finds what the filter drops of structures in the order they were trained in.
func compare(trials []trained, noise float64) result {
	r := result{Trained: len(trials), Noise: noise}
	kept := map[linear.Invariant]trained{}
	bestDropped := math.Inf(-1)
	for _, t := range trials {
		r.BestMRR = max(r.BestMRR, t.MRR)
		class := linear.Of(t.Structure)
		first, known := kept[class]
		if !known {
			kept[class] = t
			r.BestKeptMRR = max(r.BestKeptMRR, t.MRR)
			continue
		}
		_, joined := linear.Join(t.Structure, first.Structure)
		p := pair{t, first, joined}
		r.Pairs = append(r.Pairs, p)
		r.MeanDifference += math.Abs(p.gain())
		r.MaxDifference = max(r.MaxDifference, math.Abs(p.gain()))
		r.Joined += count(joined)
		r.Better += count(p.gain() > noise)
		r.BetterThanTwice += count(p.gain() > 2*noise)
		r.Worse += count(-p.gain() > noise)
		r.WorseThanTwice += count(-p.gain() > 2*noise)
		bestDropped = max(bestDropped, t.MRR)
	}
	r.Dropped = len(r.Pairs)
	if r.Dropped > 0 {
		r.MeanDifference /= float64(r.Dropped)
		r.BestDroppedRank = 1
		for _, t := range trials {
			r.BestDroppedRank += count(t.MRR > bestDropped)
		}
	}
	return r
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// String is the result for people.
func (r result) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, seed %d: the filter linear drops %d of %d structures, %d of them proved to be kept ones in another basis\n", r.Dataset, r.Seed, r.Dropped, r.Trained, r.Joined)
	fmt.Fprintf(&text, "validation MRR of one structure over seeds: standard deviation %.4f\n", r.Noise)
	fmt.Fprintf(&text, "best of all %.4f, best without the dropped %.4f\n", r.BestMRR, r.BestKeptMRR)
	if r.Dropped == 0 {
		return text.String()
	}
	fmt.Fprintf(&text, "dropped against kept: mean difference %.4f, largest %.4f\n", r.MeanDifference, r.MaxDifference)
	fmt.Fprintf(&text, "better than the kept by more than the noise: %d, by more than twice: %d; worse: %d, %d\n", r.Better, r.BetterThanTwice, r.Worse, r.WorseThanTwice)
	fmt.Fprintf(&text, "the best dropped one is number %d of all\n", r.BestDroppedRank)
	return text.String()
}
