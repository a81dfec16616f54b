package main

import (
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// report is what a report tells of a search, but for what has to be measured.
func (s searching) report(r *search.Result) report.Data {
	return report.Data{Words: s.Words(), Contents: study.Contents{About: s.studyAbout(), Trials: r.Trials, Rounds: r.Rounds}}
}

// studyAbout is what the study is about.
func (s searching) studyAbout() study.About {
	return study.About{Identity: s.about, Algorithm: s.settings.Algorithm, Settings: s.settings.Settings}
}

// writeGallery fills the folder of a search: what the best trial has left, and the
// pictures.
func (s searching) writeGallery(r *search.Result) error {
	if len(r.Best) == 0 {
		return nil
	}
	if r.Artifact != nil {
		if err := task.Save(filepath.Join(s.out, "model"), r.Artifact); err != nil {
			return err
		}
	}
	if s.settings.Model != form.Bilinear { // which has no structures to draw
		return nil
	}
	_, err := report.SavePictures(s.out, s.report(r))
	return err
}
