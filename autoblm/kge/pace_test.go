package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// pacedJob returns a training that validates and is longer than the measured part.
func pacedJob(t *testing.T) (kge.Engine, kge.Job) {
	t.Helper()
	g, err := datasets.Open("world")
	if err != nil {
		t.Fatal(err)
	}
	r := kge.DefaultRecipe()
	r.Training.ValidateEvery, r.Training.Patience, r.Training.Batch = 1, 2, 1
	member := kge.Member{LearningRate: .1, Structure: structure.MustParse("complex")}
	engine := cpu.New(1)
	t.Cleanup(engine.Close)
	return engine, kge.Job{
		Data: completion.Data(g), Settings: r.Training, Members: []kge.Member{member},
	}
}

// TestEpochSeconds measures the pace of a training. The job stays as it is.
func TestEpochSeconds(t *testing.T) {
	engine, job := pacedJob(t)
	before := job.Settings
	seconds, err := kge.EpochSeconds(t.Context(), engine, job, 8)
	if err != nil || seconds <= 0 || seconds > 60 || job.Settings != before {
		t.Errorf("%v s, %v, %+v", seconds, err, job.Settings)
	}
}

// TestFitDim: the dimension of a short training stays, and that of one with as many examples as
// take years is the smallest one.
func TestFitDim(t *testing.T) {
	engine, job := pacedJob(t)
	job.Settings.Dim = 512
	data := *job.Data
	long := job
	long.Data = &data
	data.Count = 1e12
	for _, c := range []struct {
		job     kge.Job
		seconds float64
		want    int
	}{{job, 300, 512}, {long, 300, 64}, {long, 1, 512}} {
		if dim, err := kge.FitDim(t.Context(), engine, c.job, c.seconds); dim != c.want || err != nil {
			t.Errorf("%d examples, %v s: d %d, want %d; %v", c.job.Data.Count, c.seconds, dim, c.want,
				err)
		}
	}
	perDim := func(dim int) float64 { return float64(dim) } // seconds of an epoch
	for seconds, want := range map[float64]int{0: 64, 1279: 64, 1281: 128, 5119: 256, 5121: 512, 9e9: 512} {
		if dim := kge.FitDimTo(512, seconds, perDim); dim != want {
			t.Errorf("10 epochs of d/1 s in %v s: d %d, want %d", seconds, dim, want)
		}
	}
}
