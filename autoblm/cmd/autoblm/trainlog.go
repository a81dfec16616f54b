package main

import (
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/trainlog"
)

// logFlags name files for the course of a training.
type logFlags struct {
	Log    string `output:"" group:"Results" placeholder:"FILE" brief:"CSV file with a row per epoch." help:"CSV file with a row per epoch of the first member: epoch, step, seconds, loss, learning rate and valid MRR. A resumed training appends to it."`
	LogDir string `output:"" group:"Results" placeholder:"DIR" minor:"" brief:"Folder for TensorBoard, with event files." help:"Folder for event files, which TensorBoard shows also while the training runs (tensorboard --logdir DIR)."`
}

// record makes a job record its epochs in the files. The caller must close the log.
func (f logFlags) record(o *output, out *modelOutput, job *kge.Job) (close func(), err error) {
	if err := o.CheckFile(f.Log, trainlog.File); err != nil {
		return nil, err
	}
	if info, err := os.Stat(f.Log); err == nil && info.Size() > 0 &&
		!out.isRepeated() && !out.continues {
		return nil, fmt.Errorf("cannot write the log %s: it has the log of another run; "+
			"use another --log, or remove it", f.Log)
	}
	if f.LogDir != "" {
		if err := outfile.MakeFolder(f.LogDir); err != nil {
			return nil, err
		}
	}
	log, failed := &trainlog.Log{CSV: f.Log, Folder: f.LogDir}, false
	report := func(err error) {
		if err != nil && !failed {
			failed = true
			o.Message("autoblm: cannot write the log: %v; the training continues without it", err)
		}
	}
	if f.Log != "" || f.LogDir != "" {
		job.OnRow = func(r kge.Row) {
			if failed {
				return
			}
			row := trainlog.Row{
				Epoch: r.Epoch, Step: r.Step, Seconds: r.Seconds, Loss: r.Loss,
				LearningRate: r.LearningRate,
			}
			if r.Validation != nil {
				row.MRR = &r.Validation.MRR
			}
			report(log.Add(row))
		}
	}
	return func() { report(log.Close()) }, nil
}
