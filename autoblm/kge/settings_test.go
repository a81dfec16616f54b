package kge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

type options = kge.Settings

func TestSettingsRefused(t *testing.T) {
	for want, change := range map[string]func(s *options){ // parts of the error, separated by |
		"dim is 0|multiple of the 4|as 4":             func(s *options) { s.Dim = 0 },
		"dim is -8|as 4":                              func(s *options) { s.Dim = -8 },
		"dim is 66|multiple of the 4|as 68":           func(s *options) { s.Dim = 66 },
		"dim is 922|to 1048576":                       func(s *options) { s.Dim = math.MaxInt &^ 3 },
		"epochs is 922|to 1000000000":                 func(s *options) { s.Epochs = math.MaxInt },
		"batch is 922|to 1000000000":                  func(s *options) { s.Batch = math.MaxInt },
		"cooldown is 1e+10|to 1000000000":             func(s *options) { s.Cooldown = 1e10 },
		"negatives is 2147483648|to 65536":            func(s *options) { s.Negatives = 1 << 31 },
		"epochs is 0|from 1 to 1000000000":            func(s *options) { s.Epochs = 0 },
		"epochs is -1|from 1 to 1000000000":           func(s *options) { s.Epochs = -1 },
		"batch is 0|from 1 to 1000000000":             func(s *options) { s.Batch = 0 },
		"optimizer(2)|adagrad or adam":                func(s *options) { s.Optimizer = 2 },
		"optimizer(-1)|adagrad or adam":               func(s *options) { s.Optimizer = -1 },
		"precision(5)|float32, bfloat16 or auto":      func(s *options) { s.Precision = 5 },
		"decay is 0|above 0|at most 1":                func(s *options) { s.Decay = 0 },
		"decay is 1.01|at most 1":                     func(s *options) { s.Decay = 1.01 },
		"decay is NaN":                                func(s *options) { s.Decay = math.NaN() },
		"init-scale is 0|above 0":                     func(s *options) { s.InitScale = 0 },
		"init-scale is +Inf|finite":                   func(s *options) { s.InitScale = math.Inf(1) },
		"init-scale is NaN|finite":                    func(s *options) { s.InitScale = math.NaN() },
		"validate-every is -1|from 0 to 1000000000":   func(s *options) { s.ValidateEvery = -1 },
		"patience is -2|from 0 to 1000000000":         func(s *options) { s.Patience = -2 },
		"max-steps is -3|from 0 to 1000000000":        func(s *options) { s.MaxSteps = -3 },
		"sampled-softmax is -1|from 0 to 1000000000":  func(s *options) { s.SampledSoftmax = -1 },
		"sparse-gradients is -1|from 0 to 1000000000": func(s *options) { s.SparseGradients = -1 },
		"negatives is 5|sparse-gradients is 64|leave one": func(s *options) {
			s.SparseGradients, s.Negatives = 64, 5
		},
		"buckets is 4|with adam|to adagrad": func(s *options) {
			s.Buckets, s.SampledSoftmax, s.Optimizer = 4, 16, kge.Adam
		},
		"buckets is 4|answers-per-query is 8|set one": func(s *options) {
			s.Buckets, s.SampledSoftmax, s.AnswersPerQuery, s.Reciprocal = 4, 16, 8, true
		},
		"buckets is 4|max-norm is 0.5|set one": func(s *options) {
			s.Buckets, s.SampledSoftmax, s.MaxNorm = 4, 16, 0.5
		},
		"negatives is 5|answers-per-query is 8|leave one": func(s *options) {
			s.Reciprocal, s.AnswersPerQuery, s.Negatives = true, 8, 5
		},
		"negatives is 5|sampled-softmax is 64|leave one": func(s *options) {
			s.SampledSoftmax, s.Negatives = 64, 5
		},
		"adversarial-temperature|set negatives": func(s *kge.Settings) { s.AdversarialTemperature = 1 },
		"adversarial-temperature is -1|at least 0": func(s *kge.Settings) {
			s.Negatives, s.AdversarialTemperature = 5, -1
		},
		"subsampling|set negatives":                    func(s *kge.Settings) { s.Subsampling = true },
		"answers-per-query is -1|from 0 to 1000000000": func(s *options) { s.AnswersPerQuery = -1 },
		"answers-per-query is 8|set reciprocal":        func(s *options) { s.AnswersPerQuery = 8 },
		"patience is 5|set validate-every":             func(s *options) { s.Patience = 5 },
		"label-smoothing|set loss to bce":              func(s *options) { s.LabelSmoothing = 0.1 },
		"label-smoothing is 1|below 1": func(s *options) {
			s.Reciprocal, s.Loss, s.LabelSmoothing = true, kge.BCE, 1
		},
		"bce|set reciprocal": func(s *options) { s.Loss = kge.BCE },
		"bce|leave negatives": func(s *options) {
			s.Reciprocal, s.Loss, s.SampledSoftmax = true, kge.BCE, 64
		},
		"bce|teacher": func(s *options) {
			s.Reciprocal, s.Loss, s.TeacherWeight, s.Temperature = true, kge.BCE, 0.5, 2
		},
		"bce|leave frequency": func(s *options) {
			s.Reciprocal, s.Loss, s.Frequency = true, kge.BCE, 0.5
		},
		"loss(2)|log-loss or bce":                func(s *options) { s.Loss = 2 },
		"teacher-weight is 1|at least 0|below 1": func(s *options) { s.TeacherWeight = 1 },
		"temperature is 0|set one above 0":       func(s *options) { s.TeacherWeight = 0.5 },
	} {
		t.Run(want, func(t *testing.T) {
			s := kge.DefaultSettings()
			change(&s)
			require.Error(t, s.Validate(4), strings.Split(want, "|")...)
		})
	}
	for k := -1; k <= 0; k++ {
		require.Error(t, kge.DefaultSettings().Validate(k), "chunks", "at least 1")
	}
}

