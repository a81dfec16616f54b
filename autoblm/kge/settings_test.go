package kge_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// checkError wants an error of one line that has all the given parts.
func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}

func TestSettingsRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*kge.Settings)
		parts []string
	}{
		{"dim of 0", func(s *kge.Settings) { s.Dim = 0 }, []string{"dim is 0", "multiple of the 4", "as 4"}},
		{"negative dim", func(s *kge.Settings) { s.Dim = -8 }, []string{"dim is -8", "as 4"}},
		{"dim not divisible by K", func(s *kge.Settings) { s.Dim = 66 }, []string{"dim is 66", "multiple of the 4", "as 68"}},
		{"dim beyond memory", func(s *kge.Settings) { s.Dim = math.MaxInt &^ 3 }, []string{"dim is 922", "to 1048576"}},
		{"no epochs", func(s *kge.Settings) { s.Epochs = 0 }, []string{"epochs is 0", "from 1 to 1000000000"}},
		{"negative epochs", func(s *kge.Settings) { s.Epochs = -1 }, []string{"epochs is -1", "from 1 to 1000000000"}},
		{"no batch", func(s *kge.Settings) { s.Batch = 0 }, []string{"batch is 0", "from 1 to 1000000000"}},
		{"unknown optimizer", func(s *kge.Settings) { s.Optimizer = 2 }, []string{"optimizer(2)", "adagrad or adam"}},
		{"negative optimizer", func(s *kge.Settings) { s.Optimizer = -1 }, []string{"optimizer(-1)", "adagrad or adam"}},
		{"decay of 0", func(s *kge.Settings) { s.Decay = 0 }, []string{"decay is 0", "above 0", "at most 1"}},
		{"decay above 1", func(s *kge.Settings) { s.Decay = 1.01 }, []string{"decay is 1.01", "at most 1"}},
		{"decay not a number", func(s *kge.Settings) { s.Decay = math.NaN() }, []string{"decay is NaN"}},
		{"no initial scale", func(s *kge.Settings) { s.InitScale = 0 }, []string{"init-scale is 0", "above 0"}},
		{"infinite initial scale", func(s *kge.Settings) { s.InitScale = math.Inf(1) }, []string{"init-scale is +Inf", "finite"}},
		{"initial scale not a number", func(s *kge.Settings) { s.InitScale = math.NaN() }, []string{"init-scale is NaN", "finite"}},
		{"negative validate-every", func(s *kge.Settings) { s.ValidateEvery = -1 }, []string{"validate-every is -1", "from 0 to 1000000000"}},
		{"negative patience", func(s *kge.Settings) { s.Patience = -2 }, []string{"patience is -2", "from 0 to 1000000000"}},
		{"negative max-steps", func(s *kge.Settings) { s.MaxSteps = -3 }, []string{"max-steps is -3", "from 0 to 1000000000"}},
		{"negative sampled-softmax", func(s *kge.Settings) { s.SampledSoftmax = -1 }, []string{"sampled-softmax is -1", "from 0 to 1000000000"}},
		{"negative sparse-gradients", func(s *kge.Settings) { s.SparseGradients = -1 }, []string{"sparse-gradients is -1", "from 0 to 1000000000"}},
		{"no softmax", func(s *kge.Settings) { s.SparseGradients, s.Negatives = 64, 5 }, []string{"negatives is 5", "sparse-gradients is 64", "leave one"}},
		{"two losses", func(s *kge.Settings) { s.SampledSoftmax, s.Negatives = 64, 5 }, []string{"negatives is 5", "sampled-softmax is 64", "leave one"}},
		{"negative answers-per-query", func(s *kge.Settings) { s.AnswersPerQuery = -1 }, []string{"answers-per-query is -1", "from 0 to 1000000000"}},
		{"answers together without reverses", func(s *kge.Settings) { s.AnswersPerQuery = 8 }, []string{"answers-per-query is 8", "set reciprocal"}},
		{"answers together of smoothed labels", func(s *kge.Settings) { s.AnswersPerQuery, s.Reciprocal, s.LabelSmoothing = 8, true, 0.1 }, []string{"answers-per-query and label-smoothing exclude each other"}},
		{"patience without validation", func(s *kge.Settings) { s.Patience = 5 }, []string{"patience is 5", "set validate-every"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := kge.DefaultSettings()
			test.spoil(&s)
			checkError(t, s.Validate(4), test.parts...)
		})
	}
	for k := -1; k <= 0; k++ {
		checkError(t, kge.DefaultSettings().Validate(k), "chunks", "at least 1")
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

func TestMemberRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*kge.Member)
		parts []string
	}{
		{"no structure", func(m *kge.Member) { m.Structure = structure.Structure{} }, []string{"structure is missing", "give one"}},
		{"learning rate of 0", func(m *kge.Member) { m.LearningRate = 0 }, []string{"learning-rate is 0", "above 0"}},
		{"negative learning rate", func(m *kge.Member) { m.LearningRate = -0.1 }, []string{"learning-rate is -0.1", "above 0"}},
		{"learning rate not a number", func(m *kge.Member) { m.LearningRate = math.NaN() }, []string{"learning-rate is NaN"}},
		{"infinite learning rate", func(m *kge.Member) { m.LearningRate = math.Inf(1) }, []string{"learning-rate is +Inf"}},
		{"negative l2", func(m *kge.Member) { m.L2 = -1 }, []string{"l2 is -1", "at least 0"}},
		{"l2 not a number", func(m *kge.Member) { m.L2 = math.NaN() }, []string{"l2 is NaN"}},
		{"infinite l2", func(m *kge.Member) { m.L2 = math.Inf(1) }, []string{"l2 is +Inf"}},
		{"negative n3", func(m *kge.Member) { m.N3 = -1e-9 }, []string{"n3 is -1e-09", "at least 0"}},
		{"n3 not a number", func(m *kge.Member) { m.N3 = math.NaN() }, []string{"n3 is NaN"}},
		{"infinite n3", func(m *kge.Member) { m.N3 = math.Inf(1) }, []string{"n3 is +Inf"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := kge.DefaultMember(structure.MustParse("complex"))
			if err := m.Validate(); err != nil {
				t.Fatalf("the default member is refused: %v", err)
			}
			test.spoil(&m)
			checkError(t, m.Validate(), test.parts...)
			sound := kge.DefaultMember(structure.MustParse("complex"))
			engine := &enginetest.Scripted{}
			_, err := kge.Train(t.Context(), engine, kge.Job{Data: completion.Data(enginetest.SmallGraph()), Settings: kge.DefaultSettings(), Members: []kge.Member{sound, m}})
			checkError(t, err, append(test.parts, "member 1")...)
			if engine.Populations != 0 {
				t.Error("the engine was asked for a population all the same")
			}
		})
	}
}

