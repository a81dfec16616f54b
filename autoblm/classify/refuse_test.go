package classify_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

func TestTrainerRefuses(t *testing.T) {
	good := func() *rdf.Graph { return enginetest.KindsGraph(24) }
	for name, c := range map[string]struct {
		change func(g *rdf.Graph, s *classify.Settings)
		want   string
	}{
		"one of a class": {func(g *rdf.Graph, s *classify.Settings) {
			g.Classes = append(g.Classes, "rare")
			g.Train[0].Class = 2
		}, `class "rare" has 1 of the training nodes: cross-validation needs two of each`},
		"a class to test only": {func(g *rdf.Graph, s *classify.Settings) {
			g.Classes = append(g.Classes, "new")
			g.Test[0].Class = 2
		}, `class "new" has 0 of the training nodes`},
		"too many folds": {func(g *rdf.Graph, s *classify.Settings) {
			s.Folds = 19
		}, "18 training nodes: they cannot be divided into 19 folds"},
		"nothing to test": {func(g *rdf.Graph, s *classify.Settings) {
			g.Test = nil
		}, "no test nodes: set runs to 0"},
		"no dimension": {func(g *rdf.Graph, s *classify.Settings) {
			s.Dim = 0
		}, "dim is 0: it must be from 1"},
		"no layers": {func(g *rdf.Graph, s *classify.Settings) { s.Layers = 0 }, "layers is 0"},
		"one fold":  {func(g *rdf.Graph, s *classify.Settings) { s.Folds = 1 }, "folds is 1"},
		"unknown encoder": {func(g *rdf.Graph, s *classify.Settings) {
			s.Encoder = 99
		}, "encoder(99) has no name: use blm, gcn"},
		"unknown norm": {func(g *rdf.Graph, s *classify.Settings) {
			s.Norm = 99
		}, "norm(99) has no name"},
		"no common matrix": {func(g *rdf.Graph, s *classify.Settings) {
			s.Encoder, s.Parts = classify.RGCN, 0
		}, "parts is 0"},
		"blocks do not fit": {func(g *rdf.Graph, s *classify.Settings) {
			s.Encoder, s.Parts = classify.RGCNBlock, 3
		}, "dim is 16: with 3 blocks it must be a multiple of 3"},
	} {
		g, s := good(), quick(classify.BLM)
		c.change(g, &s)
		_, err := classify.NewTrainer(g, s, classify.Options{})
		wantError(t, name, err, c.want)
	}
	_, err := classify.NewTrainer(good(), quick(classify.BLM), classify.Options{})
	wantError(t, "no engine", err, "no engine")
}

func TestMembersAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *classify.Member)
		want   string
	}{
		"no structure": {func(m *classify.Member) {
			m.Structure = classify.Member{}.Structure
		}, "the encoder blm needs a structure"},
		"another K": {func(m *classify.Member) {
			*m = member(classify.BLM, "1")
		}, "structures of 2 and of 1 chunks cannot train together"},
		"no learning rate": {func(m *classify.Member) { m.LearningRate = 0 }, "learning-rate is 0"},
		"all dropped":      {func(m *classify.Member) { m.Dropout = 1 }, "dropout is 1"},
		"negative weight":  {func(m *classify.Member) { m.L2 = -1 }, "l2 is -1"},
	} {
		m := member(classify.BLM, "1,0;0,2")
		c.change(&m)
		_, err := trainOnce(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM),
			classify.Options{}, []classify.Member{member(classify.BLM, "1,0;0,2"), m})
		wantError(t, name, err, c.want)
	}
	_, err := trainOnce(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM),
		classify.Options{}, nil)
	wantError(t, "nobody", err, "no member")
	_, err = trainOnce(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM), classify.Options{},
		[]classify.Member{member(classify.BLM, "1,2,3;2,1,3;3,2,1")})
	wantError(t, "chunks that do not fit", err, "dim is 16: with 3 chunks it must be a multiple of 3")
}

func TestTuneRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *classify.Ranges, trials *int)
		want   string
	}{
		"bad dim": {func(r *classify.Ranges, _ *int) {
			r.Dims = []int{3}
		}, "dim is 3: with 2 chunks it must be a multiple of 2"},
		"bad rates": {func(r *classify.Ranges, _ *int) {
			r.LearningRate[0] = 0
		}, "learning rates are from 0"},
		"bad dropout": {func(r *classify.Ranges, _ *int) {
			r.Dropout[1] = 1
		}, "dropouts are from 0 to 1"},
		"bad weights": {func(r *classify.Ranges, _ *int) {
			r.L2 = [2]float64{0, 1}
		}, "weights l2 are from 0 to 1"},
		"no trials": {func(_ *classify.Ranges, trials *int) { *trials = 0 }, "trials is 0"},
	} {
		r, trials := classify.PaperRanges(), 2
		c.change(&r, &trials)
		_, err := classify.Tune(t.Context(), enginetest.KindsGraph(24), quick(classify.BLM),
			member(classify.BLM, "1,0;0,2"), r, trials, 1, classify.Options{})
		wantError(t, name, err, c.want)
	}
}

func wantError(t *testing.T, what string, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error is %q; it should be one line with %q in it", what, err, part)
	}
}
