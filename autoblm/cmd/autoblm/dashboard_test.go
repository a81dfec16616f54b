package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/nats-io/nats-server/v2/server"
)

// startDashboard runs the dashboard like [startServer].
func startDashboard(t *testing.T, line ...string) (first string, stop func() (status int, stderr string)) {
	t.Helper()
	return startServer(t, append([]string{"dashboard"}, line...)...)
}

// startServer runs a server in this process until the test stops it, and returns its first line and
// what it says besides.
func startServer(t *testing.T, line ...string) (first string, stop func() (status int, stderr string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var messages strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, words(line), write, &messages)
		_ = write.Close()
	}()
	reader := bufio.NewReader(read)
	first, err := reader.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: status %d, %s", err, <-status, messages.String())
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return first, func() (int, string) {
		cancel()
		return <-status, messages.String()
	}
}

// TestDashboard: the dashboard prints its address, shows the studies of a folder, and ends well
// when it is interrupted.
func TestDashboard(t *testing.T) {
	dir := t.TempDir()
	object(t, searchIn(dir, smallGraph(t)))
	first, stop := startDashboard(t, dir, "--addr 127.0.0.1:0 --json")
	var o map[string]any
	must(t, json.Unmarshal([]byte(first), &o))
	has(t, o, fields{"folder": dir})
	answer, err := http.Get(get(o, "url").(string))
	must(t, err)
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	contains(t, string(body), `"dataset":"small"`, `"state":"finished"`, `"trained":10`)
	if status, stderr := stop(); status != cli.Done || stderr != "" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestDashboardShowsCluster: with --cluster the list follows the workers and the queue.
func TestDashboardShowsCluster(t *testing.T) {
	dir := t.TempDir()
	var queue, shown struct{ URL string }
	first, stop := startServer(t, "cluster serve --json --addr 127.0.0.1:0 --store", dir+"/queue")
	defer stop()
	must(t, json.Unmarshal([]byte(first), &queue))
	_, end := startServer(t, "worker --threads 1 --name w1 --cache", dir+"/w1", "--cluster", queue.URL)
	defer end()
	first, stopDashboard := startDashboard(t, dir, "--addr 127.0.0.1:0 --json --cluster", queue.URL)
	defer stopDashboard()
	must(t, json.Unmarshal([]byte(first), &shown))
	var state map[string]any
	data := followEvents(t, shown.URL+"cluster/events")(`"name":"w1"`)
	must(t, json.Unmarshal([]byte(data), &state))
	has(t, state, fields{"workers.0.name": "w1", "waiting": 0, "training": 0, "failed": 0})
}

// followEvents returns a function that returns the data of the next event with a text.
func followEvents(t *testing.T, url string) (next func(text string) string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	return func(text string) string {
		t.Helper()
		var seen []string
		for lines.Scan() {
			data, isData := strings.CutPrefix(lines.Text(), "data: ")
			if isData && strings.Contains(data, text) {
				return data
			}
			seen = append(seen, lines.Text())
		}
		t.Fatalf("the events end without %q: %v: %q", text, lines.Err(), seen)
		return ""
	}
}

// startNATS starts a server with JetStream, and without a queue if the folder is new. It accepts
// those whom auth accepts; nil for all.
func startNATS(t *testing.T, port int, dir string, auth server.Authentication) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
		CustomClientAuthentication: auth,
	})
	must(t, err)
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server is not ready")
	}
	return s
}

// TestDashboardWithoutQueue: the list says why it shows no worker, also after a restart of the
// server, until there is a queue.
func TestDashboardWithoutQueue(t *testing.T) {
	const noQueue = "there is none; the first search creates it"
	dir := t.TempDir()
	nats := startNATS(t, server.RANDOM_PORT, dir, nil)
	url := nats.ClientURL()
	first, stop := startDashboard(t, t.TempDir(), "--addr 127.0.0.1:0 --json --cluster", url)
	var shown struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &shown))
	next := followEvents(t, shown.URL+"cluster/events")
	next(noQueue)
	port := nats.Addr().(*net.TCPAddr).Port
	nats.Shutdown()
	nats.WaitForShutdown()
	next("start one with autoblm cluster serve")
	startNATS(t, port, dir, nil)
	next(noQueue)
	coordinator, err := cluster.Connect(t.Context(), cluster.Options{URL: url})
	must(t, err)
	defer coordinator.Close()
	next(`"waiting":0`)
	if status, stderr := stop(); status != cli.Done || strings.Count(stderr, noQueue) != 2 {
		t.Errorf("status %d, want two messages with %q: %s", status, noQueue, stderr)
	}
}

// refusals is how often a server refuses a client before it accepts it.
type refusals struct{ left atomic.Int32 }

func (r *refusals) Check(server.ClientAuthentication) bool { return r.left.Add(-1) < 0 }

