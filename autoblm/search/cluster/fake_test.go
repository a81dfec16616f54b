package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// fakeTask trains without data: the score of a trial is a hash of its content.
type fakeTask struct {
	task.Base
	split   int
	limits  eval.Limits
	train   func(ctx context.Context, t task.Trial) error // before a trial has its result
	trained *atomic.Int64
}

func (t fakeTask) Identity() (task.Identity, error) {
	return task.Identity{
		Task: "fake", Dataset: "made", Fingerprint: "f1", TaskSettings: json.RawMessage(`{"a":1}`),
	}, nil
}

func (fakeTask) Check() error                    { return nil }
func (fakeTask) Presentation() task.Presentation { return task.Presentation{} }

func (t fakeTask) Resplit(number int) task.Task {
	t.split = number
	return t
}

func (t fakeTask) Limit(l eval.Limits) task.Task {
	t.limits = l
	return t
}

func (t fakeTask) Train(
	ctx context.Context, trials []task.Trial, onProgress func(float64),
) ([]task.Artifact, error) {
	var artifacts []task.Artifact
	for i := range trials {
		trial := &trials[i]
		if t.train != nil {
			if err := t.train(ctx, *trial); err != nil {
				return nil, err
			}
		}
		if t.trained != nil {
			t.trained.Add(1)
		}
		onProgress(1)
		content := fmt.Sprint(trial.Structure, trial.Recipe, t.split, t.limits)
		hash := fnv.New64a()
		hash.Write([]byte(content))
		score := float64(hash.Sum64()%1_000_003) / 1_000_003
		trial.Score, trial.Seconds, trial.Engine = &score, 1, "fake"
		trial.Loss = []float64{score, score / 3}
		if trial.State = task.Complete; score < .1 {
			trial.State, trial.Error, trial.Score = task.Diverged, "it diverged", nil
			artifacts = append(artifacts, nil)
			continue
		}
		artifacts = append(artifacts, task.Files{
			"model.json": []byte(`{"version":1}`), "embeddings.bin": []byte(content),
		})
	}
	return artifacts, nil
}

// fakeTrials returns trials of different structures.
func fakeTrials(n int) []task.Trial {
	var all []task.Trial
	for i := range n {
		s := structure.MustParse("1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2")
		t := task.Trial{Number: i + 1, Stage: task.Searching, Structure: s, State: task.Running, Name: "x"}
		t.Recipe.Seed = uint64(i)
		all = append(all, t)
	}
	return all
}

const testLease = 1500 * time.Millisecond

// testCluster is a server with a short lease.
type testCluster struct {
	t      *testing.T
	server *Server
	store  string
	lease  time.Duration
	users  Users
	// maxStore and keep are limits of the server, 0 for the defaults.
	maxStore int64
	keep     time.Duration
	// Of the next connections: the file of the key, the address if it is not that of the server, and
	// what receives messages.
	key, url string
	note     func(string)
}

func newTestCluster(t *testing.T) *testCluster {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease}
	c.start("127.0.0.1:0")
	return c
}

func (c *testCluster) start(addr string) {
	c.t.Helper()
	server, err := Serve(ServerOptions{
		Addr: addr, Store: c.store, Users: c.users, Lease: c.lease, MaxStore: c.maxStore, keep: c.keep,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.server = server
	c.t.Cleanup(server.Close)
}

// connect returns a connection.
func (c *testCluster) connect() *Cluster {
	c.t.Helper()
	cluster, err := Connect(c.t.Context(), Options{
		URL: cmp.Or(c.url, c.server.URL()), NKey: c.key, Note: c.note,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(cluster.Close)
	return cluster
}

// worker starts a worker and returns a function that ends it.
func (c *testCluster) worker(name string, t task.Task) (end func()) {
	return c.workerWith(name, "cpu avx512", t)
}

func (c *testCluster) workerWith(name, arithmetic string, t task.Task) (end func()) {
	c.t.Helper()
	w := &Worker{
		Cluster: c.connect(), Name: name, Arithmetic: arithmetic, Folder: c.t.TempDir(),
		Open: func(context.Context, Data, string, string) (task.Task, func(), error) { return t, func() {}, nil },
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			c.t.Errorf("worker %s: %v", name, err)
		}
	})
	c.t.Cleanup(end)
	return end
}

// task returns the task of a coordinator.
func (c *testCluster) task() *Task {
	c.t.Helper()
	t, err := NewTask(c.t.Context(), c.connect(), fakeTask{}, "", "cpu avx512")
	if err != nil {
		c.t.Fatal(err)
	}
	return t
}

// writeFolder writes a folder of data.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "graph")
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