func TestSettingsAccepted(t *testing.T) {
	for name, change := range map[string]func(*kge.Settings){
		"defaults":       func(*kge.Settings) {},
		"decay":          func(s *kge.Settings) { s.Decay = 0.5 },
		"early stopping": func(s *kge.Settings) { s.ValidateEvery, s.Patience = 3, 2 },
		"one step":       func(s *kge.Settings) { s.MaxSteps, s.Batch, s.Epochs = 1, 1, 1 },
		"largest limits": func(s *kge.Settings) { s.MaxSteps, s.Batch, s.Epochs = 1e9, 1e9, 1e9 },
		"adam":           func(s *kge.Settings) { s.Optimizer = kge.Adam },
		"smallest dim":   func(s *kge.Settings) { s.Dim = 4 },
	} {
		s := kge.DefaultSettings()
		change(&s)
		if err := s.Validate(4); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// trainSmall trains members on a small graph.
func trainSmall(t *testing.T, e kge.Engine, s kge.Settings, members ...kge.Member) error {
	data := completion.Data(enginetest.SmallGraph())
	_, err := kge.Train(t.Context(), e, kge.Job{Data: data, Settings: s, Members: members})
	return err
}

func TestMemberRefused(t *testing.T) {
	valid := kge.DefaultMember(structure.MustParse("complex"))
	if err := valid.Validate(); err != nil {
		t.Fatalf("the default member is refused: %v", err)
	}
	for want, change := range map[string]func(m *kge.Member){ // parts of the error, separated by |
		"structure is missing|give one": func(m *kge.Member) { m.Structure = structure.Structure{} },
		"learning-rate is 0|above 0":    func(m *kge.Member) { m.LearningRate = 0 },
		"learning-rate is -0.1|above 0": func(m *kge.Member) { m.LearningRate = -0.1 },
		"learning-rate is NaN":          func(m *kge.Member) { m.LearningRate = math.NaN() },
		"learning-rate is +Inf":         func(m *kge.Member) { m.LearningRate = math.Inf(1) },
		"l2 is -1|at least 0":           func(m *kge.Member) { m.L2 = -1 },
		"l2 is NaN":                     func(m *kge.Member) { m.L2 = math.NaN() },
		"l2 is +Inf":                    func(m *kge.Member) { m.L2 = math.Inf(1) },
		"n3 is -1e-09|at least 0":       func(m *kge.Member) { m.N3 = -1e-9 },
		"n3 is NaN":                     func(m *kge.Member) { m.N3 = math.NaN() },
		"n3 is +Inf":                    func(m *kge.Member) { m.N3 = math.Inf(1) },
	} {
		t.Run(want, func(t *testing.T) {
			m, parts := valid, strings.Split(want, "|")
			change(&m)
			require.Error(t, m.Validate(), parts...)
			engine := &enginetest.Scripted{}
			err := trainSmall(t, engine, kge.DefaultSettings(), valid, m)
			require.Error(t, err, append(parts, "member 1")...)
			if engine.Populations != 0 {
				t.Error("the engine made a population")
			}
		})
	}
}

func TestPopulationRefused(t *testing.T) {
	train := func(s kge.Settings, members ...kge.Member) error {
		return trainSmall(t, &enginetest.Scripted{}, s, members...)
	}
	complex4 := kge.DefaultMember(structure.MustParse("complex"))
	complex2 := kge.DefaultMember(structure.MustParse("1,-2;2,1"))
	transE := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.3}
	s := kge.DefaultSettings()
	require.Error(t, train(s), "nothing to train", "at least one")
	require.Error(t, train(s, complex4, transE),
		"member 1: ", "transe", "bilinear", "a population has one form")
	require.Error(t, train(s, complex4, complex4, complex2),
		"member 2: ", "with K=2", "member 0", "with K=4", "a population has one form and one K")
	s.Dim = 62
	require.Error(t, train(s, complex4), "dim is 62", "as 64")
	if err := s.Validate(2); err != nil {
		t.Errorf("62 is a multiple of 2: %v", err)
	}
}
