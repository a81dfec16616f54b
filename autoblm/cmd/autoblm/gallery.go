package main

import (
	"fmt"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
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
	for name, picture := range map[string]plot.Picture{
		"best":       plot.Structure(r.Model.Structure, fmt.Sprintf("best found on %s", g.Name)),
		"structures": plot.Structures(structuresToShow(r)),
		"search":     searchCurve(g, r).Picture(),
	} {
		for _, extension := range []string{".png", ".svg"} {
			if err := picture.Save(filepath.Join(dir, name+extension)); err != nil {
				return err
			}
		}
	}
	return nil
}

// structuresToShow are the best ones found, then the named ones.
func structuresToShow(r *search.Result) []plot.Titled {
	var all []plot.Titled
	for i, t := range r.Best[:min(len(r.Best), mostFound)] {
		all = append(all, plot.Titled{Title: fmt.Sprintf("found %d: MRR %.3f", i+1, t.MRR()), Structure: t.Structure})
	}
	for _, t := range r.Named {
		title := titleOf(t.Name)
		if t.State == search.Complete {
			title = fmt.Sprintf("%s: MRR %.3f", title, t.MRR())
		}
		all = append(all, plot.Titled{Title: title, Structure: t.Structure})
	}
	return all
}

// searchCurve shows the validation MRR over the structures trained.
func searchCurve(g *datasets.Graph, r *search.Result) plot.Curve {
	curve := plot.Curve{Title: "search on " + g.Name, X: "structures trained", Y: "validation MRR"}
	var trials []plot.Point
	trained := 0
	for _, t := range r.Trials {
		if t.Round == 0 || t.State == search.Running {
			continue
		}
		trained++
		if t.State == search.Complete {
			trials = append(trials, plot.Point{X: float64(trained), Y: t.MRR()})
		}
	}
	curve.Series = []plot.Series{
		{Name: "a structure", Style: plot.Dots, Points: trials},
		{Name: "the best so far", Style: plot.Steps, Points: plot.BestSoFar(trials)},
	}
	for _, t := range r.Named {
		if t.State == search.Complete {
			curve.Levels = append(curve.Levels, plot.Level{Name: titleOf(t.Name), Y: t.MRR()})
		}
	}
	return curve
}
