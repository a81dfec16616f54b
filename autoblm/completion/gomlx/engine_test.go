package gomlx

import (
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func newEngine(t *testing.T) *Engine {
	t.Helper()
	engine, err := New("go")
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, newEngine(t))
}

// TestRanksInChunks: what does not fit into one table of scores is ranked in
// several, the last of which is padded.
func TestRanksInChunks(t *testing.T) {
	g := enginetest.Graph()
	p := completion.InitialParameters(structure.MustParse("quate"), len(g.Entities), len(g.Relations), 8, 1, 5)
	ranker, err := newEngine(t).NewRanker([]completion.Parameters{p, p})
	if err != nil {
		t.Fatal(err)
	}
	defer ranker.Close()
	rank := func() [][]completion.Ranked {
		ranks, err := ranker.Rank(t.Context(), g.Test, g.Known())
		if err != nil {
			t.Fatal(err)
		}
		return ranks
	}
	want := rank()
	defer func(before int) { mostNumbers = before }(mostNumbers)
	mostNumbers = 2 * 2 * len(g.Entities) * 4 // four triples of the 21 at a time
	if got := rank(); !reflect.DeepEqual(got, want) {
		t.Errorf("in chunks: %v, at once: %v", got, want)
	}
}

func TestStructureChangeCompilesNothing(t *testing.T) {
	engine := newEngine(t)
	g := enginetest.Graph()
	settings := completion.DefaultSettings()
	settings.Dim, settings.Epochs, settings.Batch, settings.ValidateEvery = 8, 2, 16, 1
	train := func(s structure.Structure, rate float64) {
		member := completion.DefaultMember(s)
		member.LearningRate = rate
		if _, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: settings, Members: []completion.Member{member}}); err != nil {
			t.Fatal(err)
		}
	}
	train(structure.MustParse("distmult"), 0.3)
	first := engine.Compilations()
	if first < 2 {
		t.Fatalf("%d compilations: at least a step and a ranking had to be compiled", first)
	}
	for _, named := range structure.HumanDesigned() {
		train(named.Structure, 0.1)
	}
	if got := engine.Compilations(); got != first {
		t.Errorf("%d compilations after five more structures, want the %d of the first", got, first)
	}
	shared := completion.SharedJob{Graph: g, Settings: settings, Member: completion.Member{LearningRate: 0.1}}
	shared.Settings.ValidateEvery = 0
	for _, named := range structure.HumanDesigned() {
		shared.Candidates = append(shared.Candidates, named.Structure)
	}
	if _, err := completion.TrainShared(t.Context(), engine, shared); err != nil {
		t.Fatal(err)
	}
	if got := engine.Compilations(); got != first {
		t.Errorf("%d compilations after shared training, want the %d of the first", got, first)
	}
	settings.Dim = 12
	train(structure.MustParse("distmult"), 0.3)
	if engine.Compilations() == first {
		t.Error("a new shape was not counted as a compilation, so the counter is of no use")
	}
}

func TestUnknownBackend(t *testing.T) {
	for _, name := range []string{"cuda", "xla:/nowhere/cuda.so", ""} {
		if _, err := New(name); err == nil {
			t.Errorf("New(%q) gave no error", name)
		}
	}
}
