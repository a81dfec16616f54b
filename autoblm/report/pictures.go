package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// Picture is one with the name of its files.
type Picture struct {
	Name string
	plot.Picture
}

// Pictures are those of the report, to be saved: the best structure, structures
// beside each other, the progress of the search over trainings and over seconds, and
// predicted against measured. There are none before a structure was trained.
func Pictures(d Data) []Picture {
	o := newOutcome(d)
	if o.best == nil {
		return nil
	}
	pictures := []Picture{
		{"best", plot.Structure(o.best.Structure, "best found on "+d.About.Dataset)},
		{"structures", plot.Structures(o.titled())},
		{"search", o.byTrainings().Picture()},
		{"search-seconds", o.bySeconds().Picture()},
	}
	if s := o.scatter(); len(s.Clouds[0].Points) > 0 {
		pictures = append(pictures, Picture{"predicted", s.Picture()})
	}
	return pictures
}

// mostDrawn is how many of the structures found are drawn, as many as there are
// human-designed ones.
const mostDrawn = 5

// titled are the structures that are drawn, with their scores.
func (o *outcome) titled() []plot.Titled {
	var all []plot.Titled
	for _, t := range append(o.bestFound(mostDrawn), o.designed()...) {
		name := t.Name
		if t.State == task.Complete {
			name += fmt.Sprintf(": %s %s", o.Words.Metric, format.Cell(t.Score))
		}
		all = append(all, plot.Titled{Title: name, Structure: t.Structure})
	}
	return all
}

// Save writes the page to a file and the pictures as PNG and SVG into a folder
// beside it, for "report.html" the folder "report_files", and returns the
// pictures' paths. The page does not need them.
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

// SavePictures writes [Pictures] as PNG and SVG into a folder, which is made if
// there is any, and returns their paths.
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
