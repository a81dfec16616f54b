package main

import (
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// report is what a report tells of a search, but for what needs the graph of completion.
func (s searching) report(r *search.Result) report.Data {
	d := report.Data{Contents: study.Contents{About: s.studyAbout(), Trials: r.Trials, Rounds: r.Rounds, Best: r.Model}}
	if s.sizes != nil {
		if err := s.sizes(&d); err != nil { // which only other data do
			d.Sizes = nil
		}
	}
	return d
}

// studyAbout is what the study is about, but for what identifies its data.
func (s searching) studyAbout() study.About {
	return study.About{
		Dataset: s.dataset, Algorithm: s.settings.Algorithm, Settings: s.settings.Settings, Task: s.about.Task, TaskSettings: s.about.TaskSettings,
	}
}

// writeGallery fills the folder of a search: the best model, if the task has models
// that are kept, and the pictures.
func (s searching) writeGallery(r *search.Result) error {
	if len(r.Best) == 0 {
		return nil
	}
	if r.Model != nil {
		if err := saveModel(s.studyAbout(), r.Model, filepath.Join(s.out, "model")); err != nil {
			return err
		}
	}
	_, err := report.SavePictures(s.out, s.report(r))
	return err
}
