package main

import (
	"bytes"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
)

// TestSearchBarNamesWhatDecides, in a log, where it is a line for each change.
func TestSearchBarNamesWhatDecides(t *testing.T) {
	accuracy := 0.625
	for _, c := range []struct {
		best search.Trial
		want string
	}{
		{search.Trial{Valid: &completion.Evaluation{Both: completion.Metrics{MRR: 0.25}}}, "training: 3 of 8 structures, best MRR 0.250\n"},
		{search.Trial{Objective: &accuracy}, "training: 3 of 8 structures, best accuracy 0.625\n"},
	} {
		var log bytes.Buffer
		bar := newSearchBar(&log)
		bar.update(search.Progress{Stage: search.Searching, Trained: 3, Budget: 8, Best: &c.best})
		bar.finish()
		if log.String() != c.want {
			t.Errorf("%q, want %q", log.String(), c.want)
		}
	}
}
