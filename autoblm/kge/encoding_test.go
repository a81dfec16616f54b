package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

func TestEncodersForMembers(t *testing.T) {
	quate := kge.Member{Structure: structure.MustParse("quate"), Seed: 1, LearningRate: 0.1}
	transE := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.1}
	rotatE := kge.Member{Form: form.RotatE, Seed: 1, LearningRate: 0.1}
	predicting := quate
	predicting.RelationPrediction, predicting.IVR = 1, 0.1
	message := structure.MustParse("1,-2,-1;1,2,1;-2,1,3")
	for _, c := range []struct {
		name   string
		member kge.Member
		set    func(s *kge.Settings)
		reason string // empty if it can be trained
	}{
		{"a structure", quate, func(s *kge.Settings) { s.Encoder = kge.BLM }, ""},
		{"distances", transE, func(s *kge.Settings) { s.Encoder = kge.CompGCNSub }, ""},
		{"all penalties and a teacher", predicting, func(s *kge.Settings) {
			s.Encoder, s.TeacherWeight, s.Temperature = kge.RGCN, 0.5, 2
		}, ""},
		{"two structures", quate, func(s *kge.Settings) {
			s.Encoder, s.Message, s.EncoderDim = kge.BLM, message, 6
		}, ""},
		{"angles", rotatE, func(s *kge.Settings) {
			s.Encoder, s.EncoderBases, s.Reciprocal = kge.RGCN, 2, false
		}, ""},
		{"settings without encoder", quate, func(s *kge.Settings) { s.EdgeDropout = 0.1 }, "set encoder"},
		{"unknown", quate, func(s *kge.Settings) { s.Encoder = 9 }, "encoder(9)"},
		{"one direction", quate, func(s *kge.Settings) {
			s.Encoder, s.Reciprocal = kge.CompGCNMult, false
		}, "set reciprocal"},
		{"encoded angles", rotatE, func(s *kge.Settings) { s.Encoder = kge.CompGCNCorr },
			"no vectors of 8 numbers"},
		{"a message that is not used", quate, func(s *kge.Settings) {
			s.Encoder, s.Message = kge.CompGCNMult, message
		}, "leave message out"},
		{"no message", transE, func(s *kge.Settings) { s.Encoder = kge.BLM }, "set message"},
		{"chunks of inputs", quate, func(s *kge.Settings) { s.Encoder, s.EncoderDim = kge.BLM, 6 },
			"encoder-dim is 6"},
		{"chunks of layers", quate, func(s *kge.Settings) {
			s.Encoder, s.Message, s.EncoderDim, s.EncoderLayers = kge.BLM, message, 6, 2
		}, "dim is 8: it must be a multiple of the 3 chunks"},
		{"bases that are not used", quate, func(s *kge.Settings) {
			s.Encoder, s.EncoderBases = kge.CompGCNMult, 2
		}, "leave encoder-bases at 0"},
		{"largest norm", quate, func(s *kge.Settings) { s.Encoder, s.MaxNorm = kge.CompGCNMult, 1 },
			"leave them at 0"},
		{"buckets", quate, func(s *kge.Settings) {
			s.Encoder, s.Buckets, s.SampledSoftmax = kge.CompGCNMult, 8, 2
		}, "leave buckets at 0"},
		{"sparse gradients", quate, func(s *kge.Settings) {
			s.Encoder, s.SparseGradients = kge.RGCN, 2
		}, "leave sparse-gradients at 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := kge.DefaultSettings()
			s.Dim, s.Reciprocal = 8, true
			c.set(&s)
			if err := s.ValidateFor(c.member); c.reason == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err, c.reason)
			}
		})
	}
}

// TestEncodersNeedTriples checks that encoders are refused without triples to send messages along, and
// with embeddings to begin with.
func TestEncodersNeedTriples(t *testing.T) {
	d := completion.Data(enginetest.SmallGraph())
	s := kge.DefaultSettings()
	s.Encoder, s.Reciprocal = kge.CompGCNMult, true
	job := kge.Job{
		Data: d, Settings: s, Members: []kge.Member{kge.DefaultMember(structure.MustParse("complex"))},
		Start: kge.NewStart(enginetest.SmallModel().LabelledTables(), 1),
	}
	_, err := kge.Train(t.Context(), &enginetest.Scripted{}, job)
	require.Error(t, err, "set encoder to none")
	d.Triples = nil
	_, err = kge.Train(t.Context(), &enginetest.Scripted{}, job)
	require.Error(t, err, "no triples to send messages along")
}
