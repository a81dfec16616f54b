package autoblm_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestTaskWithoutEngine checks that a task without an engine refuses to train, in a search too.
func TestTaskWithoutEngine(t *testing.T) {
	check := func(on task.Task, err error) {
		t.Helper()
		if !errors.Is(err, task.ErrNoEngine) || !strings.Contains(err.Error(), "set Engine") {
			t.Errorf("%T: error %v", on, err)
		}
	}
	first := &completion.Task{Graph: datasets.World()}
	_, err := autoblm.SearchFor(t.Context(), first, autoblm.DefaultSearch())
	check(first, err)
	for _, on := range []task.Task{
		first, &query.Task{Data: query.FromGraph(datasets.World())}, &classify.Task{},
	} {
		_, err := on.Train(t.Context(), []task.Trial{{}}, nil)
		check(on, err)
	}
}

// TestMissingFilesAreRecognized: a program can tell what is not there from what is damaged.
func TestMissingFilesAreRecognized(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, model := autoblm.LoadModel(missing)
	_, graph := autoblm.Load(missing)
	_, folder := datasets.ReadFolder(missing)
	_, search := study.Read(missing)
	for _, err := range []error{model, graph, folder, search} {
		if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), fs.ErrNotExist.Error()) {
			t.Errorf("%v", err)
		}
	}
}

// TestErrorsSayTheFix checks errors that a program sees first: of a time limit, of a search that was
// cancelled, and of a file instead of a folder.
func TestErrorsSayTheFix(t *testing.T) {
	g := datasets.World()
	for _, limit := range []time.Duration{0, -time.Second} {
		_, err := autoblm.SearchWithin(t.Context(), g, limit)
		if err == nil || !strings.Contains(err.Error(), "must be positive") {
			t.Errorf("a search of %v: %v", limit, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := autoblm.SearchWithin(cancelled, g, time.Minute)
	if !errors.Is(err, autoblm.ErrNoModel) || strings.Contains(err.Error(), "more time") {
		t.Errorf("a cancelled search: %v", err)
	}
	file := filepath.Join(t.TempDir(), "facts.tsv")
	if err := os.WriteFile(file, []byte("a\tr\tb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := autoblm.LoadModel(file); err == nil || !strings.Contains(err.Error(), "is a file: a model is a folder") {
		t.Errorf("a file as a model: %v", err)
	}
	if err := new(datasets.Graph).Validate(); err == nil || !strings.HasPrefix(err.Error(), "graph: no entity labels") {
		t.Errorf("an empty graph: %v", err)
	}
}

// TestServingNothing: a model without a predictor, as of a search that found none, is an error.
func TestServingNothing(t *testing.T) {
	_, err := autoblm.NewServer(t.Context(), []autoblm.Served{{Name: "none"}}, autoblm.ServeOptions{})
	if err == nil || !strings.Contains(err.Error(), `"none" has no predictor`) {
		t.Error(err)
	}
}
