package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// trainBoth trains trials on the cluster and in this process, and compares the results.
func trainBoth(t *testing.T, on task.Task, locally task.Task, n int) (artifacts []task.Artifact) {
	t.Helper()
	return trainBothUntil(t.Context(), t, on, locally, n)
}

// trainBothUntil is trainBoth, and fails if ctx ends.
func trainBothUntil(
	ctx context.Context, t *testing.T, on task.Task, locally task.Task, n int,
) (artifacts []task.Artifact) {
	t.Helper()
	got, want := fakeTrials(n), fakeTrials(n)
	artifacts, err := on.Train(ctx, got, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := locally.Train(t.Context(), want, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(form.Form{}, structure.Structure{})); diff != "" {
		t.Errorf("trials on the cluster differ (-one machine +cluster):\n%s", diff)
	}
	for i := range wanted {
		if (wanted[i] == nil) != (artifacts[i] == nil) {
			t.Errorf("trial %d: has a model: %t, want %t", i, artifacts[i] != nil, wanted[i] != nil)
		}
	}
	return artifacts
}

// checkArtifact compares a model with that of one machine.
func checkArtifact(t *testing.T, number int, got task.Artifact) {
	t.Helper()
	wanted, err := fakeTask{}.Train(t.Context(), fakeTrials(number + 1)[number:], func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	want, err := wanted[0].Files()
	if err != nil {
		t.Fatal(err)
	}
	files, err := got.Files()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("model of trial %d (-one machine +cluster):\n%s", number, diff)
	}
}

func firstModel(t *testing.T, artifacts []task.Artifact) int {
	t.Helper()
	for i, a := range artifacts {
		if a != nil {
			return i
		}
	}
	t.Fatal("no trial has a model")
	return 0
}

// TestSameResults trains on three workers, also with another split and with limits, and fetches a
// model.
func TestSameResults(t *testing.T) {
	c := newTestCluster(t)
	trained := &atomic.Int64{}
	for _, name := range []string{"w1", "w2", "w3"} {
		c.worker(name, fakeTask{trained: trained})
	}
	on := c.task()
	artifacts := trainBoth(t, on, fakeTask{}, 20)
	i := firstModel(t, artifacts)
	checkArtifact(t, i, artifacts[i])
	trainBoth(t, on.Resplit(2), fakeTask{split: 2}, 3)
	trainBoth(t, on.Limit(eval.Limits{Valid: 5}), fakeTask{limits: eval.Limits{Valid: 5}}, 3)
	if n := trained.Load(); n != 26 {
		t.Errorf("%d trainings of 26 trials", n)
	}
	// A coordinator that starts again finds the results.
	trainBoth(t, c.task(), fakeTask{}, 20)
	if n := trained.Load(); n != 26 {
		t.Errorf("%d trainings of 26 trials after a repetition", n)
	}
}

// TestLostWorker loses a worker in each of two trainings: others train the trials.
func TestLostWorker(t *testing.T) {
	c := newTestCluster(t)
	taken := make(chan *Worker, 1)
	lost := &Worker{Cluster: c.connect(), Name: "lost", Arithmetic: "cpu avx512", Folder: t.TempDir()}
	lost.Open = func(context.Context, Data, string, string) (task.Task, func(), error) {
		return fakeTask{train: func(ctx context.Context, _ task.Trial) error {
			taken <- lost
			<-ctx.Done()
			return ctx.Err()
		}}, func() {}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go lost.Run(ctx)
	go func() {
		w := <-taken
		w.Cluster.conn.Close() // as if the machine were gone
		c.worker("rest", fakeTask{})
	}()
	trainBoth(t, c.task(), fakeTask{}, 5)
}

// TestTrialThatKillsWorkers gives up a trial after three lost workers. A repetition tries it again.
func TestTrialThatKillsWorkers(t *testing.T) {
	c := newTestCluster(t)
	taken := make(chan string, 10)
	start := func(name string) {
		w := &Worker{Cluster: c.connect(), Name: name, Arithmetic: "cpu avx512", Folder: t.TempDir()}
		w.Open = func(context.Context, Data, string, string) (task.Task, func(), error) {
			return fakeTask{train: func(ctx context.Context, _ task.Trial) error {
				w.Cluster.conn.Close()
				taken <- name
				<-ctx.Done()
				return ctx.Err()
			}}, func() {}, nil
		}
		go w.Run(t.Context())
	}
	go func() {
		for _, name := range []string{"a", "b", "c"} {
			start(name)
			<-taken
		}
		c.worker("last", fakeTask{})
	}()
	trials := fakeTrials(1)
	artifacts, err := c.task().Train(t.Context(), trials, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := trials[0]; got.State != task.Lost || !strings.Contains(got.Error, "3 workers were lost or failed") ||
		artifacts[0] != nil {
		t.Errorf("state %s, error %q", got.State, got.Error)
	}
	trainBoth(t, c.task(), fakeTask{}, 1)
}

// TestLostModel asks for the model of a worker that has ended: another one trains the trial again.
func TestLostModel(t *testing.T) {
	c := newTestCluster(t)
	end := c.worker("first", fakeTask{})
	artifacts := trainBoth(t, c.task(), fakeTask{}, 3)
	end()
	trained := &atomic.Int64{}
	c.worker("second", fakeTask{trained: trained})
	i := firstModel(t, artifacts)
	checkArtifact(t, i, artifacts[i])
	if n := trained.Load(); n != 1 {
		t.Errorf("%d trainings for one lost model", n)
	}
}

// TestWithdrawal ends a search while its trials train: workers stop, and the queue is empty.
func TestWithdrawal(t *testing.T) {
	c := newTestCluster(t)
	begun, stopped := make(chan bool, 1), make(chan error, 1)
	c.worker("w", fakeTask{train: func(ctx context.Context, _ task.Trial) error {
		begun <- true
		<-ctx.Done()
		stopped <- context.Cause(ctx)
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	on := c.task()
	if _, err := on.Train(ctx, fakeTrials(5), func(float64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("the training of a cancelled search: %v", err)
	}
	if err := <-stopped; !errors.Is(err, errWithdrawn) {
		t.Errorf("the worker stopped because of: %v", err)
	}
	for range 50 { // the acknowledgement follows
		info, err := on.cluster.trials.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("withdrawn trials are still queued")
}

// TestRestartedServer stops the server while trials train, and starts it again.
func TestRestartedServer(t *testing.T) {
	c := newTestCluster(t)
	begun := make(chan bool, 100)
	slow := fakeTask{train: func(context.Context, task.Trial) error {
		begun <- true
		time.Sleep(100 * time.Millisecond)
		return nil
	}}
	c.worker("w1", slow)
	c.worker("w2", slow)
	on := c.task()
	go func() {
		<-begun
		<-begun
		addr := strings.TrimPrefix(c.server.URL(), "nats://")
		c.server.Close()
		time.Sleep(time.Second)
		c.start(addr)
	}()
	trainBoth(t, on, fakeTask{}, 12)
}

// TestOtherArithmetic leaves trials to workers of their arithmetic, unless any may train them.
func TestOtherArithmetic(t *testing.T) {
	c := newTestCluster(t)
	c.workerWith("other", "cpu avx2", fakeTask{})
	on := c.task()
	ctx, cancel := context.WithTimeout(t.Context(), 2*c.lease)
	defer cancel()
	if _, err := on.Train(ctx, fakeTrials(1), func(float64) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a worker of another arithmetic trained a trial: %v", err)
	}
	on.arithmetic = ""
	trainBoth(t, on, fakeTask{}, 2)
}

// TestSlowTrialIsDoubled lets an idle worker train the last trial too; the first result counts.
func TestSlowTrialIsDoubled(t *testing.T) {
	c := newTestCluster(t)
	began, stopped := make(chan struct{}, 1), make(chan error, 1)
	c.worker("slow", fakeTask{train: func(ctx context.Context, _ task.Trial) error {
		began <- struct{}{}
		<-ctx.Done()
		stopped <- context.Cause(ctx)
		return ctx.Err()
	}})
	go func() {
		<-began // a busy machine may take long to start the slow worker
		c.worker("fast", fakeTask{})
	}()
	trainBoth(t, c.task(), fakeTask{}, 1)
	if err := <-stopped; !errors.Is(err, errWithdrawn) {
		t.Errorf("the slow worker stopped because of: %v", err)
	}
}

// TestData sends a folder to a worker, which keeps it.
func TestData(t *testing.T) {
	c := newTestCluster(t)
	files := map[string]string{"train.txt": "a\tr\tb\n", "more/valid.txt": "", ".hidden": "no"}
	from := writeFolder(t, files)
	cluster := c.connect()
	data := Data{Dataset: "graph", Fingerprint: "f1"}
	var err error
	if data.Name, err = sentName(from); err != nil || data.Name != "data" {
		t.Fatal(data.Name, err)
	}
	if err := cluster.sendData(t.Context(), data, from); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for range 2 {
		path, err := cluster.receiveData(t.Context(), data, folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(t.TempDir(), os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			got, err := os.ReadFile(path + "/" + name)
			if isHidden := name[0] == '.'; isHidden != (err != nil) || !isHidden && string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	for _, wrong := range []Data{{Name: "../x", Fingerprint: "f1"}, {Name: "x", Fingerprint: "../f1"}} {
		if _, err := cluster.receiveData(t.Context(), wrong, folder); err == nil {
			t.Errorf("data with the names %+v were accepted", wrong)
		}
	}
}

// TestDataUnderOtherNames receives data that were sent from folders and files of different names.
func TestDataUnderOtherNames(t *testing.T) {
	c := newTestCluster(t)
	cluster, folder := c.connect(), t.TempDir()
	from := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n", "my.facts.TSV.gz": "x"})
	other := filepath.Join(t.TempDir(), "other")
	if err := os.CopyFS(other, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		from: "data", other: "data", filepath.Join(from, "my.facts.TSV.gz"): "data.TSV.gz",
	} {
		data := Data{Dataset: filepath.Base(source), Fingerprint: "f1"}
		var err error
		if data.Name, err = sentName(source); err != nil || data.Name != want {
			t.Fatalf("%s is sent as %q, want %q: %v", source, data.Name, want, err)
		}
		if err := cluster.sendData(t.Context(), data, source); err != nil {
			t.Fatal(err)
		}
		path, err := cluster.receiveData(t.Context(), data, folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestDescription gives models the name and the source of the data at the coordinator.
func TestDescription(t *testing.T) {
	w := &Worker{opened: &openTask{name: "data", path: "/cache/f1/data"}}
	here := []byte(`{"dataset": "data", "source":"/cache/f1/data", "other": "data"}`)
	for _, o := range []struct {
		data Data
		want string
	}{
		{Data{Dataset: "graph", Source: "/home/graph"},
			`{"dataset": "graph", "source":"/home/graph", "other": "data"}`},
		{Data{Dataset: "graph"}, `{"dataset": "graph", "source":"/cache/f1/data", "other": "data"}`},
		{Data{Dataset: "world", Source: "world", IsEmbedded: true}, string(here)},
	} {
		if got := string(w.describe(here, o.data)); got != o.want {
			t.Errorf("%s, want %s", got, o.want)
		}
	}
}

// TestLongDownload reads data for longer than the client's default time for a call.
func TestLongDownload(t *testing.T) {
	c := newTestCluster(t)
	cluster := c.connect()
	content := make([]byte, 8<<20)
	rand.Read(content)
	from := writeFolder(t, map[string]string{"train.txt": string(content)})
	data := Data{Fingerprint: "f1", Name: "data"}
	if err := cluster.sendData(t.Context(), data, from); err != nil {
		t.Fatal(err)
	}
	err := cluster.receive(t.Context(), cluster.data, data.object(), func(_ string, r io.Reader) error {
		got := make([]byte, len(content))
		_, err := io.ReadFull(r, got[:1000])
		time.Sleep(6 * time.Second)
		if err == nil {
			_, err = io.ReadFull(r, got[1000:])
		}
		if !bytes.Equal(got, content) {
			t.Error("other content")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// A download without bytes fails.
	cluster.idle = 100 * time.Millisecond
	err = cluster.receive(t.Context(), cluster.data, data.object(), func(_ string, r io.Reader) error {
		_, err := io.ReadFull(r, make([]byte, 1000))
		c.server.Close()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		return err
	})
	if err == nil {
		t.Error("a download without a server ended without an error")
	}
}

// TestDamagedModel fetches a model that is damaged on the server: the worker sends it again.
func TestDamagedModel(t *testing.T) {
	c := newTestCluster(t)
	c.worker("w", fakeTask{})
	on := c.task()
	artifacts := trainBoth(t, on, fakeTask{}, 3)
	i := firstModel(t, artifacts)
	key, err := artifacts[i].(*artifact).work.key()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := on.cluster.artifacts.PutString(t.Context(), key, "no archive"); err != nil {
		t.Fatal(err)
	}
	checkArtifact(t, i, artifacts[i])
}

// TestWorkerError leaves the trial of a worker with an error to another worker. Without one, the
// search ends with the error, and a repetition trains the trial.
func TestWorkerError(t *testing.T) {
	c := newTestCluster(t)
	tried := make(chan bool, 100)
	broken := fakeTask{train: func(context.Context, task.Trial) error {
		tried <- true
		return errors.New("the disk is full")
	}}
	end := c.worker("broken", broken)
	on := c.task()
	_, err := on.Train(t.Context(), fakeTrials(1), func(float64) {})
	if err == nil || !strings.Contains(err.Error(), "worker broken: the disk is full") {
		t.Fatalf("the search ended with: %v", err)
	}
	if n := len(tried); n != maxFailures {
		t.Errorf("%d attempts, want %d", n, maxFailures)
	}
	go func() {
		for range maxFailures + 1 {
			<-tried
		}
		c.worker("healthy", fakeTask{})
	}()
	trainBoth(t, on, fakeTask{}, 1)
	end()
}

// TestSickWorker trains on a worker whose trainings all fail and one that is healthy: the failing one
// leaves all trials to the other.
func TestSickWorker(t *testing.T) {
	c := newTestCluster(t)
	var tried sync.Map // number of attempts by trial
	c.worker("sick", fakeTask{train: func(_ context.Context, trial task.Trial) error {
		n, _ := tried.LoadOrStore(trial.Recipe.Seed, &atomic.Int64{})
		n.(*atomic.Int64).Add(1)
		return errors.New("the disk is full")
	}})
	c.worker("healthy", fakeTask{train: func(context.Context, task.Trial) error {
		time.Sleep(300 * time.Millisecond)
		return nil
	}})
	trainBoth(t, c.task(), fakeTask{}, 20)
	attempts := 0
	tried.Range(func(_, n any) bool {
		attempts++
		if n := n.(*atomic.Int64).Load(); n > 1 {
			t.Errorf("the failing worker tried a trial %d times", n)
		}
		return true
	})
	if attempts == 0 {
		t.Error("the failing worker tried no trial")
	}
}

// TestServerAway keeps the server away for longer than a lease, three times during one
// training: the trial is not given up, and trains at most twice.
func TestServerAway(t *testing.T) {
	c := newTestCluster(t)
	begun, trained := make(chan bool, 10), &atomic.Int64{}
	end := make(chan bool)
	slow := fakeTask{trained: trained, train: func(context.Context, task.Trial) error {
		begun <- true
		<-end
		return nil
	}}
	for _, name := range []string{"w1", "w2", "w3"} {
		c.worker(name, slow)
	}
	on := c.task()
	go func() {
		<-begun
		addr := strings.TrimPrefix(c.server.URL(), "nats://")
		for range 3 {
			c.server.Close()
			time.Sleep(c.lease * 4 / 3)
			c.start(addr)
			time.Sleep(3 * c.lease)
		}
		close(end)
	}()
	trainBoth(t, on, fakeTask{}, 1)
	if n := trained.Load(); n > 2 {
		t.Errorf("one trial was trained %d times", n)
	}
}

// TestNewStore starts the server again with an empty store: workers and searches go on.
func TestNewStore(t *testing.T) {
	c := newTestCluster(t)
	c.worker("w", fakeTask{})
	trainBoth(t, c.task(), fakeTask{}, 2)
	addr := strings.TrimPrefix(c.server.URL(), "nats://")
	c.server.Close()
	c.store = t.TempDir()
	c.start(addr)
	trainBoth(t, c.task(), fakeTask{}, 2)
}

// TestRelativeFolder trains with two workers that have the same name and a relative folder.
func TestRelativeFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	c := newTestCluster(t)
	taken := make(chan bool, 2)
	both := fakeTask{train: func(context.Context, task.Trial) error {
		taken <- true
		for len(taken) < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	}}
	for range 2 {
		w := &Worker{Cluster: c.connect(), Name: "same", Arithmetic: "cpu avx512", Folder: "cache"}
		w.Open = func(context.Context, Data, string, string) (task.Task, func(), error) {
			return both, func() {}, nil
		}
		go w.Run(t.Context())
	}
	trainBoth(t, c.task(), fakeTask{}, 2)
	if folders, _ := filepath.Glob("cache/models-same-*"); len(folders) != 2 {
		t.Errorf("folders of models: %v, want 2", folders)
	}
}

// TestMeasuredTrials checks that trials which are timed train here, and each time again.
func TestMeasuredTrials(t *testing.T) {
	c := newTestCluster(t) // without workers
	on, trained := c.task(), &atomic.Int64{}
	on.Task = fakeTask{trained: trained}
	for range 2 {
		if _, err := on.Train(task.Measuring(t.Context()), fakeTrials(3), func(float64) {}); err != nil {
			t.Fatal(err)
		}
	}
	if n := trained.Load(); n != 6 {
		t.Errorf("%d trainings, want 2 of 3 trials", n)
	}
}
