package study

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// ForSearch opens the study at path for a search, or begins it, and returns the settings to
// search by: with the precision that the asked one comes to. Where that is auto, a study that
// is gone on with stays in the precision that it was begun in.
func ForSearch(path string, t task.Task, strategy search.Strategy, s search.Settings) (*Study, search.Settings, error) {
	auto := s.Training.Precision == kge.AutoPrecision
	s, err := search.Settle(t, s)
	if err != nil {
		return nil, s, err
	}
	about, err := Describe(t, strategy, s)
	if err != nil {
		return nil, s, err
	}
	about.anyPrecision = auto
	kept, err := Open(path, about)
	if err != nil {
		return nil, s, err
	}
	s.Training.Precision = kept.precision
	if s, err = search.Settle(t, s); err != nil {
		return nil, s, errors.Join(fmt.Errorf("the study %s was begun in %v, which is not possible here: %w, in another study", path, kept.precision, err), kept.Close())
	}
	return kept, s, nil
}

// takePrecision gives a search that is begun in any precision that of a study, if that is
// about the same otherwise.
func (a *About) takePrecision(there []byte) {
	var old About
	if json.Unmarshal(there, &old) == nil && a.anyPrecision {
		a.Settings.Training.Precision = old.Settings.Training.Precision
	}
}
