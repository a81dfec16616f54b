package classify_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
)

// TestEnsemblesAreMeans checks that an ensemble predicts the mean of its members' probabilities,
// for any encoders, and evaluates splits with it.
func TestEnsemblesAreMeans(t *testing.T) {
	g, engine := friends(), cpu.New(0)
	var ensemble classify.Ensemble
	for i, s := range variedSettings() {
		s.Epochs = 2 * (i + 1) // so that they are of different minds
		ensemble = append(ensemble, trained(t, g, s, member(s.Encoder, "1,-2;2,1")))
	}
	hits := 0
	for _, l := range g.Test {
		node, want := g.Nodes[l.Node], map[string]float64{}
		for _, m := range ensemble {
			p, err := classify.Ensemble{m}.Predict(t.Context(), engine, g, node, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range p.Answers {
				want[a.Class] += a.Probability / float64(len(ensemble))
			}
		}
		got, err := ensemble.Predict(t.Context(), engine, g, node, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got.Answers {
			if math.Abs(a.Probability-want[a.Class]) > 1e-6 {
				t.Errorf("%s is %s with %v, and with %v in the mean", node, a.Class, a.Probability,
					want[a.Class])
			}
		}
		if want[g.Classes[l.Class]] > 0.5 {
			hits++
		}
	}
	all, _, err := ensemble.Evaluate(t.Context(), engine, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	if want := float64(hits) / float64(len(g.Test)); all.Accuracy != want {
		t.Errorf("the ensemble classifies %v right, and by the means it is %v", all.Accuracy, want)
	}
	if _, _, err := (classify.Ensemble{}).Evaluate(t.Context(), engine, g, "test"); err == nil {
		t.Error("an ensemble of no models classifies nodes")
	}
}
