package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Listed describes a study in a list. A study that cannot be read has an error, and its unknown
// fields are nil.
type Listed struct {
	Path      string   `json:"path"`
	Dataset   *string  `json:"dataset"`
	Algorithm *string  `json:"algorithm"`
	K         *int     `json:"k"`
	Dim       *int     `json:"dim"`
	Trained   *int     `json:"trained"`
	Budget    *int     `json:"budget"`
	Metric    *string  `json:"metric"`
	BestScore *float64 `json:"best_score"`
	BestMRR   *float64 `json:"best_mrr"` // nil for another metric
	State     string   `json:"state"`
	Error     string   `json:"error,omitempty"`
}

// List describes the studies in files, and in folders and their subfolders.
func List(paths []string, presentationOf func(task.Identity) task.Presentation) ([]Listed, error) {
	list := []Listed{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot look for studies: %w", err)
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = Find(path); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			list = append(list, describeFile(file, presentationOf))
		}
	}
	return list, nil
}

func describeFile(path string, presentationOf func(task.Identity) task.Presentation) Listed {
	c, err := Read(path)
	if err != nil {
		if locked, ok := errors.AsType[*InUseError](err); ok {
			return Listed{Path: path, State: "in use by " + locked.Holder()}
		}
		return Listed{Path: path, State: "unreadable", Error: format.OneLine(err)}
	}
	result, p := c.Result(), presentationOf(c.About.Identity)
	l := Listed{
		Path: path, State: string(c.Status()), Dataset: &c.About.Dataset,
		Algorithm: &c.About.Algorithm, K: &c.About.Settings.K, Dim: &c.About.Settings.Training.Dim,
		Trained: &result.Trained, Budget: &c.About.Settings.Budget,
	}
	if c.InUse != nil {
		l.State = "in use by " + c.InUse.Holder()
	}
	if p.Metric != "" {
		l.Metric = &p.Metric
	}
	if len(result.Best) > 0 {
		l.BestScore = result.Best[0].Score
		l.BestMRR = mrr(p, l.BestScore)
	}
	return l
}

// mrr returns the score if the metric of the task is the MRR, else nil.
func mrr(p task.Presentation, score *float64) *float64 {
	if p.Metric != "MRR" {
		return nil
	}
	return score
}

// Find returns the sorted paths of the studies in a folder and its subfolders. It considers files
// with the extension .db, and skips hidden folders and what it cannot read.
func Find(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return fmt.Errorf("cannot look for studies: %w", err)
		case err != nil:
			return nil
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(path) != ".db":
			return nil
		}
		if isStudyFile(path) {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

func isStudyFile(path string) bool {
	openStudies.Lock()
	defer openStudies.Unlock()
	if openStudies.has(path) {
		return true
	}
	h, err := readHeader(path)
	return err == nil && h.isStudy()
}
