package main

import (
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
)

// writeGallery fills the folder of a search: the best model and the pictures.
func writeGallery(dir string, g *datasets.Graph, r *search.Result) error {
	if r.Model == nil {
		return nil
	}
	if err := r.Model.Save(filepath.Join(dir, "model")); err != nil {
		return err
	}
	_, err := report.SavePictures(dir, report.Data{Contents: study.Contents{
		About: study.About{Dataset: g.Name}, Trials: r.Trials, Rounds: r.Rounds, Best: r.Model,
	}})
	return err
}
