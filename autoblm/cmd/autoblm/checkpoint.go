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
	key              string // identifies the training, without settings that follow its deadline
	identity         string // identifies the training and a deadline that it follows
	trained          string // identifies the training with all of its settings
	release          func() // the folder
	resumes          bool
	continues        bool // a finished training with fewer epochs
	differs          bool // from the same training at once
	keeps            bool // the checkpoint after the last epoch
	deadlineExceeded bool
}

// checkpointPrefix begins the names of checkpoints. The rest tells trainings apart.
const checkpointPrefix = "training-"

// stateName is the name of the kept checkpoint of a finished training, from which the same command
// with more epochs continues.
const stateName = "training-state"

// checkpointsIn returns the checkpoints of interrupted trainings in a folder. Temporary files, which
// a killed process leaves, have longer names.
func checkpointsIn(dir string) (found []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), checkpointPrefix) && len(e.Name()) == len(checkpointPrefix)+12 {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// create creates the folder for the model of a training, before the training. Without --out, it
// returns to the folder with the checkpoint of the training or, with resumesRanking, with ranks of
// its models, or else makes a new one. It refuses a folder with anything but the same training,
// unless continues says how the training continues that in the folder. The caller must close the
// output.
func (f modelOutFlags) create(
	o *output, command, dataset, key, identity, trained string, resumesRanking bool,
	continues continuing,
) (*modelOutput, error) {
	m := &modelOutput{modelOutFlags: f, o: o, folder: f.Out, key: key, identity: identity, trained: trained}
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
	if state := filepath.Join(m.folder, stateName); m.resumes && continues != nil && isFile(state) {
		_, m.differs, _ = continues(state)
	}
	if !m.isRepeated() {
		if err := m.continueOr(continues); err != nil {
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

// continueOr prepares to continue the finished training in the folder, or returns an error if the
// folder is not free. continues may be nil.
func (m *modelOutput) continueOr(continues continuing) error {
	has, state := contentOf(m.folder), filepath.Join(m.folder, stateName)
	if has == "" {
		return nil
	}
	if continues == nil || !isFile(state) || hasData(m.folder) {
		return occupied(m.folder, "the model", has)
	}
	how, differs, err := continues(state)
	m.differs = differs
	if err != nil {
		return occupied(m.folder, "the model", has+"; "+err.Error())
	}
	m.continues = true
	m.o.Message("autoblm: %s", how)
	return nil
}

// continuing says how a training continues that of a kept checkpoint, and whether the model differs
// from one of all epochs at once. The error is the reason why it does not continue it.
type continuing func(state string) (how string, differs bool, err error)

// continuation returns a function for [modelOutFlags.create].
func continuation(job kge.Job) continuing {
	return func(state string) (string, bool, error) {
		c, err := job.Continues(state)
		epochs := job.Settings.Epochs
		switch {
		case err != nil:
			return "", false, fmt.Errorf("%s: %w", state, err)
		case c.Differences != "":
			return "", false, fmt.Errorf("more epochs continue its training, but %s", c.Differences)
		case epochs <= c.Of:
			return "", false, fmt.Errorf("its training has %s already", format.Count(c.Of, "epoch"))
		}
		differs := job.ChangesPast(c)
		if c.Stopped && differs {
			return "", false, fmt.Errorf("its training stopped early after epoch %d, which depended on its %s",
				c.Epochs, format.Count(c.Of, "epoch"))
		}
		if c.Stopped {
			return fmt.Sprintf("the training in %s stopped early after epoch %d: "+
				"more epochs do not change it", filepath.Dir(state), c.Epochs), false, nil
		}
		how := fmt.Sprintf("continuing the training in %s after epoch %d of %d",
			filepath.Dir(state), c.Epochs, epochs)
		if differs {
			how += fmt.Sprintf("; its learning rate or last validation depended on the %d epochs, "+
				"so the model may differ from one of %d epochs at once", c.Of, epochs)
		}
		return how, differs, nil
	}
}

// isRepeated reports whether the folder has the same training, interrupted or finished.
func (m *modelOutput) isRepeated() bool {
	if m.resumes || hasData(m.folder) {
		return m.resumes
	}
	config, err := inputfile.Read(filepath.Join(m.folder, configName))
	return err == nil &&
		(bytes.Contains(config, []byte(m.trained)) || bytes.Contains(config, []byte(m.identity)))
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

// done removes the ranks. Unless the deadline ended the training, it keeps the checkpoint to
// continue from, or removes it.
func (m *modelOutput) done() error {
	err := m.removeRankings()
	if m.deadlineExceeded {
		return err
	}
	if isFinished, failed := kge.IsFinished(m.file); m.keeps && failed == nil && isFinished {
		return errors.Join(err, checkpoint.Keep(m.file, filepath.Join(m.folder, stateName)))
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
	trained, err := job.Name(engine)
	if err != nil {
		return nil, err
	}
	key, err := followingKey(engine, job, follow)
	if err != nil {
		return nil, err
	}
	identity := key
	if d := job.Deadline; d != nil && follow != (kge.Fit{}) {
		identity = checkpoint.Name([]byte(key), d.End.Sub(d.Began).String())
	}
	return f.create(o, command, job.Data.Name, key, identity, trained, job.Deadline == nil,
		continuation(job))
}

// followingKey returns the name of a job without the settings that follow its deadline.
func followingKey(engine kge.Engine, job kge.Job, follow kge.Fit) (string, error) {
	if follow.Dim {
		job.Settings.Dim = 0
	}
	if follow.Epochs {
		job.Settings.Epochs = 0
	}
	return job.Name(engine)
}

// saveConfig writes the settings of the training next to its model.
func (m *modelOutput) saveConfig(
	command string, line *kong.Context, useOf func(*kong.Flag) flags.Use,
) error {
	identity := "Identity of the training: " + m.trained
	switch {
	case m.differs: // the same command would begin anew, and replace it
		identity = "Continued from a training with fewer epochs"
	case m.identity != m.trained:
		identity += ", " + m.identity
	}
	return saveConfig(configTitle(command)+"\n"+identity, m.folder, line, useOf)
}

// train trains with a progress bar and a checkpoint.
func (out *modelOutput) train(
	ctx context.Context, engine kge.Engine, job kge.Job,
) (*kge.Report, error) {
	o := out.o
	out.keeps = true
	job.Checkpoint = &kge.Checkpoint{
		File: out.file, Every: out.SaveEvery, OnError: out.warn, Keep: true,
	}
	if out.continues {
		job.Checkpoint.Continue = filepath.Join(out.folder, stateName)
	}
	bar := newTrainingBar(o, endOf(job.Deadline))
	job.OnEpoch, job.OnStep = bar.update, bar.update
	report, err := kge.Train(ctx, engine, job)
	bar.Finish()
	if report != nil && job.Settings.Epochs != report.Epochs { // it followed the deadline
		job.Settings.Epochs = report.Epochs
		var failed error
		if out.trained, failed = job.Name(engine); failed != nil {
			return nil, failed
		}
	}
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
	m, epochs := report.Results[0].Model, len(report.Results[0].Loss)
	what := fmt.Sprintf("interrupted after epoch %d of %d", epochs, job.Settings.Epochs)
	if m == nil && epochs == 0 {
		what = fmt.Sprintf("interrupted in epoch 1 of %d", job.Settings.Epochs)
	}
	if m != nil && m.Position.Steps > 0 {
		what = fmt.Sprintf("interrupted in epoch %d of %d, after step %d",
			m.Position.Epoch+1, job.Settings.Epochs, m.Position.Steps)
	}
	if report.Saved > 0 && report.Saved < epochs {
		what += fmt.Sprintf(", with a checkpoint of epoch %d", report.Saved)
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
