package query_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func job(t *testing.T) query.Job {
	t.Helper()
	s := query.DefaultSettings()
	s.Dim, s.Batch, s.Epochs, s.Hops = 16, 32, 4, []int{2, 3}
	return query.Job{Data: enginetest.Data(t, 60, 3, 250), Settings: s, Members: []query.Member{enginetest.Members()["complex"]}}
}

// TestMembersDoNotMatterToEachOther: each comes to what it comes to alone, one that
// diverges too, and progress is told of each epoch.
func TestMembersDoNotMatterToEachOther(t *testing.T) {
	together := job(t)
	together.Settings.ValidateEvery = 2
	wild := enginetest.Members()["gqe"]
	wild.LearningRate = 1e30
	together.Members = append(together.Members, wild, enginetest.Members()["mixed"], enginetest.Members()["diag"])
	var shares []float64
	together.OnEpoch = func(p query.Progress) { shares = append(shares, p.Share()) }
	report, err := query.Train(t.Context(), cpu.New(2), together)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(shares); i++ {
		if shares[i] <= shares[i-1] {
			t.Errorf("progress goes from %v to %v", shares[i-1], shares[i])
		}
	}
	if len(shares) < 12 || shares[len(shares)-1] != 1 {
		t.Errorf("progress ends with %v after %d calls", shares[len(shares)-1], len(shares))
	}
	for i, m := range together.Members {
		alone := together
		alone.Members, alone.OnEpoch = []query.Member{m}, nil
		want, err := query.Train(t.Context(), cpu.New(1), alone)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := report.Results[i], want.Results[0]; !reflect.DeepEqual(got.Model, want.Model) || !reflect.DeepEqual(got.Loss, want.Loss) || !reflect.DeepEqual(got.Validations, want.Validations) {
			t.Errorf("member %d comes to something else among others", i)
		}
	}
	if r := report.Results[1]; !errors.Is(r.Err, kge.ErrDiverged) || r.Model != nil || r.BestEpoch != 0 || !strings.Contains(r.Err.Error(), "gqe, learning rate 1e+30") {
		t.Errorf("the wild member: %v, best epoch %d", r.Err, r.BestEpoch)
	}
	if r := report.Results[0]; r.Err != nil || len(r.Loss) != 4 || len(r.Validations) != 2 || r.Loss[3] >= r.Loss[0] {
		t.Errorf("the first member: %v, loss %v, validations %v", r.Err, r.Loss, r.Validations)
	}
}

// TestBestEpochIsKept, and patience ends the training.
func TestBestEpochIsKept(t *testing.T) {
	j := job(t)
	j.Settings.Epochs, j.Settings.ValidateEvery, j.Settings.Patience = 30, 1, 3
	report, err := query.Train(t.Context(), cpu.New(2), j)
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
		t.Fatalf("kept epoch %d of %d, the best is %d: %v", r.BestEpoch, len(r.Loss), best.Epoch, r.Validations)
	}
	scorer, err := cpu.New(1).NewScorer(r.Model.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	queries := append(append([]query.Query(nil), j.Data.Queries(query.InValid, 2)...), j.Data.Queries(query.InValid, 3)...)
	e, err := query.Evaluate(t.Context(), scorer, queries)
	if err != nil || math.Abs(e.MRR-best.MRR) > 1e-12 {
		t.Errorf("the model that was kept has MRR %v, want %v (%v)", e.MRR, best.MRR, err)
	}
}

// TestEpochsDiffer: each has its own order and draws its own answers, decided by the
// data seed.
func TestEpochsDiffer(t *testing.T) {
	losses := func(set func(j *query.Job)) []float64 {
		j := job(t)
		j.Settings.Negatives = 4
		set(&j)
		report, err := query.Train(t.Context(), cpu.New(2), j)
		if err != nil {
			t.Fatal(err)
		}
		return report.Results[0].Loss
	}
	usual := losses(func(*query.Job) {})
	if again := losses(func(*query.Job) {}); !reflect.DeepEqual(again, usual) {
		t.Error("the same job twice has two courses")
	}
	for what, set := range map[string]func(j *query.Job){
		"data seed":      func(j *query.Job) { j.Settings.DataSeed = 2 },
		"seed":           func(j *query.Job) { j.Members[0].Seed = 9 },
		"one step":       func(j *query.Job) { j.Settings.MaxSteps = 1 },
		"further paths":  func(j *query.Job) { j.Settings.With = []int{1} },
		"decay":          func(j *query.Job) { j.Settings.Decay = 0.5 },
		"fewer negative": func(j *query.Job) { j.Settings.Negatives = 3 },
	} {
		if other := losses(set); reflect.DeepEqual(other[1:], usual[1:]) {
			t.Errorf("%s: makes no difference", what)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for want, set := range map[string]func(j *query.Job){
		"nothing to train":           func(j *query.Job) { j.Members = nil },
		"the structure is missing":   func(j *query.Job) { j.Members[0].Structure = structure.Structure{} },
		"gqe has no structure":       func(j *query.Job) { j.Members[0].Kind = query.GQE },
		"dim is 10":                  func(j *query.Job) { j.Settings.Dim = 10 },
		"no lengths of paths":        func(j *query.Job) { j.Settings.Hops = nil },
		"with is 0":                  func(j *query.Job) { j.Settings.With = []int{0} },
		"no train queries of 7 hops": func(j *query.Job) { j.Settings.With = []int{7} },
		"answer-power is 2":          func(j *query.Job) { j.Settings.AnswerPower = 2 },
		"negatives is -1":            func(j *query.Job) { j.Settings.Negatives = -1 },
		"margin is NaN":              func(j *query.Job) { j.Settings.Margin = math.NaN() },
		"label smoothing is 0.1":     func(j *query.Job) { j.Settings.LabelSmoothing = 0.1 },
		"relation-prediction is 1":   func(j *query.Job) { j.Members[0].RelationPrediction = 1 },
		"learning-rate is 0":         func(j *query.Job) { j.Members[0].LearningRate = 0 },
		"transe has no products": func(j *query.Job) {
			j.Members[0] = enginetest.Members()["transe"]
			j.Members[0].Products = 0.1
		},
		"q2b has no products": func(j *query.Job) {
			j.Members[0] = enginetest.Members()["q2b"]
			j.Settings.Dropout = 0.1
		},
	} {
		j := job(t)
		set(&j)
		if _, err := query.Train(t.Context(), cpu.New(1), j); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestInterrupted: what there is comes beside the error.
func TestInterrupted(t *testing.T) {
	for _, after := range []int{0, 1, 5} {
		j := job(t)
		j.Members = append(j.Members, enginetest.Members()["mixed"])
		ctx, stop := context.WithCancel(t.Context())
		epochs := 0
		j.OnEpoch = func(query.Progress) {
			if epochs++; epochs == after {
				stop()
			}
		}
		if after == 0 {
			stop()
		}
		report, err := query.Train(ctx, cpu.New(1), j)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d epochs: %v", after, err)
		}
		var finished []int
		for _, r := range report.Results {
			if r.Model == nil {
				t.Errorf("after %d epochs: no model of the epochs that were finished", after)
			}
			finished = append(finished, len(r.Loss))
		}
		if want := map[int][]int{0: nil, 1: {1}, 5: {4, 1}}[after]; !reflect.DeepEqual(finished, want) {
			t.Errorf("after %d epochs: the members have finished %v, want %v", after, finished, want)
		}
		stop()
	}
}
