package cluster

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/nats-io/nats.go/jetstream"
)

// TestFailedSend fails to send data that the cluster has: they stay. Data without a part of their
// content are removed.
func TestFailedSend(t *testing.T) {
	c := newTestCluster(t)
	cluster := c.connect()
	data := Data{Dataset: "graph", Fingerprint: "f1", Name: "data"}
	from := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	require.NoError(t, cluster.sendData(t.Context(), data, from))
	cluster.keep = 0 // they are old
	err := cluster.sendOnce(t.Context(), cluster.data, data.object(), func(io.Writer) error {
		return errors.New("the disk is broken")
	})
	require.Error(t, err, "the disk is broken")
	_, err = cluster.receiveData(t.Context(), data, t.TempDir())
	require.NoError(t, err)

	info, err := cluster.data.GetInfo(t.Context(), data.object())
	require.NoError(t, err)
	stream, err := cluster.js.Stream(t.Context(), "OBJ_"+dataBucket)
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject(chunks(info))))
	cluster.removePart(t.Context(), cluster.data, data.object())
	_, err = cluster.data.GetInfo(t.Context(), data.object())
	require.Error(t, err, jetstream.ErrObjectNotFound.Error())
}

// TestMissingData gives a worker a trial before the cluster has its data: the worker waits for them
// without an error.
func TestMissingData(t *testing.T) {
	c := newTestCluster(t)
	folder := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	on, err := NewTask(t.Context(), c.connect(), fakeTask{}, folder, "cpu avx512")
	require.NoError(t, err)
	require.NoError(t, on.cluster.data.Delete(t.Context(), on.data.object()))
	heard := &notes{}
	c.note = heard.add
	c.worker("w", fakeTask{})
	ctx := meanwhile(t, func() error {
		if err := heard.await("waiting for the search to send them"); err != nil {
			return err
		}
		return on.keepData(context.Background())
	})
	keepNothing := func(context.Context) error { return nil }
	works := []work{on.work(fakeTrials(1)[0])}
	results, err := on.cluster.train(ctx, works, keepNothing, func(float64) {})
	require.NoError(t, err)
	if results[0].Lost || results[0].Worker != "w" {
		t.Errorf("result %+v", results[0])
	}
	states, err := on.cluster.Workers(t.Context())
	require.NoError(t, err)
	if len(states) != 1 || states[0].Failed > 0 {
		t.Errorf("states of workers: %+v", states)
	}
}

// TestLinkedFolder sends the files of a folder through a link, and refuses to send none.
func TestLinkedFolder(t *testing.T) {
	folder := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip("no links: ", err)
	}
	var archive bytes.Buffer
	require.NoError(t, packFolder(&archive, link, "data"))
	header, err := tar.NewReader(&archive).Next()
	if err != nil || header.Name != "data/train.txt" {
		t.Errorf("%+v, %v", header, err)
	}
	require.Error(t, packFolder(io.Discard, t.TempDir(), "data"), "there are no files in it")
}

// namedTask is a task of a data set that is found by its name.
type namedTask struct{ fakeTask }

func (n namedTask) Identity() (task.Identity, error) {
	identity, err := n.fakeTask.Identity()
	identity.Source = "made"
	return identity, err
}

// TestSourceOfModels checks that a model of a worker with a relative folder records the path of the
// data at the coordinator, as a model that the coordinator trains.
func TestSourceOfModels(t *testing.T) {
	c := newTestCluster(t)
	from := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	on, err := NewTask(t.Context(), c.connect(), namedTask{}, from, "cpu avx512")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	description := ""
	w := &Worker{Cluster: c.connect(), Folder: "cache"}
	w.Open = func(_ context.Context, _ Data, path, _ string) (task.Task, func(), error) {
		path, err := filepath.Abs(path)
		description = fmt.Sprintf(`{"source": %q}`, path)
		return fakeTask{}, func() {}, err
	}
	_, err = w.open(t.Context(), on.data, "")
	require.NoError(t, err)
	want := fmt.Sprintf(`{"source": %q}`, from)
	if got := string(w.describe([]byte(description), on.data)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestChangedData fetches data again if the files that a worker kept were changed.
func TestChangedData(t *testing.T) {
	c := newTestCluster(t)
	content := "a\tr\tb\n"
	from := writeFolder(t, map[string]string{"train.txt": content})
	on, err := NewTask(t.Context(), c.connect(), fakeTask{}, from, "cpu avx512")
	require.NoError(t, err)
	w := &Worker{Cluster: c.connect(), Folder: t.TempDir()}
	w.Open = func(_ context.Context, _ Data, path, _ string) (task.Task, func(), error) {
		got, err := os.ReadFile(filepath.Join(path, "train.txt"))
		if err == nil && string(got) != content {
			err = errors.New("changed")
		}
		return fakeTask{}, func() {}, err
	}
	for _, written := range []string{content, ""} {
		_, err := w.open(t.Context(), on.data, "")
		require.NoError(t, err)
		w.close()
		kept := filepath.Join(on.data.pathIn(filepath.Join(w.Folder, "data")), "train.txt")
		require.NoError(t, os.WriteFile(kept, []byte(written), 0o600))
	}
	_, err = w.open(t.Context(), on.data, "")
	require.NoError(t, err)
}
