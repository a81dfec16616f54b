package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestWaitsForTheSearch checks that a worker does not wait for trials of its own arithmetic between two
// trials of a search with another one. Each wait takes 20 minutes here, more than the test has.
func TestWaitsForTheSearch(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: time.Hour}
	c.start("127.0.0.1:0")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	connection := c.connect()
	w := &Worker{
		Cluster: connection, Name: "w", Arithmetic: "cpu avx512", Others: []string{"gomlx go"},
		Folder: t.TempDir(),
		Open: func(context.Context, Data, string, string) (task.Task, func(), error) {
			return fakeTask{}, func() {}, nil
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	on, err := NewTask(ctx, c.connect(), fakeTask{}, "", "gomlx go")
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range fakeTrials(4) {
		if _, err := on.Train(ctx, []task.Trial{trial}, func(float64) {}); err != nil {
			t.Fatalf("trial %d: %v", i, err)
		}
		if i == 0 { // so that the worker can wait for trials of its own
			if err := connection.addQueue(ctx, w.Arithmetic); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
