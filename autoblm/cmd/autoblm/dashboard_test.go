package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
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
	answer, err := http.Get(shown.URL + "cluster/events")
	must(t, err)
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		var state map[string]any
		must(t, json.Unmarshal([]byte(data), &state))
		if workers, _ := state["workers"].([]any); len(workers) == 0 {
			continue // it is starting
		}
		has(t, state, fields{"workers.0.name": "w1", "waiting": 0, "training": 0, "failed": 0})
		return
	}
	t.Error("the events end without a worker")
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
		answer, err := http.Get(shown.URL + "cluster/events")
		must(t, err)
		says := false
		for lines := bufio.NewScanner(answer.Body); !says && lines.Scan(); {
			says = strings.Contains(lines.Text(), c.problem)
		}
		_ = answer.Body.Close()
		if !says {
			t.Errorf("%s: the events end without %q", c.address, c.problem)
		}
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
