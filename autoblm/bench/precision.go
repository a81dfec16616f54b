package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
)

// precision is training in one precision after the other, to see what each costs
// in time and in MRR. Members differ in their seeds.
type precision struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Members int    `json:"members"`
	Epochs  int    `json:"epochs"`
}

func newPrecision(dataset string, dim, members int) precision {
	return precision{ID: fmt.Sprintf("precision-%s-%d", dataset, dim), Dataset: dataset, Dim: dim, Batch: batch, Members: members, Epochs: 20}
}

// compared is what became of it.
type compared struct {
	precision
	Outcomes []outcome `json:"outcomes"`
}

// outcome is that of one precision.
type outcome struct {
	Scores  string `json:"scores"`
	Backend string `json:"backend"`
	// PerStep and Compile are seconds: of a step for a member, and for compiling.
	PerStep float64 `json:"per_step"`
	Compile float64 `json:"compile"`
	// Valid and Test are each member's filtered MRR.
	Valid []float64 `json:"valid"`
	Test  []float64 `json:"test"`
}

// manner is a way to multiply.
type manner struct {
	scores  string
	compute autoblm.Compute
}

// manners are those of a backend. TF32 is an option of XLA alone.
func manners(c autoblm.Compute) []manner {
	half := c
	half.HalfScores = true
	bfloat16 := manner{"bfloat16", half}
	if kind, _, _ := strings.Cut(c.Backend, ":"); kind == backend.Go {
		return []manner{{"float32", c}, bfloat16}
	}
	option := func(tf32 string) autoblm.Compute {
		with := c
		with.Backend += ",tf32=" + tf32 // the last of an option's values counts
		return with
	}
	return []manner{{"float32", option("false")}, {"TF32", option("true")}, bfloat16}
}

// compare trains in each precision, by the recipe n3 in these sizes, and keeps the
// last epoch.
func (s *session) compare(ctx context.Context, g *datasets.Graph, c precision) (compared, error) {
	result := compared{precision: c}
	r := published("n3", c.Dataset)
	settings := r.Training
	settings.Dim, settings.Batch, settings.Epochs, settings.ValidateEvery = c.Dim, c.Batch, c.Epochs, 0
	job := kge.Job{Data: completion.Data(g), Settings: settings}
	for i := range c.Members {
		job.Members = append(job.Members, r.Member(r.Structure, uint64(i+1)))
	}
	for _, m := range manners(s.compute()) {
		o, err := s.trainIn(ctx, m, job, g)
		if err != nil {
			return result, fmt.Errorf("%s: %w", m.scores, err)
		}
		result.Outcomes = append(result.Outcomes, o)
	}
	return result, nil
}

func (s *session) trainIn(ctx context.Context, m manner, job kge.Job, g *datasets.Graph) (outcome, error) {
	engine, err := m.compute.Open()
	if err != nil {
		return outcome{}, err
	}
	defer engine.Close()
	o := outcome{Scores: m.scores, Backend: measured.HidePaths(engine.Backend())}
	var models []*kge.Model
	var evaluations []completion.Evaluations
	_, o.Compile, err = stopwatch(engine, func() error {
		report, err := kge.Train(ctx, engine, job)
		if err != nil {
			return err
		}
		o.PerStep = report.Timing.PerStep
		for _, r := range report.Results {
			if r.Err != nil {
				return r.Err
			}
			models = append(models, r.Model)
		}
		evaluations, err = completion.EvaluateAll(ctx, engine, models, g)
		return err
	})
	if err != nil {
		return o, err
	}
	for _, e := range evaluations {
		o.Valid, o.Test = append(o.Valid, e.Valid.Both.MRR), append(o.Test, e.Test.Both.MRR)
	}
	return o, nil
}
