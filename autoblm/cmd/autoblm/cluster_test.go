package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
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
	sameTrials(t, filepath.Join(dir, "one", studyName), filepath.Join(dir, "many", studyName))
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

// sameTrials compares the trials of a study that was made on one machine with those of a cluster.
func sameTrials(t *testing.T, one, many string) {
	t.Helper()
	var trials [2][]task.Trial
	for i, file := range []string{one, many} {
		contents, err := study.Read(file)
		must(t, err)
		trials[i] = contents.Trials
	}
	equal := []cmp.Option{
		cmpopts.IgnoreFields(task.Trial{}, "Seconds"), cmp.Comparer(func(a, b json.RawMessage) bool {
			return string(a) == string(b)
		}), cmpopts.EquateComparable(task.Trial{}.Form, task.Trial{}.Structure),
	}
	if len(trials[0]) == 0 {
		t.Errorf("%s has no trials", one)
	}
	if diff := cmp.Diff(trials[0], trials[1], equal...); diff != "" {
		t.Errorf("trials (-one machine +cluster):\n%s", diff)
	}
}

// TestClusterCommands runs each command that searches here and on a cluster with one worker, whose
// number of trained trials must grow.
func TestClusterCommands(t *testing.T) {
	standIn(t, "umls")
	dir, graph := t.TempDir(), smallGraph(t)
	first, stop := startServer(t, "cluster serve --json --addr 127.0.0.1:0 --metrics 127.0.0.1:0 --store",
		dir+"/queue")
	defer stop()
	var queue struct{ URL, Metrics string }
	must(t, json.Unmarshal([]byte(first), &queue))
	connection := " --cluster " + queue.URL
	first, end := startServer(t, "worker --json --name w1 --threads 1 --metrics 127.0.0.1:0 --cache",
		dir+"/worker", connection)
	defer end()
	var worker struct{ Arithmetic, Metrics string }
	must(t, json.Unmarshal([]byte(first), &worker))
	basic := " --recipe basic --round-size 3 --dim 8 --epochs 2 --batch 64"
	small := basic + " --candidates 8"
	resumed := " --dataset " + graph + small + " --budget 2 --out " + dir
	succeed(t, "search", resumed+"/resumed-one")
	succeed(t, "search", resumed+"/resumed-many")
	trained := 0
	for _, c := range []struct{ name, line, study string }{
		{"resumed", "study resume --budget 4 %", "study.db"},
		{"query", "search --task query --budget 4" + small + " --dataset " + queries(t) + " --out %", "study.db"},
		{"classes", "search --task classify --budget 3 --candidates 8 --dim 8 --epochs 2 --halving 0" +
			" --retrain-seeds 0 --dataset " + kinds(t, nil) + " --out %", "study.db"},
		{"ablate", "ablate predictor --seeds 1 --budget 3 --round-size 3 --candidates 8 --dim 8 " +
			"--epochs 2 --dataset " + graph + " --out %", "studies/*.db"},
		// Only GoMLX trains them: the worker chooses the engine for each trial.
		{"neural", "search --model conve-2-2-2 --reciprocal --budget 2" + basic + " --dataset " + graph +
			" --out %", "study.db"},
		{"mixed", "search --model conve-2-2-2 --reciprocal --mix-engines --budget 2 --seed 2" + basic +
			" --dataset " + graph + " --out %", "study.db"},
		{"reproduce", "reproduce umls --stage search --budget 4 --out %", "study.db"},
	} {
		one, many := filepath.Join(dir, c.name+"-one"), filepath.Join(dir, c.name+"-many")
		succeed(t, strings.ReplaceAll(c.line, "%", one))
		succeed(t, strings.ReplaceAll(c.line, "%", many), connection)
		files, err := filepath.Glob(filepath.Join(one, c.study))
		must(t, err)
		if len(files) == 0 {
			t.Errorf("%s: there is no study", c.name)
		}
		for _, file := range files {
			sameTrials(t, file, strings.Replace(file, one, many, 1))
		}
		stdout, _ := succeed(t, "cluster status --json", connection)
		var status struct{ Workers []struct{ Trained int } }
		must(t, json.Unmarshal([]byte(stdout), &status))
		if len(status.Workers) != 1 || status.Workers[0].Trained <= trained {
			t.Fatalf("%s: the worker trained no trial: %s", c.name, stdout)
		}
		trained = status.Workers[0].Trained
	}
	for url, want := range map[string]string{
		queue.Metrics:  fmt.Sprintf("autoblm_cluster_trained_total{worker=\"w1\"} %d\n", trained),
		worker.Metrics: fmt.Sprintf("autoblm_worker_trained_total %d\n", trained),
		strings.TrimSuffix(worker.Metrics, "metrics") + "healthz": "ok\n",
	} {
		answer, err := http.Get(url)
		must(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, without %q:\n%s", url, answer.StatusCode, want, body)
		}
	}
	fail(t, cli.Misuse, "add --cluster", "ablate predictor --metrics 127.0.0.1:0 --dataset", graph)
}

// TestClusterMistakes refuses keys that would be overwritten and files of keys without keys.
func TestClusterMistakes(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/worker.nk", []byte("secret"), 0o600))
	fail(t, 1, "use another --out", "cluster keys --out", dir)
	if _, err := os.Stat(dir + "/coordinator.nk"); err == nil {
		t.Error("a key was written next to those that exist")
	}
	fail(t, 2, "lease is 100ms: it must be at least 1s", "cluster serve --lease 100ms --store", dir+"/queue")
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
	fail(t, 1, "name a key of this cluster (--nkey FILE)", "worker", connection)
	fail(t, 1, "name a key of this cluster (--nkey FILE)", "worker", connection, "--nkey",
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

// TestTrialEngine checks that a worker names an engine alike for all trials that it trains with it, so
// that it opens the data once.
func TestTrialEngine(t *testing.T) {
	linear := task.Trial{Form: form.RotatE}
	neural := task.Trial{Form: form.RSN}
	encoded := task.Trial{}
	encoded.Recipe.Training.Encoder = kge.RGCN
	for _, c := range []struct {
		engine, own string
		others      []string
		of          string // the arithmetic of a trial
		want        []string
	}{
		{"auto", "gomlx xla:cuda", nil, "", []string{"gomlx", "gomlx", "gomlx"}},
		{"auto", "gomlx xla:cuda", nil, "gomlx xla:cuda", []string{"gomlx", "gomlx", "gomlx"}},
		{"auto", "cpu avx512", []string{"gomlx go"}, "", []string{"cpu", "gomlx", "gomlx"}},
		{"auto", "cpu avx512", []string{"gomlx go"}, "gomlx go", []string{"gomlx", "gomlx", "gomlx"}},
		{"gomlx", "gomlx go", nil, "", []string{"gomlx", "gomlx", "gomlx"}},
		{"cpu", "cpu avx512", nil, "", []string{"cpu", "cpu", "cpu"}},
	} {
		engine := trialEngine(autoblm.Compute{Engine: c.engine}, c.own, c.others)
		for i, trial := range []task.Trial{linear, neural, encoded} {
			if got := engine(c.of, trial); got != c.want[i] {
				t.Errorf("engine %s, %s: trial %d of %q has the engine %s, want %s", c.engine, c.own, i,
					c.of, got, c.want[i])
			}
		}
	}
}

// TestWorkersLine names the command that starts a worker if there is none.
func TestWorkersLine(t *testing.T) {
	want := "0 workers; start one with autoblm worker --cluster nats://a:1"
	if got := workersLine(nil, "", 8, "nats://a:1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
