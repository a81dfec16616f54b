package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// dir returns the folder for the model of a command on a data set.
func (f modelOutFlags) dir(command, dataset string) string {
	return cmp.Or(f.Out, filepath.Join(outFolder, command+"-"+dataset))
}

// modelOutput writes the model and the checkpoint of one training.
type modelOutput struct {
	modelOutFlags
	o                *output
	folder, file     string // of the model and of the checkpoint
	deadlineExceeded bool
}

// create creates the folder for the model of a training, before the training, and reports
// checkpoints in it. The key tells trainings apart.
func (f modelOutFlags) create(o *output, command, dataset, key string) (modelOutput, error) {
	m := modelOutput{modelOutFlags: f, o: o, folder: f.dir(command, dataset)}
	if err := modelfolder.Prepare(m.folder); err != nil {
		return m, err
	}
	const prefix = "training-"
	m.file = filepath.Join(m.folder, prefix+key)
	entries, err := os.ReadDir(m.folder)
	for _, e := range entries {
		switch {
		case e.Name() == prefix+key:
			o.Message("autoblm: resuming the training in %s", m.file)
		case strings.HasPrefix(e.Name(), prefix) && filepath.Ext(e.Name()) == "":
			o.Message("autoblm: %s holds another interrupted training; its command resumes it",
				filepath.Join(m.folder, e.Name()))
		}
	}
	return m, err
}

// warn reports that a checkpoint could not be written.
func (m modelOutput) warn(err error) { m.o.Message("autoblm: %v; the training continues", err) }

// save writes a model.
func (m modelOutput) save(model interface{ Save(dir string) error }) error {
	if err := model.Save(m.folder); err != nil {
		return err
	}
	m.o.Saved("the model is in %s", m.folder)
	return nil
}

// done removes the checkpoint, unless the deadline ended the training.
func (m modelOutput) done() error {
	if m.deadlineExceeded {
		return nil
	}
	return checkpoint.Remove(m.file)
}

// hasFinishedModel reports whether the folder has a model of a finished training.
func (m modelOutput) hasFinishedModel() bool {
	var d struct{ Position kge.Position }
	_, err := modelfolder.Read(m.folder, &d, func() error { return nil })
	return err == nil && !d.Position.Interrupted
}

// interrupted returns the error for a training that was interrupted, and saves its model so far
// unless that would replace the model of a finished training. what says where it was interrupted.
func (m modelOutput) interrupted(
	ctx context.Context, err error, what string, soFar *kge.Model,
) error {
	if _, failure, ok := strings.Cut(err.Error(), ctx.Err().Error()+"; "); ok { // of the checkpoint
		what += "; " + failure
	}
	if isFile(m.file) {
		what += "; the same command resumes it"
	} else if soFar == nil {
		what += ": nothing was saved"
	}
	switch {
	case soFar == nil:
	case m.hasFinishedModel():
		what += fmt.Sprintf("; the finished model in %s is unchanged", m.folder)
	default:
		if err := soFar.Save(m.folder); err != nil {
			return fmt.Errorf("%s; %w", what, err)
		}
		what += fmt.Sprintf("; the model so far is in %s", m.folder)
	}
	return errors.New(what)
}

// rankingError returns the error of a ranking after a training.
func rankingError(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted while ranking")
	}
	return err
}

// trainModels trains with a progress bar and a checkpoint.
func trainModels(
	ctx context.Context, o *output, engine kge.Engine, job kge.Job, command string, f modelOutFlags,
) (*kge.Report, modelOutput, error) {
	key, err := job.Name(engine)
	if err != nil {
		return nil, modelOutput{}, err
	}
	out, err := f.create(o, command, job.Data.Name, key)
	if err != nil {
		return nil, out, err
	}
	job.Checkpoint = &kge.Checkpoint{File: out.file, Every: f.SaveEvery, OnError: out.warn}
	bar := newTrainingBar(o, endOf(job.Deadline))
	job.OnEpoch, job.OnStep = bar.update, bar.update
	report, err := kge.Train(ctx, engine, job)
	bar.Finish()
	if err == nil {
		out.deadlineExceeded = report.StoppedEarly != nil
		warnShortTraining(o, report.StoppedEarly, job.Settings.Dim)
	}
	if err == nil || !errors.Is(err, ctx.Err()) {
		return report, out, err
	}
	if report == nil {
		return nil, out, out.interrupted(ctx, err, "interrupted before the first step", nil)
	}
	m := report.Results[0].Model
	what := fmt.Sprintf("interrupted after epoch %d of %d",
		len(report.Results[0].Loss), job.Settings.Epochs)
	if m != nil && m.Position.Steps > 0 {
		what = fmt.Sprintf("interrupted in epoch %d of %d, after step %d",
			m.Position.Epoch+1, job.Settings.Epochs, m.Position.Steps)
	}
	return nil, out, out.interrupted(ctx, err, what, m)
}

// warnShortTraining warns if the deadline ended a training early in its first epoch.
func warnShortTraining(o *output, s *kge.EarlyStop, dim int) {
	if s == nil || s.Epoch > 0 || 10*s.Step >= s.Steps {
		return
	}
	o.Message("autoblm: the deadline allowed %s of the %s of the first epoch; "+
		"use a smaller --dim than %d or more --minutes",
		format.Count(s.Step, "step"), format.Int(s.Steps), dim)
}
