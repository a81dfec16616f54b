package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize"
)

// teacherFlags name a model or an ensemble that a training learns from.
type teacherFlags struct {
	FromEnsemble string           `placeholder:"DIR" minor:"" brief:"Ensemble or model whose scores to learn." help:"Ensemble, or model, of the same graph whose scores to learn in addition to the triples, so that one model serves in its place."`
	Distillation kge.Distillation `embed:""`
	predictor    completion.Predictor
	teacher      *completion.Teacher // nil before the data are read
}

// readTeacher reads the teacher, before the data.
func (f *teacherFlags) readTeacher() (err error) {
	if f.FromEnsemble == "" {
		return nil
	}
	if !f.Distillation.HasTeacher() {
		return cli.Usage(errors.New("teacher-weight is 0: set it above 0, or leave out --from-ensemble"))
	}
	f.predictor, err = load(f.FromEnsemble)
	return err
}

// prepareTeacher makes the teacher one of a graph. It refuses one that has learned validation or test
// triples: the metrics of its student would be too high.
func (f *teacherFlags) prepareTeacher(ctx context.Context, o *output, g *datasets.Graph) (err error) {
	if f.predictor == nil {
		return nil
	}
	open := func(source string) (*datasets.Graph, error) {
		return read(ctx, o, datasets.Open, source)
	}
	leaks, unchecked := completion.Leakage(f.predictor.Models(), g, open, "valid", "test")
	if len(leaks) > 0 {
		return fmt.Errorf("cannot learn from %s: %s, so the metrics of what learns from it would be "+
			"too high: train the teacher on %s, or choose another", f.FromEnsemble, leaks[0].Found, g.Name)
	}
	warn(o, unchecked)
	if f.teacher, err = completion.NewTeacher(f.predictor, g); err == nil {
		f.Distillation.Teacher = f.teacher.Digest()
	}
	return err
}

// checkStudent returns an error if there is a teacher and the engine does not support the training.
func (f *teacherFlags) checkStudent(engine kge.Engine, job kge.Job) error {
	if f.teacher == nil {
		return nil
	}
	return cli.Usage(engine.Supports(job.Data, job.Settings, job.Members))
}

// answer lets the teacher answer the queries of a training.
func (f *teacherFlags) answer(
	ctx context.Context, o *output, engine kge.Engine, job kge.Job,
) error {
	if f.teacher == nil {
		return nil
	}
	questions := f.teacher.Questions()
	o.Message("autoblm: learning from %s: %s, and %s of each answer in %s of memory",
		f.FromEnsemble, format.Count(questions, "query"), format.Count(f.teacher.Kept(), "entity"),
		humanize.IBytes(uint64(f.teacher.Bytes())))
	bar := newBar(o, "asking the teacher", int64(questions), 10*time.Second, time.Time{})
	defer bar.Finish()
	var done atomic.Int64
	return f.teacher.Answer(ctx, engine, job.Settings.Temperature, func() {
		bar.Set(done.Add(1), int64(questions))
	})
}

// teacherSummary is the part of the JSON of train that describes a teacher.
type teacherSummary struct {
	Model string `json:"model"`
	kge.Distillation
	Answers int `json:"answers"` // entities of each answer
}

// teacherSummary returns nil without a teacher.
func (f *teacherFlags) teacherSummary() *teacherSummary {
	if f.teacher == nil {
		return nil
	}
	return &teacherSummary{f.FromEnsemble, f.Distillation, f.teacher.Kept()}
}
