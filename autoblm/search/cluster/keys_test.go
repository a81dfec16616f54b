package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// newKeyFile makes a key and returns the file of its seed.
func newKeyFile(t *testing.T, public *string) string {
	t.Helper()
	key, err := NewKey()
	require.NoError(t, err)
	*public = key.Public
	path := filepath.Join(t.TempDir(), "key.nk")
	require.NoError(t, os.WriteFile(path, []byte(key.Seed+"\n"), 0o600))
	return path
}

// otherData is a task whose data are not on the cluster.
type otherData struct{ fakeTask }

func (otherData) Identity() (task.Identity, error) {
	return task.Identity{Task: "fake", Dataset: "other", Fingerprint: "f3"}, nil
}

// TestKeys trains on a server that knows a coordinator and a worker. The worker can do its work,
// including the model and the data, but can neither publish or withdraw a trial nor change the data.
func TestKeys(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease}
	coordinatorKey, workerKey := newKeyFile(t, &c.users.Coordinator), newKeyFile(t, &c.users.Worker)
	c.start("127.0.0.1:0")
	c.key = coordinatorKey
	folder := writeFolder(t, map[string]string{"train.txt": "a\tr\tb\n"})
	coordinator := c.connect()
	on, err := NewTask(t.Context(), coordinator, fakeTask{}, folder, "cpu avx512")
	require.NoError(t, err)
	c.key = workerKey
	c.worker("w", fakeTask{})
	artifacts := trainBoth(t, on, fakeTask{}, 3)
	i := firstModel(t, artifacts)
	checkArtifact(t, i, artifacts[i])

	worker := c.connect()
	actions := map[string]func(context.Context, *Cluster) error{
		"publish a trial": func(ctx context.Context, c *Cluster) error {
			_, err := c.js.Publish(ctx, subject(trialSubjects, "x", "y"), nil)
			return err
		},
		"send data": func(ctx context.Context, c *Cluster) error {
			_, err := c.data.PutString(ctx, "f2", "other")
			return err
		},
		"purge the queue": func(ctx context.Context, c *Cluster) error { return c.trials.Purge(ctx) },
		"send messages to the queue by a consumer": func(ctx context.Context, c *Cluster) error {
			_, err := c.js.CreatePushConsumer(ctx, "KV_"+workerBucket, jetstream.ConsumerConfig{
				DeliverSubject: subject(trialSubjects, "x", "z"),
			})
			return err
		},
		"change a queue": func(ctx context.Context, c *Cluster) error {
			return c.addQueue(ctx, "cpu avx512")
		},
		"delete the results": func(ctx context.Context, c *Cluster) error {
			return c.js.DeleteStream(ctx, "KV_"+resultBucket)
		},
	}
	for name, act := range actions {
		for _, by := range []struct {
			cluster *Cluster
			may     bool
		}{{worker, false}, {coordinator, true}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := act(ctx, by.cluster); (err == nil) != by.may {
				t.Errorf("%s: allowed %t, want %t (%v)", name, err == nil, by.may, err)
			}
			cancel()
		}
	}
	_, err = NewTask(t.Context(), worker, otherData{}, folder, "cpu avx512")
	require.Error(t, err, "such as the coordinator's")
	ctx, cancel := context.WithTimeout(t.Context(), 2*testLease)
	defer cancel()
	w := &Worker{Cluster: coordinator, Name: "other", Arithmetic: "cpu avx512", Folder: t.TempDir()}
	if err := w.Run(ctx); !errors.Is(err, nats.ErrPermissionViolation) || ctx.Err() != nil {
		t.Errorf("a worker with the key of a coordinator: %v", err)
	}
	for owner, by := range map[*Cluster]*Cluster{coordinator: worker, worker: coordinator} {
		subscription, err := by.conn.SubscribeSync(inboxOf(owner.conn.Opts.Nkey) + ".>")
		require.NoError(t, err)
		require.NoError(t, by.conn.Flush())
		if err := by.conn.LastError(); !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("listening to the answers for others: %v", err)
		}
		subscription.Unsubscribe()
	}
	c.key = ""
	if _, err := Connect(t.Context(), Options{URL: c.server.URL()}); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("a connection without a key: %v", err)
	}
}

// TestOtherKeys ends a worker whose key the server does not accept anymore.
func TestOtherKeys(t *testing.T) {
	c := &testCluster{t: t, store: t.TempDir(), lease: testLease}
	newKeyFile(t, &c.users.Coordinator)
	c.key = newKeyFile(t, &c.users.Worker)
	c.start("127.0.0.1:0")
	w := &Worker{Cluster: c.connect(), Name: "w", Arithmetic: "cpu avx512", Folder: t.TempDir()}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(t.Context()) }()
	addr := strings.TrimPrefix(c.server.URL(), "nats://")
	c.server.Close()
	newKeyFile(t, &c.users.Worker)
	c.start(addr)
	require.Error(t, <-ended, "name a key of this cluster")
	_, err := Connect(t.Context(), Options{URL: c.server.URL(), NKey: c.key, IsWorker: true})
	require.Error(t, err, "name a key of this cluster")
}

// TestOpenServer refuses addresses that others can reach, without keys or without TLS.
func TestOpenServer(t *testing.T) {
	var users Users
	newKeyFile(t, &users.Coordinator)
	newKeyFile(t, &users.Worker)
	for _, o := range []struct {
		options ServerOptions
		want    string
	}{
		{ServerOptions{Addr: "0.0.0.0:0"}, "keys are needed"},
		{ServerOptions{Addr: ":0"}, "keys are needed"},
		{ServerOptions{Addr: "example.org:0"}, "keys are needed"},
		{ServerOptions{Addr: "0.0.0.0:0", Users: users}, "TLS is needed"},
		{ServerOptions{Addr: "127.0.0.1:0", Users: Users{"a", "b"}}, "not a public user nkey"},
		{ServerOptions{Addr: "127.0.0.1:0", TLSCA: "ca.pem"}, "set tls-cert"},
		{ServerOptions{Addr: "127.0.0.1:0", TLSKey: "key.pem"}, "set tls-cert"},
	} {
		o.options.Store = t.TempDir()
		_, err := Serve(o.options)
		require.Error(t, err, o.want)
	}
}

// TestUsers refuses files of keys that would leave the server open.
func TestUsers(t *testing.T) {
	key, err := NewKey()
	require.NoError(t, err)
	for content, want := range map[string]string{
		`{}`: "no keys", `null`: "no keys",
		`{"coordinator":"` + key.Public + `"}`:                                "of the worker",
		`{"coordinator":"a","worker":"` + key.Public + `"}`:                   "of the coordinator",
		`{"coordinator":"` + key.Public + `","workers":"` + key.Public + `"}`: "unknown field",
	} {
		_, err := ReadUsers(strings.NewReader(content))
		require.Error(t, err, want)
	}
	content := `{"coordinator":"` + key.Public + `","worker":"` + key.Public + `"}`
	_, err = ReadUsers(strings.NewReader(content))
	require.NoError(t, err)
}

// TestTakenPort ends at once with the error of the server.
func TestTakenPort(t *testing.T) {
	c := newTestCluster(t)
	addr := strings.TrimPrefix(c.server.URL(), "nats://")
	_, err := Serve(ServerOptions{Addr: addr, Store: t.TempDir()})
	require.Error(t, err, "address already in use")
}
