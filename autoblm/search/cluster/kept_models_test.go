package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
)

// newTestModels makes a folder of models and returns it with a function that adds one of a search.
func newTestModels(t *testing.T) (m *models, add func(search string, number int, score float64)) {
	t.Helper()
	m, err := newModels(t.TempDir(), "w")
	require.NoError(t, err)
	t.Cleanup(m.close)
	return m, func(search string, number int, score float64) {
		t.Helper()
		files := task.Files{"model.json": []byte("{}"), "embeddings.bin": []byte("content")}
		require.NoError(t, m.add(keptModel{fmt.Sprint(search, number), search, score}, files))
	}
}

// TestBestModelIsKept trains more trials of a round than a worker keeps models: it keeps the last
// ones and the best one, but not the best one of an earlier search.
func TestBestModelIsKept(t *testing.T) {
	m, add := newTestModels(t)
	add("earlier", 0, 9)
	const n = maxModels + 5
	for i := range n {
		score := .5
		if i == 3 {
			score = .7
		}
		add("now", i, score)
	}
	for key, want := range map[string]bool{
		"earlier0": false, "now2": false, "now3": true, "now5": false, "now6": true,
		fmt.Sprint("now", n-1): true,
	} {
		if _, err := m.read(key); (err == nil) != want || err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("model %s: %v, want it to be kept: %t", key, err, want)
		}
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil || len(entries) != maxModels {
		t.Errorf("%d models, %v, want %d", len(entries), err, maxModels)
	}
}

// TestReadDuringRemoval reads a model while it is removed: no part of it is a model.
func TestReadDuringRemoval(t *testing.T) {
	m, add := newTestModels(t)
	add("s", 0, 1)
	dir := filepath.Join(m.dir, "s0")
	m.mu.Lock() // as add does
	require.NoError(t, os.Remove(filepath.Join(dir, "embeddings.bin")))
	read := make(chan error, 1)
	go func() {
		_, err := m.read("s0")
		read <- err
	}()
	select {
	case <-read:
		t.Fatal("a part of the model was read")
	case <-time.After(200 * time.Millisecond):
	}
	require.NoError(t, os.RemoveAll(dir))
	m.mu.Unlock()
	if err := <-read; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removed model: %v", err)
	}
}
