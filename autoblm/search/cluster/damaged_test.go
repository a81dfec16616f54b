package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
)

// damage stops the server, replaces the first bytes of a file in its store by noise, and starts it.
// It returns a function that removes the folder that an error names, and starts the server again.
func (c *testCluster) damage(folder, file string) (remove func()) {
	c.t.Helper()
	c.server.Close()
	folder = filepath.Join(c.store, "jetstream", "$G", "streams", folder)
	f, err := os.OpenFile(filepath.Join(folder, file), os.O_WRONLY, 0)
	require.NoError(c.t, err)
	_, err = f.WriteAt(noise(64), 0)
	require.NoError(c.t, err)
	require.NoError(c.t, f.Close())
	c.start("127.0.0.1:0")
	return func() {
		c.t.Helper()
		c.server.Close()
		require.NoError(c.t, os.RemoveAll(folder))
		c.start("127.0.0.1:0")
	}
}

// soon returns a context that ends a call that would wait for ever.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestDamagedStoreOfModels damages the store of models: a search ends, without training its trial again, and
// works after what its error says.
func TestDamagedStoreOfModels(t *testing.T) {
	c := newTestCluster(t)
	fetch := func(trial int) error {
		end := c.worker("w", fakeTask{})
		defer end()
		artifacts, err := c.task().Train(soon(t), fakeTrials(trial)[trial-1:], func(float64) {})
		require.NoError(t, err)
		_, err = artifacts[0].Files()
		return err
	}
	require.NoError(t, fetch(1))
	require.NoError(t, fetch(2))
	remove := c.damage("OBJ_"+artifactBucket, "msgs/1.blk")
	require.Error(t, fetch(3), "the store of the queue is damaged: stop the queue, remove the folder "+
		"OBJ_autoblm-artifacts below streams in its store, and start it again")
	remove()
	require.NoError(t, fetch(3))
}

// TestDamagedStoreOfData damages the store of data: a search ends before it begins.
func TestDamagedStoreOfData(t *testing.T) {
	c := newTestCluster(t)
	send := func(triple string) error {
		folder := writeFolder(t, map[string]string{"train.txt": triple})
		cluster := c.connect()
		_, err := NewTask(soon(t), cluster, fakeTask{}, folder, "cpu avx512")
		cluster.remove(t.Context(), cluster.data, "f1.data") // so that each call sends
		return err
	}
	require.NoError(t, send("a\tr\tb\n"))
	remove := c.damage("OBJ_"+dataBucket, "msgs/1.blk")
	require.Error(t, send("a\tr\tc\n"), "remove the folder OBJ_autoblm-data below streams")
	remove()
	require.NoError(t, send("a\tr\tc\n"))
}

// TestDamagedStoreOfQueue damages the state of the queue of an arithmetic.
func TestDamagedStoreOfQueue(t *testing.T) {
	c := newTestCluster(t)
	train := func(n int) error {
		end := c.worker("w", fakeTask{})
		defer end()
		_, err := c.task().Train(soon(t), fakeTrials(n), func(float64) {})
		return err
	}
	require.NoError(t, train(1))
	folder := trialStream + "/obs/" + queueName("cpu avx512")
	remove := c.damage(folder, "o.dat")
	require.Error(t, train(2), "create a queue: the store of the queue is damaged: stop the queue, "+
		"remove the folder "+folder+" below streams")
	remove()
	require.NoError(t, train(2))
}
