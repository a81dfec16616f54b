package gomlx

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestProgramsOfScores checks that scoring compiles a program for each power of two of questions, not
// for each number of them.
func TestProgramsOfScores(t *testing.T) {
	engine := newEngine(t, Settings{Backend: backend.Go})
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim = 8
	p := kge.Initialize(d, s, kge.Member{Form: form.TransE, Seed: 1})
	ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
	require.NoError(t, err)
	defer ranker.Close()
	for n := 1; n <= 16; n++ {
		visited := 0
		questions := make([]kge.Question, n)
		for i := range questions {
			questions[i].Path = []int32{0}
		}
		visit := func(int, []float32) { visited++ }
		require.NoError(t, ranker.Scores(t.Context(), 0, questions, visit))
		if visited != n {
			t.Errorf("%d questions have %d rows of scores", n, visited)
		}
	}
	if got, want := engine.Compilations(), int64(5); got != want {
		t.Errorf("up to 16 questions compiled %d programs, want %d", got, want)
	}
}

// TestScoresCopyOneModel checks that a ranker copies a model when it is asked, and no others, and that
// it refuses a sharded model that is larger than a device.
func TestScoresCopyOneModel(t *testing.T) {
	engine := newEngine(t, Settings{Backend: backend.Go})
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim = 8
	var models []kge.Parameters
	for seed := range uint64(3) {
		m := kge.Member{Structure: structure.MustParse("simple"), Seed: seed}
		models = append(models, kge.Initialize(d, s, m))
	}
	opened, err := engine.NewRanker(models, kge.Float32)
	require.NoError(t, err)
	ranker := opened.(*scoringRanker)
	defer ranker.Close()
	ask := func() error {
		return ranker.Scores(t.Context(), 1, []kge.Question{{Path: []int32{0}}}, func(int, []float32) {})
	}
	require.NoError(t, ask())
	for model, scorer := range ranker.scorers {
		if isCopied := scorer != nil; isCopied != (model == 1) {
			t.Errorf("model %d is copied: %v", model, isCopied)
		}
		if ranker.parameters[model].Entities != nil {
			t.Errorf("the tables of model %d are kept", model)
		}
	}

	sharded := *ranker.ranker
	sharded.shards = append(sharded.shards, sharded.shards...)
	sharded.engine = &Engine{settings: Settings{Memory: 1000}}
	_, err = sharded.scorer(1, ranker.parameters[1])
	require.Error(t, err, "more than the limit of 1000 B")
}
