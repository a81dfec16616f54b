package gomlx

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
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
