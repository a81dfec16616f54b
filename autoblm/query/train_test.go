package query_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// job is a training on paths.
type job struct {
	data     *query.Data
	settings query.Settings
	members  []kge.Member
	onEpoch  func(kge.Progress)
}

func aJob(t *testing.T) job {
	t.Helper()
	s := query.BasicSettings()
	s.Dim, s.Batch, s.Epochs, s.Hops = 16, 32, 4, []int{2, 3}
	return job{data: enginetest.Paths(t, 60, 3, 250), settings: s,
		members: []kge.Member{enginetest.Members()["complex"]}}
}

// train checks the settings and trains.
func (j job) train(ctx context.Context, threads int) (*kge.Report, error) {
	for _, m := range j.members {
		if err := j.settings.Validate(m); err != nil {
			return nil, err
		}
	}
	data, err := j.data.Training(j.settings.Paths)
	if err != nil {
		return nil, err
	}
	return kge.Train(ctx, cpu.New(threads), kge.Job{Data: data, Settings: j.settings.Settings,
		Members: j.members, OnEpoch: j.onEpoch})
}

// TestDefaultsAreValid checks that each form can be trained with its defaults.
func TestDefaultsAreValid(t *testing.T) {
	for _, f := range form.All() {
		s, m := query.Default(f)
		if f == form.Bilinear {
			m.Structure = structure.MustParse("complex")
		}
		if err := s.Validate(m); err != nil || m.Form != f {
			t.Errorf("%v: %+v, %v", f, m, err)
		}
	}
}

