package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/nats-io/nats.go/jetstream"
)

// notes collects messages.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, text)
}

// await waits for a message with a text.
func (n *notes) await(text string) error {
	for range 300 {
		n.mu.Lock()
		all := strings.Join(n.all, "\n")
		n.mu.Unlock()
		if strings.Contains(all, text) {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Errorf("no message has %q: %q", text, n.all)
}

// meanwhile runs a function beside the test. If it fails, the returned context ends, so that the test
// does not wait for ever.
func meanwhile(t *testing.T, run func() error) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		err := run()
		if err != nil {
			cancel(err)
		}
		done <- err
	}()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
		cancel(nil)
	})
	return ctx
}

// noise returns bytes that cannot be compressed.
func noise(n int) []byte {
	content := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(content)
	return content
}

// largeTask leaves models of a size.
type largeTask struct {
	fakeTask
	size int
}

func (l largeTask) Train(
	ctx context.Context, trials []task.Trial, onProgress func(float64),
) ([]task.Artifact, error) {
	artifacts, err := l.fakeTask.Train(ctx, trials, onProgress)
	for i := range artifacts {
		artifacts[i] = task.Files{"model.json": []byte("{}"), "embeddings.bin": noise(l.size)}
	}
	return artifacts, err
}

// TestFullStoreOfModels fetches a model for which the server has no room: the search and the state of
// the worker say so, and the model arrives once there is room. Without room the search ends after a
// while, and can be repeated.
func TestFullStoreOfModels(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease, maxStore: 4 << 20}
	c.start("127.0.0.1:0")
	heard := &notes{}
	c.note = heard.add
	on := c.task()
	c.worker("w", largeTask{size: 1 << 20})
	_, err := on.cluster.artifacts.PutBytes(t.Context(), "other", noise(1<<20))
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	artifacts, err := on.Train(ctx, fakeTrials(1), func(float64) {})
	require.NoError(t, err)
	on.cluster.fullWait = time.Second
	_, err = artifacts[0].Files()
	require.Error(t, err, "a larger max-gb; there was no room for 1s")
	states, err := on.cluster.Workers(t.Context())
	require.NoError(t, err)
	if len(states) != 1 || !strings.Contains(states[0].Error, "the store of the cluster is full") {
		t.Errorf("states of workers: %+v", states)
	}
	on.cluster.fullWait = time.Hour
	failed := meanwhile(t, func() error {
		if err := heard.await("waiting for room for at most 1h"); err != nil {
			return err
		}
		return on.cluster.artifacts.Delete(context.Background(), "other")
	})
	context.AfterFunc(failed, func() { cancel(context.Cause(failed)) })
	files, err := artifacts[0].Files()
	require.NoError(t, err)
	if len(files["embeddings.bin"]) != 1<<20 {
		t.Errorf("a model of %d bytes", len(files["embeddings.bin"]))
	}
	// A fetched model leaves room for others.
	if _, err := on.cluster.artifacts.PutBytes(t.Context(), "other", noise(1<<20)); err != nil {
		t.Errorf("the fetched model is still in the store: %v", err)
	}
}

// TestFullStoreOfData sends data for which the server has no room.
func TestFullStoreOfData(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease, maxStore: 4 << 20}
	c.start("127.0.0.1:0")
	folder := writeFolder(t, map[string]string{"train.txt": string(noise(4 << 20))})
	_, err := NewTask(t.Context(), c.connect(), fakeTask{}, folder, "cpu avx512")
	require.Error(t, err, "a larger max-gb")
}

// TestFullStoreOfResults lets a worker wait for room for a result.
func TestFullStoreOfResults(t *testing.T) {
	c := newTestCluster(t)
	on := c.task()
	heard := &notes{}
	c.note = heard.add
	c.worker("w", fakeTask{})
	stream, err := on.cluster.js.Stream(t.Context(), "KV_"+resultBucket)
	require.NoError(t, err)
	limit := func(bytes int64) error {
		config := stream.CachedInfo().Config
		config.MaxBytes = bytes
		_, err := on.cluster.js.UpdateStream(context.Background(), config)
		return err
	}
	require.NoError(t, limit(10))
	ctx := meanwhile(t, func() error {
		if err := heard.await("store a result: the store of the cluster is full"); err != nil {
			return err
		}
		return limit(-1)
	})
	trainBothUntil(ctx, t, on, fakeTask{}, 2)
}

// TestDataAreKept searches for longer than the cluster keeps data: a late worker can fetch them.
func TestDataAreKept(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease, keep: 2 * time.Second}
	c.start("127.0.0.1:0")
	folder := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	on, err := NewTask(t.Context(), c.connect(), fakeTask{}, folder, "cpu avx512")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*c.keep)
	defer cancel()
	_, err = on.Train(ctx, fakeTrials(1), func(float64) {}) // there is no worker
	require.Error(t, err, "deadline")
	_, err = on.cluster.receiveData(t.Context(), on.data, t.TempDir())
	require.NoError(t, err)
	time.Sleep(2 * c.keep) // without a search
	_, err = on.cluster.receiveData(t.Context(), on.data, t.TempDir())
	require.Error(t, err, jetstream.ErrObjectNotFound.Error())
}
