package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestEpochSeconds measures the pace of a training that validates and is longer than the measured
// part. The job stays as it is.
func TestEpochSeconds(t *testing.T) {
	g, err := datasets.Open("world")
	if err != nil {
		t.Fatal(err)
	}
	r := kge.DefaultRecipe()
	r.Training.ValidateEvery, r.Training.Patience, r.Training.Batch = 1, 2, 1
	member := kge.Member{LearningRate: .1}
	member.Structure = structure.MustParse("complex")
	job := kge.Job{Data: completion.Data(g), Settings: r.Training, Members: []kge.Member{member}}
	engine := cpu.New(1)
	defer engine.Close()
	seconds, err := kge.EpochSeconds(t.Context(), engine, job, 8)
	if err != nil || seconds <= 0 || seconds > 60 || job.Settings != r.Training {
		t.Errorf("%v s, %v, %+v", seconds, err, job.Settings)
	}
}
