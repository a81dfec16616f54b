package study

import (
	"errors"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Listed is a study in a list. What cannot be read now has an error, and the fields that
// are not known are nil.
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
	BestMRR   *float64 `json:"best_mrr"` // nil where the score is none
	State     string   `json:"state"`
	Error     string   `json:"error,omitempty"`
}

// List tells of studies in files, and in folders and below them, in the words of their
// tasks.
func List(paths []string, tell func(task.Identity) task.Presentation) ([]Listed, error) {
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
			list = append(list, listed(file, tell))
		}
	}
	return list, nil
}

func listed(path string, tell func(task.Identity) task.Presentation) Listed {
	c, err := Read(path)
	if err != nil {
		l := Listed{Path: path, State: "unreadable", Error: format.OneLine(err)}
		var taken *InUseError
		if errors.As(err, &taken) {
			l.State, l.Error = "in use by "+taken.Holder(), ""
		}
		return l
	}
	result, w := c.Result(), tell(c.About.Identity)
	l := Listed{
		Path: path, Dataset: &c.About.Dataset, Algorithm: &c.About.Algorithm, K: &c.About.Settings.K, Dim: &c.About.Settings.Training.Dim,
		Trained: &result.Trained, Budget: &c.About.Settings.Budget, State: string(c.Status()),
	}
	if w.Metric != "" {
		l.Metric = &w.Metric
	}
	if len(result.Best) > 0 {
		l.BestScore = result.Best[0].Score
		l.BestMRR = mrrOnly(w, l.BestScore)
	}
	return l
}

// mrrOnly is a score that is an MRR, or nil.
func mrrOnly(w task.Presentation, score *float64) *float64 {
	if w.Metric != "MRR" {
		return nil
	}
	return score
}
