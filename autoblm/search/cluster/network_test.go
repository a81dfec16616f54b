package cluster

import (
	"context"
	"strings"
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

// TestNetwork disturbs the connection of a worker or of the coordinator while trials train: the
// results are those of one machine.
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
				begun := make(chan bool, 100)
				slow := fakeTask{train: func(context.Context, task.Trial) error {
					begun <- true
					time.Sleep(200 * time.Millisecond)
					return nil
				}}
				c.worker("near", slow)
				if c.url = n.url(); of == "worker" {
					c.worker("far", slow)
					c.url = ""
				}
				on := c.task()
				disturbed := make(chan bool)
				go func() {
					defer close(disturbed)
					<-begun
					disturbance(n)
				}()
				trainBoth(t, on, fakeTask{}, 40)
				<-disturbed
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
