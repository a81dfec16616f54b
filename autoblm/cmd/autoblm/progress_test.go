package main

import (
	"bytes"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestSearchBarNamesTheMetric and what is counted in the lines of a log.
func TestSearchBarNamesTheMetric(t *testing.T) {
	for _, c := range []struct {
		what, metric string
		score        float64
		want         string
	}{
		{"structure", "MRR", 0.25, "training: 3 of 8 structures, best MRR 0.250\n"},
		{"structure", "accuracy", 0.625, "training: 3 of 8 structures, best accuracy 0.625\n"},
		{"recipe", "MRR", 0.25, "training: 3 of 8 recipes, best MRR 0.250\n"},
	} {
		var log bytes.Buffer
		bar := newSearchBar(&output{Stderr: &log}, c.what, false)
		bar.update(search.Progress{Stage: task.Searching, Trained: 3, Budget: 8, Metric: c.metric,
			Best: &task.Trial{Score: &c.score}})
		bar.Finish()
		if log.String() != c.want {
			t.Errorf("%q, want %q", log.String(), c.want)
		}
	}
}
