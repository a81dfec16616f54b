package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestTrainingLearns checks that every form learns its training data: triples, and paths with and
// without negative sampling.
func TestTrainingLearns(t *testing.T) {
	engine, g, paths := New(2), enginetest.Graph(), enginetest.Paths(t, 40, 3, 150)
	hops := query.Paths{Hops: []int{2}, With: []int{1}, AnswerPower: 0.5}
	data, err := paths.Training(hops)
	require.NoError(t, err)
	train := func(d *kge.Data, s kge.Settings, m kge.Member) *kge.Model {
		t.Helper()
		job := kge.Job{Data: d, Settings: s, Members: []kge.Member{m}}
		report, err := kge.Train(t.Context(), engine, job)
		require.NoError(t, err)
		return report.Results[0].Model
	}
	for name, m := range enginetest.Members() {
		if name == "empty" { // its queries have zeros in a chunk
			continue
		}
		s := kge.DefaultSettings()
		k := max(1, m.Structure.K())
		s.Dim, s.Epochs, s.Batch = 32/k*k, 60, 50
		m.LearningRate = 0.3
		model := train(completion.Data(g), s, m)
		e, err := completion.Evaluate(t.Context(), engine, model, g, "train", eval.Pessimistic)
		want := 0.6
		if m.Form.Capabilities().Products {
			want = 0.9
		}
		if err != nil || e.Both.MRR < want {
			t.Errorf("%s: MRR on the training triples is %.3f after %d epochs, want at least %v (%v)",
				name, e.Both.MRR, s.Epochs, want, err)
		}
		evaluate := func(p kge.Parameters) float64 {
			ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
			require.NoError(t, err)
			e, err := query.Evaluate(t.Context(), ranker, 0, paths.Queries(query.InTrain, 2))
			require.NoError(t, err)
			return e.MRR
		}
		s.Dim, s.Reciprocal = 16/k*k, true
		for _, negatives := range []kge.Sampling{{}, {Negatives: 10, Margin: 3}} {
			s.Sampling = negatives
			if m.Form.Capabilities().Products && negatives.Negatives > 0 {
				continue
			}
			before := evaluate(kge.Initialize(data, s, m))
			after := evaluate(train(data, s, m).Parameters)
			if after < before+0.15 {
				t.Errorf("%s, %d negatives: MRR of training queries rises from %.3f to %.3f, want +0.15",
					name, negatives.Negatives, before, after)
			}
		}
	}
}
