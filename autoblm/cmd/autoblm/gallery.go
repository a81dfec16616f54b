package main

import (
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// report is what a report tells of a search, but for what needs the graph.
func (s searching) report(r *search.Result) report.Data {
	return report.Data{Contents: study.Contents{
		About:  study.About{Dataset: s.graph.Name, Algorithm: s.settings.Algorithm, Settings: s.settings.Settings},
		Trials: r.Trials, Rounds: r.Rounds, Best: r.Model,
	}}
}

// writeGallery fills the folder of a search: the best model and the pictures.
func (s searching) writeGallery(r *search.Result) error {
	if r.Model == nil {
		return nil
	}
	if err := r.Model.Save(filepath.Join(s.out, "model")); err != nil {
		return err
	}
	_, err := report.SavePictures(s.out, s.report(r))
	return err
}