// TestDashboardConnectsAgain: the list says since when the cluster is away, and follows it again
// after the server returned and refused some attempts.
func TestDashboardConnectsAgain(t *testing.T) {
	dir := t.TempDir()
	nats := startNATS(t, server.RANDOM_PORT, dir, nil)
	coordinator, err := cluster.Connect(t.Context(), cluster.Options{URL: nats.ClientURL()})
	must(t, err)
	coordinator.Close()
	first, stop := startDashboard(t, t.TempDir(), "--addr 127.0.0.1:0 --json --cluster", nats.ClientURL())
	var shown struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &shown))
	next := followEvents(t, shown.URL+"cluster/events")
	next(`"waiting":0`)
	port := nats.Addr().(*net.TCPAddr).Port
	nats.Shutdown()
	nats.WaitForShutdown()
	next("not connected since ")
	var gate refusals
	gate.left.Store(2) // after which the library gives up by default
	startNATS(t, port, dir, &gate)
	next(`""`) // no problem
	if left := gate.left.Load(); left >= 0 {
		t.Errorf("connected with %d refusals left", left)
	}
	if status, stderr := stop(); status != cli.Done {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestStatusWithoutQueue: cluster status does not wait for a queue.
func TestStatusWithoutQueue(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	nats := startNATS(t, server.RANDOM_PORT, t.TempDir(), nil)
	failIn(ctx, t, cli.Failed, "there is none; the first search creates it", "cluster status --cluster",
		nats.ClientURL())
}

// TestInterruptedLink: nothing is printed about an attempt to connect that is interrupted.
func TestInterruptedLink(t *testing.T) {
	var messages strings.Builder
	l := &clusterLink{out: &output{Stderr: &messages}, known: make(chan struct{})}
	options := cluster.Options{
		URL: startNATS(t, server.RANDOM_PORT, t.TempDir(), nil).ClientURL(), IsViewer: true, Note: l.print,
	}
	l.connect(cancelled(t), options, func(err error) { t.Error(err) })
	if messages.Len() > 0 {
		t.Errorf("printed %q", messages.String())
	}
}

// TestDashboardClusterMistakes: mistakes that only the user can correct end the dashboard.
func TestDashboardClusterMistakes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	missing, empty := dir+"/missing", writeFile(t, "", dir, "empty")
	for _, c := range []struct{ flags, want string }{
		{"--context nosuch", "nats context ls"},
		{"--nkey " + missing, "read the key " + missing},
		{"--nkey " + empty, "read the key " + empty},
		{"--creds " + missing, "read the credentials " + missing},
		{"--creds " + empty, "read the credentials " + empty},
		{"--tls-ca " + missing, missing},
		{"--tls-cert " + missing + " --tls-key " + missing, missing},
	} {
		failIn(ctx, t, cli.Failed, c.want, "dashboard", dir,
			"--addr 127.0.0.1:0 --cluster nats://127.0.0.1:1", c.flags)
	}
	succeed(t, "cluster keys --out", dir+"/keys")
	first, stop := startServer(t, "cluster serve --json --addr 127.0.0.1:0 --store", dir+"/queue",
		"--users", dir+"/keys/users.json")
	defer stop()
	var queue struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &queue))
	status, _, stderr := invoke(ctx, "dashboard", dir, "--addr 127.0.0.1:0 --cluster", queue.URL)
	if status != cli.Failed || strings.Count(stderr, "name a key of this cluster (--nkey FILE)") != 1 {
		t.Errorf("without a key: status %d, %s", status, stderr)
	}
}

// TestDashboardWithoutCluster: a cluster that cannot be reached delays no study, and the list says
// why it shows no worker. The dashboard ends well while it tries to connect.
func TestDashboardWithoutCluster(t *testing.T) {
	dir := t.TempDir()
	object(t, searchIn(dir, smallGraph(t)))
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	must(t, err)
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, closed.Close())
	for _, c := range []struct{ address, problem string }{
		{silent.Addr().String(), "connecting to the cluster"},
		{closed.Addr().String(), "start one with autoblm cluster serve"},
	} {
		first, stop := startDashboard(t, dir, "--addr 127.0.0.1:0 --json --cluster nats://"+c.address)
		var shown struct{ URL string }
		must(t, json.Unmarshal([]byte(first), &shown))
		contains(t, readPage(t, shown.URL), `"dataset":"small"`)
		followEvents(t, shown.URL+"cluster/events")(c.problem)
		if status, stderr := stop(); status != cli.Done {
			t.Errorf("%s: status %d, %s", c.address, status, stderr)
		}
	}
}

// readPage returns the page at an address.
func readPage(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(body)
}

// TestDashboardAddresses: only an address that was asked for is open to others, with a warning.
func TestDashboardAddresses(t *testing.T) {
	for address, warns := range map[string]bool{
		"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true,
	} {
		first, stop := startDashboard(t, t.TempDir(), "--addr", address)
		contains(t, first, "http://127.0.0.1:")
		status, stderr := stop()
		if status != cli.Done || strings.Contains(stderr, "everyone who reaches") != warns {
			t.Errorf("%s: status %d, %q", address, status, stderr)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	taken := listener.Addr().String()
	file := writeFile(t, "", t.TempDir(), "file")
	refuse(t, []refusal{
		{cli.Failed, "serve on " + taken, "dashboard --addr " + taken},
		{cli.Misuse, "HOST:PORT", "dashboard --addr 8080"},
		{cli.Misuse, "--cluster", "dashboard --nkey key"},
		{cli.Failed, file + " is not a folder", "dashboard " + file},
		{cli.Failed, "is not a folder", "dashboard " + file + ".missing"},
	})
}
