package gomlx

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// TestEncodedModel checks that the model of an encoder is a decoder that ranks as the population did,
// after reading it from its folder, and that a training resumes although its tables are others than
// those of its best model. ConvE has moving averages, which no gradient trains.
func TestEncodedModel(t *testing.T) {
	sizes := form.ConvE{Height: 2, Filters: 3, Size: 2}
	for _, decoder := range []form.Form{form.TransE, form.Bilinear, sizes.Form()} {
		t.Run(decoder.String(), func(t *testing.T) { encodedModel(t, decoder) })
	}
}

func encodedModel(t *testing.T, decoder form.Form) {
	g := enginetest.Graph()
	d, s := completion.Data(g), kge.DefaultSettings()
	s.Dim, s.Batch, s.Epochs, s.ValidateEvery, s.Reciprocal = 8, 32, 4, 1, true
	s.Encoding = kge.Encoding{
		Encoder: kge.CompGCNSub, EncoderDim: 5, EdgeDropout: 0.2, EncoderDropout: 0.1,
	}
	m := kge.Member{Form: decoder, Seed: 1, LearningRate: 0.05}
	if decoder == form.Bilinear {
		m.Structure = structure.MustParse("distmult")
	}
	job := kge.Job{Data: d, Settings: s, Members: []kge.Member{m}}
	engine := newEngine(t, Settings{Backend: backend.Go})
	report, err := kge.Train(t.Context(), engine, job)
	require.NoError(t, err)
	result := report.Results[0]
	require.NoError(t, result.Err)

	dir := t.TempDir()
	require.NoError(t, result.Model.Save(dir))
	model, err := kge.Load(dir)
	require.NoError(t, err)
	evaluation, err := completion.Evaluate(t.Context(), engine, model, g, "valid", eval.Pessimistic)
	require.NoError(t, err)
	if got := evaluation.Both.MRR; got != result.Validations[result.BestEpoch-1].MRR {
		t.Errorf("the model's validation MRR is %v, that of its epoch %v",
			got, result.Validations[result.BestEpoch-1].MRR)
	}

	ctx, cancel := context.WithCancel(t.Context())
	job.Checkpoint = &kge.Checkpoint{File: filepath.Join(dir, "training")}
	job.OnEpoch = func(p kge.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	_, err = kge.Train(ctx, engine, job)
	require.Error(t, err, "canceled")
	job.OnEpoch = nil
	again, err := kge.Train(t.Context(), engine, job)
	require.NoError(t, err)
	if again.Resumed == 0 {
		t.Error("the training began again")
	}
	if diff := cmp.Diff(result.Model.Tables, again.Results[0].Model.Tables); diff != "" {
		t.Errorf("a resumed training gives another model:\n%s", diff)
	}
}

// TestEncoderMemory checks that an encoder is refused if its messages do not fit in memory, which
// parts of a batch do not change.
func TestEncoderMemory(t *testing.T) {
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim, s.Reciprocal, s.Encoder = 8, true, kge.RGCN
	members := []kge.Member{{Form: form.TransE, Seed: 1, LearningRate: 0.1}}
	small := newEngine(t, Settings{Backend: backend.Go, Memory: 50 << 10})
	require.Error(t, small.Supports(d, s, members), "a step on 1 question needs", "limit of 50 KiB",
		"bases of the encoder rgcn")
	s.Encoder = kge.NoEncoder
	require.NoError(t, small.Supports(d, s, members))
	large := newEngine(t, Settings{Backend: backend.Go, Memory: 1 << 30})
	s.Encoder = kge.RGCN
	require.NoError(t, large.Supports(d, s, members))
}