// TestMembersAreIndependent checks that members give the same results alone and next to a diverging
// one, and that each epoch reports progress.
func TestMembersAreIndependent(t *testing.T) {
	members := enginetest.Members()
	for _, name := range []string{"complex", "transe", "diag", "gqe", "q2b"} {
		together := aJob(t)
		together.settings.ValidateEvery = 2
		wild, other := members[name], members[name]
		wild.LearningRate, other.Seed = 1e38, 4
		if name == "complex" {
			other = members["quate"]
		}
		together.members = []kge.Member{members[name], wild, other}
		var epochs []int
		together.onEpoch = func(p kge.Progress) {
			if epochs = append(epochs, p.Epoch); p.Epochs != 4 || len(p.Loss) != 3 {
				t.Errorf("%s: progress %+v", name, p)
			}
		}
		report, err := together.train(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(epochs, []int{1, 2, 3, 4}) {
			t.Errorf("%s: progress of the epochs %v", name, epochs)
		}
		for i, m := range together.members {
			alone := together
			alone.members, alone.onEpoch = []kge.Member{m}, nil
			want, err := alone.train(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := report.Results[i], want.Results[0]; !reflect.DeepEqual(got.Model, want.Model) ||
				!reflect.DeepEqual(got.Loss, want.Loss) ||
				!reflect.DeepEqual(got.Validations, want.Validations) {
				t.Errorf("%s: member %d comes to something else among others", name, i)
			}
		}
		says := wild.Form.String()
		if name == "complex" {
			says = "structure " + wild.Structure.String()
		}
		if r := report.Results[1]; !errors.Is(r.Err, kge.ErrDiverged) || r.Model != nil ||
			r.BestEpoch != 0 || !strings.Contains(r.Err.Error(), says+", learning rate 1e+38") {
			t.Errorf("%s: the wild member: %v, best epoch %d", name, r.Err, r.BestEpoch)
		}
		if r := report.Results[0]; r.Err != nil || len(r.Loss) != 4 || len(r.Validations) != 2 ||
			r.Loss[3] >= r.Loss[0] {
			t.Errorf("%s: the first member: %v, loss %v, validations %v", name, r.Err, r.Loss, r.Validations)
		}
	}
}

// TestBestEpochIsKept checks that the model of the best epoch is kept and that patience ends the
// training.
func TestBestEpochIsKept(t *testing.T) {
	j := aJob(t)
	j.settings.Epochs, j.settings.ValidateEvery, j.settings.Patience = 30, 1, 3
	report, err := j.train(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Results[0]
	best := kge.Validation{MRR: -1}
	for _, v := range r.Validations {
		if v.MRR > best.MRR {
			best = v
		}
	}
	if r.BestEpoch != best.Epoch || len(r.Loss) != best.Epoch+3 {
		t.Fatalf("kept epoch %d of %d, the best is %d: %v", r.BestEpoch, len(r.Loss), best.Epoch,
			r.Validations)
	}
	queries := append(append([]query.Query(nil), j.data.Queries(query.InValid, 2)...),
		j.data.Queries(query.InValid, 3)...)
	e, err := query.Evaluate(t.Context(), rankerOf(t, r.Model), 0, queries)
	if err != nil || math.Abs(e.MRR-best.MRR) > 1e-12 {
		t.Errorf("the model that was kept has MRR %v, want %v (%v)", e.MRR, best.MRR, err)
	}
}

// TestEpochsDiffer checks that each epoch has its own order and answers, drawn by the data seed.
func TestEpochsDiffer(t *testing.T) {
	losses := func(set func(j *job)) []float64 {
		j := aJob(t)
		j.settings.Negatives = 4
		set(&j)
		report, err := j.train(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		return report.Results[0].Loss
	}
	usual := losses(func(*job) {})
	if again := losses(func(*job) {}); !reflect.DeepEqual(again, usual) {
		t.Error("the same job twice has two courses")
	}
	for what, set := range map[string]func(j *job){
		"data seed":      func(j *job) { j.settings.DataSeed = 2 },
		"seed":           func(j *job) { j.members[0].Seed = 9 },
		"one step":       func(j *job) { j.settings.MaxSteps = 1 },
		"further paths":  func(j *job) { j.settings.With = []int{1} },
		"decay":          func(j *job) { j.settings.Decay = 0.5 },
		"fewer negative": func(j *job) { j.settings.Negatives = 3 },
	} {
		if other := losses(set); reflect.DeepEqual(other[1:], usual[1:]) {
			t.Errorf("%s: makes no difference", what)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for want, set := range map[string]func(j *job){
		"there is nothing to train":  func(j *job) { j.members = nil },
		"the structure is missing":   func(j *job) { j.members[0].Structure = structure.Structure{} },
		"gqe has no structure":       func(j *job) { j.members[0].Form = form.GQE },
		"dim is 10":                  func(j *job) { j.settings.Dim = 10 },
		"hops is empty":              func(j *job) { j.settings.Hops = nil },
		"with is 0":                  func(j *job) { j.settings.With = []int{0} },
		"no train queries of 7 hops": func(j *job) { j.settings.With = []int{7} },
		"answer-power is 2":          func(j *job) { j.settings.AnswerPower = 2 },
		"negatives is -1":            func(j *job) { j.settings.Negatives = -1 },
		"margin is NaN":              func(j *job) { j.settings.Margin = math.NaN() },
		"label smoothing is 0.1":     func(j *job) { j.settings.LabelSmoothing = 0.1 },
		"relation-prediction is 1":   func(j *job) { j.members[0].RelationPrediction = 1 },
		"learning-rate is 0":         func(j *job) { j.members[0].LearningRate = 0 },
		"member 1: it is gqe": func(j *job) {
			j.members = append(j.members, enginetest.Members()["gqe"])
		},
		"transe scores by distances": func(j *job) {
			j.members[0] = enginetest.Members()["transe"]
			j.members[0].Products = 0.1
		},
		"transe has no dropout": func(j *job) {
			j.members[0] = enginetest.Members()["transe"]
			j.settings.Dropout = 0.1
		},
		"q2b scores by distances": func(j *job) {
			j.members[0] = enginetest.Members()["q2b"]
			j.members[0].Products = 0.1
		},
	} {
		j := aJob(t)
		set(&j)
		if _, err := j.train(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestInterrupted checks that an interrupted training returns its report with the error.
func TestInterrupted(t *testing.T) {
	for _, after := range []int{0, 1, 3} {
		for _, validateEvery := range []int{0, 1} {
			j := aJob(t)
			j.settings.ValidateEvery = validateEvery
			j.members = append(j.members, enginetest.Members()["quate"])
			ctx, stop := context.WithCancel(t.Context())
			epochs := 0
			j.onEpoch = func(kge.Progress) {
				if epochs++; epochs == after {
					stop()
				}
			}
			if after == 0 {
				stop()
			}
			report, err := j.train(ctx, 1)
			stop()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d epochs: %v", after, err)
			}
			if after == 0 {
				if report != nil {
					t.Errorf("a report of no epoch: %+v", report)
				}
				continue
			}
			if len(report.Results) != 2 {
				t.Fatalf("after %d epochs: %d results", after, len(report.Results))
			}
			for i, r := range report.Results {
				if r.Model == nil {
					t.Errorf("after %d epochs: no model of the epochs that were finished", after)
				}
				if len(r.Loss) != after {
					t.Errorf("after %d epochs: member %d has finished %d", after, i, len(r.Loss))
				}
			}
		}
	}
}
