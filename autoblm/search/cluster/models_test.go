package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestModelAfterCut asks for a model while the connection of its worker is cut for less than a lease:
// no trial is trained again.
func TestModelAfterCut(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: time.Minute}
	c.start("127.0.0.1:0")
	n := newNetwork(t, c)
	trained := &atomic.Int64{}
	c.url = n.url()
	c.worker("far", fakeTask{trained: trained})
	c.url = ""
	on := c.task()
	artifacts := trainBoth(t, on, fakeTask{}, 3)
	n.proxy.Stop()
	far := artifacts[firstModel(t, artifacts)].(*artifact).from.Models
	for range 100 {
		_, err := on.cluster.conn.Request(subject(artifactSubject, far), nil, time.Second)
		if errors.Is(err, nats.ErrNoResponders) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.AfterFunc(100*time.Millisecond, func() {
		if err := n.proxy.Start(); err != nil {
			t.Error(err)
		}
	})
	i := firstModel(t, artifacts)
	checkArtifact(t, i, artifacts[i])
	if n := trained.Load(); n != 3 {
		t.Errorf("%d trainings of 3 trials", n)
	}
}

// TestModelIsLostAgain loses the model of each training of a trial: the search ends with an error.
func TestModelIsLostAgain(t *testing.T) {
	c := newTestCluster(t)
	on := c.task()
	w := &Worker{
		Cluster: c.connect(), Name: "w", Arithmetic: on.arithmetic,
		queues: map[string]jetstream.Consumer{},
	}
	_, err := w.Cluster.conn.Subscribe(subject(artifactSubject, "process"), func(m *nats.Msg) {
		m.Respond([]byte(modelLost))
	})
	require.NoError(t, err)
	trained := &atomic.Int64{}
	go func() {
		for t.Context().Err() == nil {
			message, err := w.next(t.Context(), w.Arithmetic, true)
			if err != nil || message == nil {
				continue
			}
			work, err := decode[work](message.Data())
			if err != nil {
				t.Error(err)
				return
			}
			key, err := work.key()
			if err != nil {
				t.Error(err)
				return
			}
			trained.Add(1)
			r := result{Version: version, Worker: w.Name, Trial: work.trial(), HasArtifact: true, Models: "process"}
			r.Trial.State = task.Complete
			if err := w.store(t.Context(), key, r); err != nil {
				return
			}
			message.Ack()
		}
	}()
	artifacts, err := on.Train(t.Context(), fakeTrials(1), func(float64) {})
	require.NoError(t, err)
	_, err = artifacts[0].Files()
	require.Error(t, err, "lost 4 times: the model is lost: worker w does not have it")
	// On a busy machine the queue may deliver work twice.
	if n := trained.Load(); n < 1+maxFailures || n > 2*(1+maxFailures) {
		t.Errorf("%d trainings, want %d", n, 1+maxFailures)
	}
}

// TestWorkerIsNotIdle lets one worker fail a trial while the other one is busy: it trains all further
// trials, and leaves the failed one to the other.
func TestWorkerIsNotIdle(t *testing.T) {
	const n = 6
	c := newTestCluster(t)
	isBusy, end, others := make(chan bool, n), make(chan bool), make(chan bool, n)
	c.worker("busy", fakeTask{train: func(context.Context, task.Trial) error {
		isBusy <- true
		<-end
		return nil
	}})
	go func() {
		defer close(end)
		<-isBusy
		hasFailed := &atomic.Bool{}
		c.worker("failing", fakeTask{train: func(context.Context, task.Trial) error {
			if !hasFailed.Swap(true) {
				return errors.New("the disk is full")
			}
			others <- true
			return nil
		}})
		for range n - 2 {
			select {
			case <-others:
			case <-time.After(time.Minute):
				t.Error("the worker that failed one trial trains no other ones")
				return
			}
		}
	}()
	trainBoth(t, c.task(), fakeTask{}, n)
}

// TestWorkersOfOneName: a worker does not answer for the models of another one with its name.
func TestWorkersOfOneName(t *testing.T) {
	c := newTestCluster(t)
	trained := &atomic.Int64{}
	for range 2 {
		c.worker("gpu", fakeTask{trained: trained})
	}
	artifacts := trainBoth(t, c.task(), fakeTask{}, 6)
	before := trained.Load()
	for i, a := range artifacts {
		if a != nil {
			checkArtifact(t, i, a)
		}
	}
	if n := trained.Load(); n != before {
		t.Errorf("%d trials were trained again", n-before)
	}
}

// TestSearchIsRepeated: a search that is repeated after its workers ended trains the trials of its
// models again, however often.
func TestSearchIsRepeated(t *testing.T) {
	c := newTestCluster(t)
	for run := range maxFailures + 3 {
		end := c.worker("gpu", fakeTask{})
		artifacts, err := c.task().Train(t.Context(), fakeTrials(2), func(float64) {})
		require.NoError(t, err)
		if _, err := artifacts[firstModel(t, artifacts)].Files(); err != nil {
			t.Fatalf("search %d: %v", run+1, err)
		}
		end()
	}
}

// TestSlowestTrials: each idle worker gets the slowest trial that no second worker trains or waits for.
func TestSlowestTrials(t *testing.T) {
	start := time.Now().Add(-time.Hour)
	state := func(worker, trial string, minute int) WorkerState {
		return WorkerState{
			Name: worker, Models: worker, Trial: trial, Since: start.Add(time.Duration(minute) * time.Minute),
			Arithmetic: "cpu avx512", Program: program(),
		}
	}
	three := []WorkerState{state("c", "3", 3), state("a", "1", 1), state("b", "2", 2)}
	for name, c := range map[string]struct {
		doubled []string
		more    []WorkerState
		want    string
	}{
		"no idle worker":          {nil, nil, ""},
		"the slowest":             {nil, []WorkerState{state("d", "", 4)}, "1"},
		"two":                     {nil, []WorkerState{state("d", "", 4), state("e", "", 4)}, "12"},
		"one is doubled":          {[]string{"1"}, []WorkerState{state("d", "1", 4), state("e", "", 4)}, "2"},
		"one waits for a worker":  {[]string{"1"}, []WorkerState{state("d", "", 4)}, ""},
		"one waits, two are idle": {[]string{"1"}, []WorkerState{state("d", "", 4), state("e", "", 4)}, "2"},
		"another search trains":   {nil, []WorkerState{state("d", "9", 4)}, ""},
	} {
		r := round{
			arithmetic: "cpu avx512", pending: map[string]work{"1": {}, "2": {}, "3": {}}, doubled: c.doubled,
		}
		got := ""
		for _, s := range r.slowest(append(c.more, three...)) {
			got += s.Trial
		}
		if got != c.want {
			t.Errorf("%s: trials %q are the slowest, want %q", name, got, c.want)
		}
	}
	queued := round{arithmetic: "cpu avx512", pending: map[string]work{"1": {}, "2": {}, "3": {}, "4": {}}}
	if got := queued.slowest(append(three, state("d", "", 4))); got != nil {
		t.Errorf("%v are slow while one trial is queued", got)
	}
}
