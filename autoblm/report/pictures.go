package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// Picture is a picture and the base name of its files.
type Picture struct {
	Name string
	plot.Picture
}

// Pictures returns the pictures of the report to save: the best structure, the structures side by
// side, the progress of the search, and predicted against measured scores. There are none without
// a complete trial.
func Pictures(d Data) []Picture {
	a := newAnalysis(d)
	if a.best == nil {
		return nil
	}
	best := a.best.Structure
	if full := search.FinalOf(a.fullSize()); full.Found != nil {
		best = full.Found.Structure
	}
	pictures := []Picture{
		{"best", plot.Structure(best, "best found on "+d.About.Dataset)},
		{"structures", plot.Structures(a.titled())},
		{"search", a.curve().Picture()},
	}
	if s := a.scatter(); len(s.Clouds[0].Points) > 0 {
		pictures = append(pictures, Picture{"predicted", s.Picture()})
	}
	return pictures
}

// mostDrawn is the number of found structures to draw, which equals that of baselines.
const mostDrawn = 5

// titled returns the structures to draw, with their scores.
func (a *analysis) titled() []plot.Titled {
	var all []plot.Titled
	for _, t := range append(a.bestFound(mostDrawn), a.labeledBaselines()...) {
		title := t.Label
		if t.State == task.Complete {
			title += fmt.Sprintf(": %s %s", a.Presentation.Metric, format.Cell(t.Score))
		}
		all = append(all, plot.Titled{Title: title, Structure: t.Structure})
	}
	return all
}

// Save writes the page, and the pictures as PNG and SVG into a folder next to it ("report_files"
// for "report.html"). It returns the paths of the pictures. The page does not need them.
func Save(path string, d Data) (pictures []string, err error) {
	var content bytes.Buffer
	if err := Write(&content, d); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the report: %w", err)
	}
	if err := outfile.Write(path, outfile.Page, content.Bytes()); err != nil {
		return nil, fmt.Errorf("the report: %w", err)
	}
	return SavePictures(strings.TrimSuffix(path, filepath.Ext(path))+"_files", d)
}

// SavePictures writes [Pictures] as PNG and SVG into a folder and returns their paths.
func SavePictures(folder string, d Data) (paths []string, err error) {
	for _, picture := range Pictures(d) {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, fmt.Errorf("cannot make the folder of the pictures: %w", err)
		}
		for _, extension := range []string{".png", ".svg"} {
			path := filepath.Join(folder, picture.Name+extension)
			if err := picture.Save(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}
