package cluster

import (
	"context"
	"errors"
	"os"
	"strings"
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
	got, want := fakeTrials(n), fakeTrials(n)
	artifacts, err := on.Train(t.Context(), got, func(float64) {})
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
	lost.Open = func(context.Context, Data, string) (task.Task, func(), error) {
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

// TestTrialThatKillsWorkers gives up a trial after three lost workers.
func TestTrialThatKillsWorkers(t *testing.T) {
	c := newTestCluster(t)
	taken := make(chan string, 10)
	start := func(name string) {
		w := &Worker{Cluster: c.connect(), Name: name, Arithmetic: "cpu avx512", Folder: t.TempDir()}
		w.Open = func(context.Context, Data, string) (task.Task, func(), error) {
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
	if got := trials[0]; got.State != task.Failed || !strings.Contains(got.Error, "3 workers were lost or failed") ||
		artifacts[0] != nil {
		t.Errorf("state %s, error %q", got.State, got.Error)
	}
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
	stopped := make(chan error, 1)
	c.worker("slow", fakeTask{train: func(ctx context.Context, _ task.Trial) error {
		<-ctx.Done()
		stopped <- context.Cause(ctx)
		return ctx.Err()
	}})
	go func() {
		time.Sleep(time.Second)
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
	if data.Name, err = cluster.sendData(t.Context(), data, from); err != nil || data.Name != "graph" {
		t.Fatal(data.Name, err)
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
