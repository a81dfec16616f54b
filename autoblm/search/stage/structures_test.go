package stage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
)

// fixedStrategy proposes the same in each round.
type fixedStrategy struct{ strategy.Proposal }

func (fixedStrategy) Name() string { return "fixed" }

func (s fixedStrategy) Propose(
	strategy.Options, int, []task.Trial, int, *rand.Rand,
) (strategy.Proposal, error) {
	return s.Proposal, nil
}

// TestWrongProposals checks that a wrong proposal is an error that names the strategy, and that
// repeated structures and none end the search.
func TestWrongProposals(t *testing.T) {
	s := search.BasicSettings()
	s.Budget = 12
	found := structure.MustParse("1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2")
	two := structure.MustParse("1,0;0,2")
	all := func(s ...structure.Structure) strategy.Proposal { return strategy.Proposal{Structures: s} }
	for want, p := range map[string]strategy.Proposal{
		"at most 12":                            all(slices.Repeat([]structure.Structure{found}, 13)...),
		"a structure with 0 chunks":             all(found, structure.Structure{}),
		"2 chunks: propose structures with 4":   all(two),
		"1 structures with 2 predictions":       {Structures: all(found).Structures, Predictions: []float64{1, 2}},
		"predicts the score NaN":                {Structures: all(found).Structures, Predictions: []float64{math.NaN()}},
		"2 structures with 1 messages: propose": {Structures: all(found, found).Structures, Messages: all(found).Structures},
	} {
		_, err := Run(t.Context(), problem(fakeTask{score: nonzeros}, fixedStrategy{p}, s))
		require.Error(t, err, "round 1 of fixed", want)
	}
	_, err := Run(t.Context(), problem(fakeTask{score: nonzeros}, nil, s))
	require.Error(t, err, "no strategy: set Strategy")
	for _, p := range []strategy.Proposal{all(found, found), {Predictions: []float64{}, Reason: "none"}} {
		r := run(t, problem(fakeTask{score: nonzeros}, fixedStrategy{p}, s))
		if r.Stopped != search.SpaceExhausted || r.Trained > 1 {
			t.Errorf("%d trained, %s", r.Trained, r.Stopped)
		}
	}
}
