package main

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func TestCompare(t *testing.T) {
	trial := func(text string, mrr float64) trained { return trained{structure.MustParse(text), mrr} }
	// The last two are DistMult, the first, after a change of basis; the second is ComplEx.
	r := compare([]trained{
		trial("1,0;0,2", 0.50),
		trial("1,2;-2,1", 0.60),
		trial("1,2;2,1", 0.75),
		trial("2,1;1,2", 0.45),
	}, 0.10)
	want := result{
		Trained: 4, Dropped: 2, Joined: 2, Noise: 0.10, MeanDifference: 0.15, MaxDifference: 0.25,
		Better: 1, BetterThanTwice: 1, BestDroppedRank: 1, BestMRR: 0.75, BestKeptMRR: 0.60,
	}
	if len(r.Pairs) != 2 || r.Pairs[0].Dropped.MRR != 0.75 || r.Pairs[0].Kept.MRR != 0.50 {
		t.Errorf("pairs %v", r.Pairs)
	}
	r.Pairs = nil
	if r.String() != want.String() {
		t.Errorf("got\n%vwant\n%v", r, want)
	}
}
