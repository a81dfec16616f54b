package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// outFolder is where commands keep what no other folder is named for.
const outFolder = "autoblm-out"

// saveFlag says how much work a kill may cost.
type saveFlag struct {
	SaveEvery time.Duration `default:"1m" min:"0" help:"How often what a killed training goes on from is written, at most."`
}

// keepFlags say where a training and its model are kept.
type keepFlags struct {
	Out string `placeholder:"DIR" brief:"The folder for the model, and to go on from." help:"The folder for the (first) model, and for what the same command goes on from if it is interrupted; one below autoblm-out for the command and its data when left out."`
	saveFlag
}

// dir is the folder for the model.
func (f keepFlags) dir(command, dataset string) string {
	return cmp.Or(f.Out, filepath.Join(outFolder, command+"-"+dataset))
}

// keeping is where one training is kept.
type keeping struct {
	folder, file string
	every        time.Duration
	o            *output
	cut          bool // by its deadline
}

// keep makes the folder, since what cannot be written is better known before a training,
// and says whether there is something to go on with. The name tells trainings apart.
func (f keepFlags) keep(o *output, command, dataset, name string) (keeping, error) {
	k := keeping{folder: f.dir(command, dataset), every: f.SaveEvery, o: o}
	if err := modelfolder.Prepare(k.folder); err != nil {
		return k, err
	}
	const prefix = "training-"
	k.file = filepath.Join(k.folder, prefix+name)
	kept, err := os.ReadDir(k.folder)
	for _, e := range kept {
		switch {
		case e.Name() == prefix+name:
			o.Message("autoblm: going on with the training in %s", k.file)
		case strings.HasPrefix(e.Name(), prefix) && filepath.Ext(e.Name()) == "":
			o.Message("autoblm: another training, which was interrupted, is in %s: its command goes on with it", filepath.Join(k.folder, e.Name()))
		}
	}
	return k, err
}

// warn says that the training is not kept at present.
func (k keeping) warn(err error) { k.o.Message("autoblm: %v; the training goes on", err) }

// save saves a model.
func (k keeping) save(m interface{ Save(dir string) error }) error {
	if err := m.Save(k.folder); err != nil {
		return err
	}
	k.o.Saved("the model is in %s", k.folder)
	return nil
}

// done ends a training whose result is out: there is nothing left to go on with, unless its
// deadline has ended it.
func (k keeping) done() error {
	if k.cut {
		return nil
	}
	return checkpoint.Remove(k.file)
}

// wholeModel says whether the folder has a model that a training came to its end with.
func (k keeping) wholeModel() bool {
	var d struct{ Position kge.Position }
	_, err := modelfolder.Read(k.folder, &d, func() error { return nil })
	return err == nil && !d.Position.Interrupted
}

// interrupted tells what is kept of a training that the end of its context, and what its error
// says besides, has ended. The model so far does not replace one that is whole.
func (k keeping) interrupted(ctx context.Context, err error, over string, m *kge.Model) error {
	if _, failed, also := strings.Cut(err.Error(), ctx.Err().Error()+"; "); also { // to keep it
		over += "; " + failed
	}
	if _, err := os.Stat(k.file); err == nil {
		over += "; the same command goes on from there"
	} else if m == nil {
		over += ": nothing was kept"
	}
	switch {
	case m == nil:
	case k.wholeModel():
		over += fmt.Sprintf("; the whole model that is in %s stays", k.folder)
	default:
		if err := m.Save(k.folder); err != nil {
			return fmt.Errorf("%s; %w", over, err)
		}
		over += fmt.Sprintf("; the model so far is in %s", k.folder)
	}
	return errors.New(over)
}

// unranked is the error of a ranking after a training.
func (k keeping) unranked(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted while ranking")
	}
	return err
}

// minutesFlag ends a training in time.
type minutesFlag struct {
	Minutes float64 `default:"0" min:"0" max:"1000000" brief:"End in time, with the best so far; 0 never." help:"End within so many minutes, from reading the data to ranking, with the best model so far: in the middle of an epoch too, and with a sample of valid and test ranked where all of them would take much of the time. The same command goes on, for minutes of its own. 0 never."`
}

// deadline is that of a command that began then and ranks so many questions in the end; nil for
// none.
func (f minutesFlag) deadline(began time.Time, ranked int) *kge.Deadline {
	if f.Minutes == 0 {
		return nil
	}
	return &kge.Deadline{Began: began, End: began.Add(time.Duration(f.Minutes * float64(time.Minute))), Ranked: ranked}
}

// endBy is when a deadline is; zero for none.
func endBy(d *kge.Deadline) (end time.Time) {
	if d != nil {
		end = d.End
	}
	return end
}

// trainModels trains with a bar. A training that is interrupted is kept.
func trainModels(ctx context.Context, o *output, engine kge.Engine, job kge.Job, command string, flags keepFlags) (*kge.Report, keeping, error) {
	name, err := job.Name(engine)
	if err != nil {
		return nil, keeping{}, err
	}
	k, err := flags.keep(o, command, job.Data.Name, name)
	if err != nil {
		return nil, k, err
	}
	job.Checkpoint = &kge.Checkpoint{File: k.file, Every: k.every, OnError: k.warn}
	bar := newTrainingBar(o, endBy(job.Deadline))
	job.OnEpoch, job.OnStep = bar.update, bar.update
	report, err := kge.Train(ctx, engine, job)
	bar.Finish()
	if err == nil && report.StoppedEarly != nil {
		k.cut = true
		if c := report.StoppedEarly; c.Epoch == 0 && 10*c.Step < c.Steps {
			o.Message("autoblm: the time was enough for %s of the %s of the first epoch: a smaller --dim than %d, or more --minutes, trains more", format.Count(c.Step, "step"), format.Int(c.Steps), job.Settings.Dim)
		}
	}
	if err == nil || !errors.Is(err, ctx.Err()) {
		return report, k, err
	}
	if report == nil {
		return nil, k, k.interrupted(ctx, err, "interrupted before the first step", nil)
	}
	m := report.Results[0].Model
	over := fmt.Sprintf("interrupted after epoch %d of %d", len(report.Results[0].Loss), job.Settings.Epochs)
	if m != nil && m.Position.Steps > 0 {
		over = fmt.Sprintf("interrupted in epoch %d of %d, after step %d", m.Position.Epoch+1, job.Settings.Epochs, m.Position.Steps)
	}
	return nil, k, k.interrupted(ctx, err, over, m)
}
