package search

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Settle returns the settings as a task follows them, so that a study says what they came to: a
// ensemble and splits only where there can be some, and the precision that it trains in, which is one
// for all trials, that of the dimension of the search, also those of the stages before and after.
func Settle(t task.Task, s Settings) (Settings, error) {
	supports := t.Supports()
	if !supports.Ensembles || s.Again == 0 {
		s.Ensemble = 0
	}
	if !supports.Resplits || s.Again == 0 {
		s.Splits = 0
	}
	if s.Training.Precision == kge.Float32 {
		return s, nil
	}
	var err error
	s.Training.Precision, err = t.Precision(s.Training.Precision, s.Model, s.Training.Dim)
	return s, err
}
