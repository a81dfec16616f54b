package predictor_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// TestOnXLA checks that the perceptron gives the same predictions on XLA as on GoMLX's pure-Go
// backend, its default.
func TestOnXLA(t *testing.T) {
	name := xlatest.Backend(t)
	structures, scores := sample(40, 1)
	unseen, _ := sample(100, 2)
	own := predictions(t, structures, scores, unseen)
	predictor.On(t, name)
	// Two hundred steps of AdamW accumulate rounding differences between the backends.
	for i, g := range predictions(t, structures, scores, unseen) {
		if math.Abs(g-own[i]) > 1e-3 {
			t.Errorf("%s: prediction %v, on GoMLX's pure-Go backend %v", unseen[i], g, own[i])
		}
	}
	for name, test := range map[string]func(*testing.T){
		"definition":    predictor.TestDescentFollowsTheDefinition,
		"unseen":        TestPredictsUnseenStructures,
		"pure function": TestFitIsAPureFunction,
		"side by side":  TestFitsAreIndependent,
		"one by one":    TestPredictionsAreIndependent,
		"repeats":       TestRepeatsAreWeights,
		"refusals":      TestRefusals,
		"one score":     TestFitOfOneScore,
	} {
		t.Run(name, test)
	}
}