func TestPopulationRefused(t *testing.T) {
	train := func(s kge.Settings, members ...kge.Member) error {
		_, err := kge.Train(t.Context(), &enginetest.Scripted{}, kge.Job{Data: completion.Data(enginetest.SmallGraph()), Settings: s, Members: members})
		return err
	}
	four, two := kge.DefaultMember(structure.MustParse("complex")), kge.DefaultMember(structure.MustParse("1,-2;2,1"))
	checkError(t, train(kge.DefaultSettings()), "nothing to train", "at least one")
	checkError(t, train(kge.DefaultSettings(), four, kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.3}), "member 1: ", "transe", "bilinear", "a population has one form")
	checkError(t, train(kge.DefaultSettings(), four, four, two), "member 2: ", "with K=2", "member 0", "with K=4", "a population has one form and one K")
	odd := kge.DefaultSettings()
	odd.Dim = 62
	checkError(t, train(odd, four), "dim is 62", "as 64")
	if err := odd.Validate(2); err != nil {
		t.Errorf("62 is a multiple of 2: %v", err)
	}
}

func TestOptimizerText(t *testing.T) {
	for optimizer, text := range map[kge.Optimizer]string{kge.Adagrad: `"adagrad"`, kge.Adam: `"adam"`} {
		if written, err := json.Marshal(optimizer); err != nil || string(written) != text {
			t.Errorf("%v is written as %s (%v), want %s", optimizer, written, err, text)
		}
		back := 1 - optimizer
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != optimizer {
			t.Errorf("%s is read as %v (%v)", text, back, err)
		}
	}
	kept := kge.Adam
	checkError(t, kept.UnmarshalText([]byte("sgd")), `"sgd"`, "use adagrad or adam")
	if kept != kge.Adam {
		t.Error("a name that is refused changed the optimizer")
	}
	_, err := kge.Optimizer(7).MarshalText()
	checkError(t, err, "optimizer(7)")
}
