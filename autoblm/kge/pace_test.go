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
	for _, c := range []struct {
		dim, chunks int
		seconds     float64
		want        int
	}{
		{512, 4, 0, 64}, {512, 4, 1919, 64}, {512, 4, 1921, 128}, {512, 4, 7679, 256},
		{512, 4, 7681, 512}, {512, 4, 9e9, 512},
		{2000, 4, 3730, 248}, {2000, 4, 0, 124}, {255, 3, 0, 126}, {100, 4, 0, 100},
	} {
		if dim := kge.FitDimTo(c.dim, c.chunks, c.seconds, perDim); dim != c.want {
			t.Errorf("15 epochs of d %d in d seconds each, in %v s: d %d, want %d",
				c.dim, c.seconds, dim, c.want)
		}
	}
}
