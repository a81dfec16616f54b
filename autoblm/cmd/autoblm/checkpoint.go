package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// modelOutput writes the model and the checkpoint of one training.
type modelOutput struct {
	modelOutFlags
	o                *output
	folder, file     string // of the model and of the checkpoint
	key              string // identifies the training
	identity         string // identifies the command, whose key may follow its deadline
	release          func() // the folder
	resumes          bool
	deadlineExceeded bool
}

// checkpointPrefix begins the names of checkpoints. The rest tells trainings apart.
const checkpointPrefix = "training-"

// checkpointsIn returns the checkpoints in a folder. Temporary files, which a killed process leaves,
// have longer names.
func checkpointsIn(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, checkpointPrefix+"????????????"))
	return found
}

// create creates the folder for the model of a training, before the training. Without --out, it
// returns to the folder with the checkpoint of the training or, with resumesRanking, with ranks of
// its models, or else makes a new one. It refuses a folder with anything but the same training. The
// caller must close the output.
func (f modelOutFlags) create(
	o *output, command, dataset, key, identity string, resumesRanking bool,
) (*modelOutput, error) {
	m := &modelOutput{modelOutFlags: f, o: o, folder: f.Out, key: key, identity: identity}
	name := checkpointPrefix + key
	hasFolder := f.Out != "" || m.holdUnfinished(name) ||
		resumesRanking && m.holdUnfinished(m.rankingPrefix())
	if !hasFolder {
		var err error
		if m.folder, err = newFolder(command + "-" + dataset); err != nil {
			return nil, err
		}
	}
	m.file = filepath.Join(m.folder, name)
	m.resumes = isFile(m.file) && !hasData(m.folder)
	if !m.isRepeated() {
		if err := checkFree(m.folder, "the model"); err != nil {
			return nil, err
		}
	}
	if err := modelfolder.Prepare(m.folder); err != nil {
		return nil, err
	}
	if m.release == nil {
		var err error
		if m.release, err = atomicfile.Hold(m.folder); err != nil {
			return nil, err
		}
	}
	if m.resumes {
		o.Message("autoblm: resuming the training in %s", m.file)
	}
	return m, nil
}

// isRepeated reports whether the folder has the same training, interrupted or finished.
func (m *modelOutput) isRepeated() bool {
	if m.resumes || hasData(m.folder) {
		return m.resumes
	}
	config, err := inputfile.Read(filepath.Join(m.folder, configName))
	return err == nil &&
		(bytes.Contains(config, []byte(m.key)) || bytes.Contains(config, []byte(m.identity)))
}

// holdUnfinished takes the newest folder below autoblm-out with a file whose name begins with a
// prefix, unless other processes hold all of them.
func (m *modelOutput) holdUnfinished(prefix string) bool {
	found, _ := filepath.Glob(filepath.Join(outFolder, "*", prefix+"*"))
	for _, file := range slices.Backward(found) {
		dir := filepath.Dir(file)
		if filepath.Base(dir) == latestName {
			continue
		}
		release, err := atomicfile.Hold(dir)
		if err != nil {
			continue
		}
		if isFile(file) {
			m.folder, m.release = dir, release
			return true
		}
		release() // another process has just finished the training
	}
	return false
}

// close lets other processes use the folder, and removes a new one without a model.
func (m *modelOutput) close() {
	m.release()
	if m.Out == "" {
		_ = os.Remove(m.folder) // fails unless it is empty
	}
}

// warn reports that a checkpoint could not be written.
func (m *modelOutput) warn(err error) { m.o.Message("autoblm: %v; the training continues", err) }

// save writes a model.
func (m *modelOutput) save(model interface{ Save(dir string) error }) error {
	if err := model.Save(m.folder); err != nil {
		return err
	}
	m.o.Saved("the model is in %s", m.folder)
	linkLatest(m.o, m.folder)
	return nil
}

// done removes the ranks, and the checkpoint unless the deadline ended the training.
func (m *modelOutput) done() error {
	err := m.removeRankings()
	if m.deadlineExceeded {
		return err
	}
	return errors.Join(err, checkpoint.Remove(m.file))
}

// interrupted returns the error for a training that was interrupted, and saves its model so far
// unless that would replace the model of a finished training. what says where it was interrupted.
func (m *modelOutput) interrupted(
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
	case hasFinishedModel(m.folder):
		what += fmt.Sprintf("; the finished model in %s is unchanged", m.folder)
	default:
		if err := soFar.Save(m.folder); err != nil {
			return fmt.Errorf("%s; %w", what, err)
		}
		what += fmt.Sprintf("; the model so far is in %s", m.folder)
	}
	return errors.New(what)
}

// hasFinishedModel reports whether a folder has a model that is not of an interrupted training.
func hasFinishedModel(dir string) bool {
	var d struct{ Position kge.Position }
	_, err := modelfolder.Read(dir, &d, func() error { return nil })
	return err == nil && !d.Position.Interrupted
}

// createFor creates the folder for the models of a job, whose settings follow its deadline. The
// caller must close the output.
func (f modelOutFlags) createFor(
	o *output, command string, engine kge.Engine, job kge.Job, follow kge.Fit,
) (*modelOutput, error) {
	key, err := job.Name(engine)
	if err != nil {
		return nil, err
	}
	identity := key
	if d := job.Deadline; d != nil && follow != (kge.Fit{}) {
		if follow.Dim {
			job.Settings.Dim = 0
		}
		if follow.Epochs {
			job.Settings.Epochs = 0
		}
		if identity, err = job.Name(engine); err != nil {
			return nil, err
		}
		identity = checkpoint.Name([]byte(identity), d.End.Sub(d.Began).String())
	}
	return f.create(o, command, job.Data.Name, key, identity, job.Deadline == nil)
}

// saveConfig writes the settings of the training next to its model.
func (m *modelOutput) saveConfig(
	command string, line *kong.Context, useOf func(*kong.Flag) flags.Use,
) error {
	identity := "Identity of the training: " + m.key
	if m.identity != m.key {
		identity += ", " + m.identity
	}
	return saveConfig(configTitle(command)+"\n"+identity, m.folder, line, useOf)
}

// train trains with a progress bar and a checkpoint.
func (out *modelOutput) train(
	ctx context.Context, engine kge.Engine, job kge.Job,
) (*kge.Report, error) {
	o := out.o
	job.Checkpoint = &kge.Checkpoint{File: out.file, Every: out.SaveEvery, OnError: out.warn}
	bar := newTrainingBar(o, endOf(job.Deadline))
	job.OnEpoch, job.OnStep = bar.update, bar.update
	report, err := kge.Train(ctx, engine, job)
	bar.Finish()
	if err == nil {
		out.deadlineExceeded = report.StoppedEarly != nil
		warnShortTraining(o, report.StoppedEarly, job.Settings.Dim)
	}
	if err == nil || !errors.Is(err, ctx.Err()) {
		return report, err
	}
	if report == nil {
		return nil, out.interrupted(ctx, err, "interrupted before the first step", nil)
	}
	m := report.Results[0].Model
	what := fmt.Sprintf("interrupted after epoch %d of %d",
		len(report.Results[0].Loss), job.Settings.Epochs)
	if m != nil && m.Position.Steps > 0 {
		what = fmt.Sprintf("interrupted in epoch %d of %d, after step %d",
			m.Position.Epoch+1, job.Settings.Epochs, m.Position.Steps)
	}
	return nil, out.interrupted(ctx, err, what, m)
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
