package classify_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

func TestTrainerRefuses(t *testing.T) {
	type graph = rdf.Graph
	type settings = classify.Settings
	for want, change := range map[string]func(g *graph, s *settings){
		`class "rare" has 1 of the training nodes: cross-validation needs two of each`: func(g *graph,
			_ *settings) {
			g.Classes = append(g.Classes, "rare")
			g.Train[0].Class = 2
		},
		`class "new" has 0 of the training nodes and 1 of the test nodes, which are drawn`: func(g *graph, _ *settings) {
			g.Classes = append(g.Classes, "new")
			g.Test[0].Class = 2
		},
		"18 training nodes: they cannot be divided into 19 folds": func(_ *graph, s *settings) {
			s.Folds, s.SeenBy = 19, 99
		},
		"no test nodes: set runs to 0":          func(g *graph, _ *settings) { g.Test = nil },
		"dim is 0: it must be from 1":           func(_ *graph, s *settings) { s.Dim = 0 },
		"layers is 0":                           func(_ *graph, s *settings) { s.Layers = 0 },
		"folds is 1":                            func(_ *graph, s *settings) { s.Folds = 1 },
		"encoder(99) has no name: use blm, gcn": func(_ *graph, s *settings) { s.Encoder = 99 },
		"norm(99) has no name":                  func(_ *graph, s *settings) { s.Norm = 99 },
		"parts is 0":                            func(_ *graph, s *settings) { s.Encoder, s.Parts = classify.RGCN, 0 },
		"dim is 16: with 3 blocks it must be a multiple of 3": func(_ *graph, s *settings) {
			s.Encoder, s.Parts = classify.RGCNBlock, 3
		},
	} {
		g, s := enginetest.KindsGraph(24), quick(classify.BLM)
		change(g, &s)
		_, err := classify.NewTrainer(g, s, classify.Options{})
		wantError(t, want, err, want)
	}
	_, err := classify.NewTrainer(enginetest.KindsGraph(24), quick(classify.BLM), classify.Options{})
	wantError(t, "no engine", err, "no engine")
}

func TestMembersAreChecked(t *testing.T) {
	first := member(classify.BLM, "1,0;0,2")
	check := func(want string, members ...classify.Member) {
		t.Helper()
		_, err := trainOnce(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM),
			classify.Options{}, members)
		wantError(t, want, err, want)
	}
	for want, change := range map[string]func(m *classify.Member){
		"the encoder blm needs a structure": func(m *classify.Member) {
			m.Structure = structure.Structure{}
		},
		"structures of 2 and of 1 chunks cannot train together": func(m *classify.Member) {
			*m = member(classify.BLM, "1")
		},
		"learning-rate is 0": func(m *classify.Member) { m.LearningRate = 0 },
		"dropout is 1":       func(m *classify.Member) { m.Dropout = 1 },
		"l2 is -1":           func(m *classify.Member) { m.L2 = -1 },
	} {
		m := first
		change(&m)
		check(want, first, m)
	}
	check("no member")
	check("dim is 16: with 3 chunks it must be a multiple of 3",
		member(classify.BLM, "1,2,3;2,1,3;3,2,1"))
}

func TestTuneRefuses(t *testing.T) {
	type ranges = classify.Ranges
	for want, change := range map[string]func(r *ranges, trials *int){
		"dim is 3: with 2 chunks it must be a multiple of 2": func(r *ranges, _ *int) {
			r.Dims = []int{3}
		},
		"trials is 0":                                                        func(_ *ranges, trials *int) { *trials = 0 },
		"the range of L2 weights is 0 to 0.1":                                func(r *ranges, _ *int) { r.L2 = [2]float64{0, .1} },
		"the range of learning rates is -1 to 0.1":                           func(r *ranges, _ *int) { r.LearningRate = [2]float64{-1, .1} },
		"the range of learning rates is 0.2 to 0.1":                          func(r *ranges, _ *int) { r.LearningRate = [2]float64{.2, .1} },
		"the range of dropouts is 0 to 1: give two ascending numbers from 0": func(r *ranges, _ *int) { r.Dropout = [2]float64{0, 1} },
	} {
		r, trials := classify.DefaultRanges(), 2
		change(&r, &trials)
		_, err := classify.Tune(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM),
			member(classify.BLM, "1,0;0,2"), r, trials, 1, classify.Options{})
		wantError(t, want, err, want)
	}
}

func wantError(t *testing.T, what string, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error is %q; it should be one line with %q in it", what, err, part)
	}
}
