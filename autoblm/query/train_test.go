package query_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// job is a training on paths.
type job struct {
	data     *query.Data
	settings query.Settings
	members  []kge.Member
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
	return kge.Train(ctx, cpu.New(threads),
		kge.Job{Data: data, Settings: j.settings.Settings, Members: j.members})
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

// TestValidation checks that the validation score is the MRR of the queries of all lengths.
func TestValidation(t *testing.T) {
	j := aJob(t)
	j.settings.ValidateEvery = j.settings.Epochs
	report, err := j.train(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Results[0]
	queries := slices.Concat(j.data.Queries(query.InValid, 2), j.data.Queries(query.InValid, 3))
	e, err := query.Evaluate(t.Context(), rankerOf(t, r.Model), 0, queries)
	if got := r.Validations[0].MRR; err != nil || math.Abs(e.MRR-got) > 1e-12 {
		t.Errorf("the validation MRR is %v, want %v (%v)", got, e.MRR, err)
	}
}

// TestSampledValidation checks the MRR of a sample of the validation queries and its standard error
// against their definitions, during training and at its end.
func TestSampledValidation(t *testing.T) {
	j := aJob(t)
	j.settings.ValidateEvery = j.settings.Epochs
	data, err := j.data.Training(j.settings.Paths)
	if err != nil {
		t.Fatal(err)
	}
	const most = 10
	report, err := kge.Train(t.Context(), cpu.New(1), kge.Job{
		Data: data, Settings: j.settings.Settings, Members: j.members, ValidateBy: most,
	})
	if err != nil {
		t.Fatal(err)
	}
	m := report.Results[0].Model
	hops := j.settings.Hops
	var all []query.Query
	for _, h := range hops {
		all = append(all, j.data.Queries(query.InValid, h)...)
	}
	ranker, mean, squares, answers := rankerOf(t, m), 0.0, 0.0, 0
	for _, q := range eval.Sample(all, most) {
		e, err := query.Evaluate(t.Context(), ranker, 0, []query.Query{q})
		if err != nil {
			t.Fatal(err)
		}
		mean += e.MRR / most
		squares += e.MRR * e.MRR
	}
	for _, q := range all {
		answers += len(q.Hard)
	}
	variance := (squares - most*mean*mean) / (most - 1)
	want := math.Sqrt(variance / most * (1 - most/float64(len(all))))
	v := report.Results[0].Validations[0]
	if math.Abs(v.MRR-mean) > 1e-12 || math.Abs(v.Error-want) > 1e-12 || !(want > 0) {
		t.Errorf("validation %+v, want %v ± %v", v, mean, want)
	}
	e, err := query.EvaluateModel(t.Context(), cpu.New(1), m, j.data,
		eval.Options{Limits: eval.Limits{Valid: most, Test: eval.None}}, hops...)
	if err != nil {
		t.Fatal(err)
	}
	if e.Test != nil || e.Valid.Of != len(all) || e.Valid.AnswersOf != answers ||
		math.Abs(e.Valid.MRRError-want) > 1e-12 {
		t.Errorf("evaluation %+v, want %d queries, %d answers, ± %v", e.Valid, len(all), answers, want)
	}
	whole, err := query.EvaluateModel(t.Context(), cpu.New(1), m, j.data, eval.Options{}, hops...)
	if err != nil || whole.Valid.Of != 0 || whole.Valid.MRRError != 0 {
		t.Errorf("all queries: %+v, %v", whole.Valid, err)
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
		"frequency is 0.1":           func(j *job) { j.settings.Frequency = 0.1 },
		"switch batch-norm off": func(j *job) {
			j.members[0].Form, j.members[0].Structure = form.Core(2), structure.Structure{}
			j.settings.BatchNorm = true
		},
		"queries do not train with conve": func(j *job) {
			j.members[0].Form, j.members[0].Structure = form.DefaultConvE.Form(), structure.Structure{}
		},
		"leave encoder at none":    func(j *job) { j.settings.Encoder = kge.RGCN },
		"leave loss at log-loss":   func(j *job) { j.settings.Loss = kge.BCE },
		"relation-prediction is 1": func(j *job) { j.members[0].RelationPrediction = 1 },
		"ivr and ivr-products":     func(j *job) { j.members[0].IVRProducts = 1 },
		"learning-rate is 0":       func(j *job) { j.members[0].LearningRate = 0 },
		"member 1: it is gqe": func(j *job) {
			j.members = append(j.members, enginetest.Members()["gqe"])
		},
		"transe scores by distances": func(j *job) {
			j.members[0] = enginetest.Members()["transe"]
			j.members[0].Products = 0.1
		},
		"transe scores by distances: leave dropout": func(j *job) {
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
