package cluster

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/rs/zerolog"
)

// network is a connection to a server that a test can disturb.
type network struct {
	t     *testing.T
	proxy *toxiproxy.Proxy
}

// newNetwork starts a proxy in front of a server.
func newNetwork(t *testing.T, c *testCluster) network {
	t.Helper()
	s := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(s, t.Name(), "127.0.0.1:0", strings.TrimPrefix(c.server.URL(), "nats://"))
	require.NoError(t, p.Start())
	t.Cleanup(p.Stop)
	return network{t, p}
}

func (n network) url() string { return "nats://" + n.proxy.Listen }

// disturb adds a toxic to both directions, and returns a function that removes it.
func (n network) disturb(kind, attributes string) (end func()) {
	for _, direction := range []string{"upstream", "downstream"} {
		_, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(`{"name":"` + direction + `","type":"` +
			kind + `","stream":"` + direction + `","attributes":` + attributes + `}`))
		if err != nil {
			n.t.Error(err)
		}
	}
	return func() { n.proxy.Toxics.ResetToxics(context.Background()) }
}

// networkWorkers train the trials of TestNetwork. Before the disturbance ends, each one completes few,
// so that it meets many; then the near worker waits for a trial of the far one.
type networkWorkers struct {
	begun, disturbed, returned chan bool
	begin, back                sync.Once

	mu        sync.Mutex
	trainings map[uint64]int // by the seed of the trial
}

// task returns the task of a worker.
func (n *networkWorkers) task(isFar, waitsForFar bool) fakeTask {
	const before = 10 // trials in one disturbance
	taken := 0
	return fakeTask{train: func(ctx context.Context, trial task.Trial) error {
		n.begin.Do(func() { close(n.begun) })
		isAfter := false
		select {
		case <-n.disturbed:
			isAfter = true
		default:
		}
		time.Sleep(200 * time.Millisecond)
		var until chan bool
		switch taken++; {
		case isAfter && isFar:
			n.back.Do(func() { close(n.returned) })
		case isAfter && waitsForFar:
			until = n.returned
		case !isAfter && taken > before:
			until = n.disturbed
		}
		if until != nil {
			select {
			case <-until:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.trainings[trial.Recipe.Seed]++
		return nil
	}}
}

// TestNetwork disturbs the connection of a worker or of the coordinator while trials train: the
// results are those of one machine, no trial trains more than twice, and the worker trains again
// after the disturbance.
func TestNetwork(t *testing.T) {
	disturbances := map[string]func(network){
		"latency": func(n network) {
			defer n.disturb("latency", `{"latency":100,"jitter":80}`)()
			time.Sleep(2 * testLease)
		},
		"cuts": func(n network) {
			for range 5 {
				n.proxy.Stop()
				time.Sleep(100 * time.Millisecond)
				if err := n.proxy.Start(); err != nil {
					n.t.Error(err)
				}
				time.Sleep(testLease)
			}
		},
		// Nothing arrives, but the connections stay open.
		"partition": func(n network) {
			defer n.disturb("timeout", `{"timeout":0}`)()
			time.Sleep(3 * testLease)
		},
	}
	for name, disturbance := range disturbances {
		for _, of := range []string{"worker", "coordinator"} {
			t.Run(name+" of the "+of, func(t *testing.T) {
				t.Parallel()
				c := newTestCluster(t)
				n := newNetwork(t, c)
				workers := &networkWorkers{
					begun: make(chan bool), disturbed: make(chan bool), returned: make(chan bool),
					trainings: map[uint64]int{},
				}
				c.worker("near", workers.task(false, of == "worker"))
				if c.url = n.url(); of == "worker" {
					c.worker("far", workers.task(true, false))
					c.url = ""
				}
				on := c.task()
				go func() {
					defer close(workers.disturbed)
					select {
					case <-workers.begun:
						disturbance(n)
					case <-t.Context().Done():
					}
				}()
				t.Cleanup(func() { <-workers.disturbed })
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				trainBothUntil(ctx, t, on, fakeTask{}, 40)
				if of == "worker" {
					select {
					case <-workers.returned:
					default:
						t.Error("the far worker trained no trial after the disturbance")
					}
				}
				workers.mu.Lock()
				defer workers.mu.Unlock()
				for seed, times := range workers.trainings {
					if times > 2 {
						t.Errorf("trial %d was trained %d times", seed, times)
					}
				}
			})
		}
	}
}

// TestSlowCoordinator reads results more slowly than they arrive.
func TestSlowCoordinator(t *testing.T) {
	c := newTestCluster(t)
	c.worker("w1", fakeTask{})
	c.worker("w2", fakeTask{})
	on := c.task()
	got, want := fakeTrials(400), fakeTrials(400)
	_, err := on.Train(t.Context(), got, func(float64) { time.Sleep(10 * time.Millisecond) })
	require.NoError(t, err)
	_, err = fakeTask{}.Train(t.Context(), want, func(float64) {})
	require.NoError(t, err)
	for i := range want {
		if got[i].State != want[i].State || got[i].Loss[0] != want[i].Loss[0] {
			t.Errorf("trial %d: %v %v, want %v %v", i, got[i].State, got[i].Loss, want[i].State, want[i].Loss)
		}
	}
}

// TestDuplicateResult keeps the first of two results.
func TestDuplicateResult(t *testing.T) {
	c := newTestCluster(t)
	cluster := c.connect()
	for _, name := range []string{"first", "second"} {
		w := &Worker{Cluster: cluster, Name: name}
		require.NoError(t, w.store(t.Context(), "key", result{Version: version, Worker: name}))
	}
	entry, err := cluster.results.Get(t.Context(), "key")
	require.NoError(t, err)
	if r, err := decode[result](entry.Value()); err != nil || r.Worker != "first" {
		t.Errorf("the result of %q, %v", r.Worker, err)
	}
}

// TestLateResult ends a search whose worker does not stop. The same search finds the late result.
func TestLateResult(t *testing.T) {
	c := newTestCluster(t)
	begun, end := make(chan bool, 10), make(chan bool)
	c.worker("w", fakeTask{train: func(context.Context, task.Trial) error {
		begun <- true
		<-end
		return nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	on := c.task()
	_, err := on.Train(ctx, fakeTrials(1), func(float64) {})
	require.Error(t, err, "canceled")
	key, err := on.work(fakeTrials(1)[0]).key()
	require.NoError(t, err)
	late := &Worker{Cluster: on.cluster, Name: "late"}
	trials := fakeTrials(1)
	_, err = fakeTask{}.Train(t.Context(), trials, func(float64) {})
	require.NoError(t, err)
	require.NoError(t, late.store(t.Context(), key, result{Version: version, Worker: "late", Trial: trials[0]}))
	close(end)
	got := fakeTrials(1)
	_, err = on.Train(t.Context(), got, func(float64) {})
	require.NoError(t, err)
	if got[0].State != trials[0].State || len(begun) > 0 {
		t.Errorf("state %s after %d further trainings", got[0].State, len(begun))
	}
}
