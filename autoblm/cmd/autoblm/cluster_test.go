package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestClusterSearch searches with two workers, which have keys, and with none: the trials and the
// model are the same.
func TestClusterSearch(t *testing.T) {
	dir, graph := t.TempDir(), smallGraph(t)
	succeed(t, "cluster keys --out", dir+"/keys")
	first, stop := startServer(t, "cluster serve --json --addr 127.0.0.1:0 --store", dir+"/queue",
		"--users", dir+"/keys/users.json")
	defer stop()
	var at struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &at))
	connection := " --cluster " + at.URL + " --nkey " + dir + "/keys/"
	for _, name := range []string{"w1", "w2"} {
		_, end := startServer(t, "worker --threads 1 --name", name, "--cache", dir+"/"+name,
			connection+"worker.nk")
		defer func() {
			if status, stderr := end(); status != 0 {
				t.Errorf("worker %s: status %d, %s", name, status, stderr)
			}
		}()
	}
	search := "search --recipe basic --budget 6 --round-size 3 --candidates 8 --dim 8 --epochs 2 " +
		"--batch 64 --dataset " + graph + " --out "
	succeed(t, search+dir+"/one")
	_, stderr := succeed(t, search+dir+"/many", connection+"coordinator.nk")
	if !strings.Contains(stderr, "cluster: 2 workers") {
		t.Errorf("the search does not count its workers: %q", stderr)
	}
	trials := map[string][]task.Trial{}
	for _, name := range []string{"one", "many"} {
		contents, err := study.Read(filepath.Join(dir, name, studyName))
		must(t, err)
		trials[name] = contents.Trials
	}
	sameTrials := []cmp.Option{
		cmpopts.IgnoreFields(task.Trial{}, "Seconds"), cmp.Comparer(func(a, b json.RawMessage) bool {
			return string(a) == string(b)
		}), cmpopts.EquateComparable(task.Trial{}.Form, task.Trial{}.Structure),
	}
	if diff := cmp.Diff(trials["one"], trials["many"], sameTrials...); diff != "" {
		t.Errorf("trials (-one machine +cluster):\n%s", diff)
	}
	for _, file := range []string{"model.json", "entities.npy", "relations.npy"} {
		one, err := os.ReadFile(filepath.Join(dir, "one", "model", file))
		must(t, err)
		if many := readFile(t, filepath.Join(dir, "many", "model", file)); many != string(one) {
			t.Errorf("%s differs between one machine and a cluster", file)
		}
	}
	stdout, _ := succeed(t, "cluster status --json", connection+"coordinator.nk")
	var status struct {
		Workers           []struct{ Name string }
		Waiting, Training int
	}
	must(t, json.Unmarshal([]byte(stdout), &status))
	if len(status.Workers) != 2 || status.Waiting != 0 || status.Training != 0 {
		t.Errorf("the status after the search: %s", stdout)
	}
}

// TestClusterMistakes refuses keys that would be overwritten and files of keys without keys.
func TestClusterMistakes(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/worker.nk", []byte("secret"), 0o600))
	fail(t, 1, "use another --out", "cluster keys --out", dir)
	if _, err := os.Stat(dir + "/coordinator.nk"); err == nil {
		t.Error("a key was written next to those that exist")
	}
	fail(t, 2, "use at least 1s", "cluster serve --lease 100ms --store", dir+"/queue")
	must(t, os.WriteFile(dir+"/users.json", []byte("{}"), 0o600))
	fail(t, 1, "there are no keys", "cluster serve --addr 127.0.0.1:0 --store", dir+"/queue",
		"--users", dir+"/users.json")
}

// TestClusterKeys refuses a worker with the key of another cluster or without one.
func TestClusterKeys(t *testing.T) {
	dir := t.TempDir()
	succeed(t, "cluster keys --out", dir+"/keys")
	succeed(t, "cluster keys --out", dir+"/others")
	first, stop := startServer(t, "cluster serve --json --addr 127.0.0.1:0 --store", dir+"/queue",
		"--users", dir+"/keys/users.json")
	defer stop()
	var at struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &at))
	connection := " --cache " + dir + "/cache --cluster " + at.URL
	fail(t, 1, "name a key of this cluster with --nkey", "worker", connection)
	fail(t, 1, "name a key of this cluster with --nkey", "worker", connection, "--nkey",
		dir+"/others/worker.nk")
	fail(t, 1, "read the key "+dir+"/missing", "worker", connection, "--nkey", dir+"/missing")
	fail(t, 1, "nats context ls", "worker", connection, "--context", "missing")
}

// TestEmbeddedNames refuses names that open data of the worker's machine.
func TestEmbeddedNames(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, checkEmbedded("world"))
	for _, name := range []string{"", ".", "../world", "/etc", "wn18rr", "data"} {
		if err := checkEmbedded(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	must(t, os.Mkdir("world", 0o700))
	if err := checkEmbedded("world"); err == nil {
		t.Error("a folder was accepted as the embedded graph")
	}
}

// TestWorkersLine names the command that starts a worker if there is none.
func TestWorkersLine(t *testing.T) {
	want := "0 workers; start one with autoblm worker --cluster nats://a:1"
	if got := workersLine(nil, "", 8, "nats://a:1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
