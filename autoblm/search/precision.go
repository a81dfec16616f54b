package search

import (
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Settle returns the settings as a task follows them, so that a study says what they came to: a
// ensemble and splits only where there can be some, and the precision that it trains in, which is one
// for all trials, that of the dimension of the search, also those of the stages before and after.
func Settle(t task.Task, s Settings) (Settings, error) {
	if _, can := t.(task.Ensembler); !can || s.Again == 0 {
		s.Ensemble = 0
	}
	if _, can := t.(task.Resplitting); !can || s.Again == 0 {
		s.Splits = 0
	}
	asked := s.Training.Precision
	if asked == kge.Float32 { // which all have
		return s, nil
	}
	if precise, has := t.(task.Precise); has {
		var err error
		s.Training.Precision, err = precise.Precision(asked, s.Model, s.Training.Dim)
		return s, err
	}
	if asked == kge.Bfloat16 {
		return s, errors.New("the task is computed in float32 only: leave the precision at float32 or auto")
	}
	s.Training.Precision = kge.Float32
	return s, nil
}
