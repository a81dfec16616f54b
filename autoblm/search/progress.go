package search

import (
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Progress reports how far a search is.
type Progress struct {
	Stage task.Stage
	// Baselines is true while the baselines train, before the structures.
	Baselines bool
	// Trained of Budget trials of the stage are finished, without baselines.
	Trained, Budget int
	// Share is the finished share of all training, from 0 to 1.
	Share float64
	// Best is the best trial of the stage so far, nil if there is none.
	Best *task.Trial
	// Metric is the metric of its score, such as "MRR".
	Metric string
}
