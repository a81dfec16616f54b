package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// trainSmall trains a small model in a folder.
func trainSmall(t *testing.T, graph, dir string, flags ...string) {
	t.Helper()
	line := "train --structure complex --dim 8 --epochs 2 --dataset " + graph + " --out " + dir
	object(t, append([]string{line}, flags...)...)
}

// post sends JSON and returns the status and the answer.
func post(url, body string) (int, string, error) {
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content), err
}

// TestServe: the server answers as predict does, for several models, paths and classes included,
// and ends well when it is interrupted.
func TestServe(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	trainSmall(t, graph, dir+"/first")
	object(t, "query train --hops 2 --structure complex --dim 8 --epochs 1 --dataset "+queries(t)+
		" --out "+dir+"/paths")
	object(t, "classify train --structure complex --dim 8 --epochs 1 --runs 1 --dataset "+
		kinds(t, nil)+" --out "+dir+"/classes")
	first, stop := startServer(t, "serve --addr 127.0.0.1:0 --json --model", dir+"/first",
		"--model paths="+dir+"/paths --model", dir+"/classes")
	var o map[string]any
	must(t, json.Unmarshal([]byte(first), &o))
	has(t, o, fields{"models": []any{"first", "paths", "classes"}})
	url := get(o, "url").(string) + "v1/"

	query := firstFact(t, graph)
	status, text, err := post(url+"predict", `{"queries":[{"head":"`+query[0]+`","relation":"`+
		query[1]+`"}],"top":5,"shares":true}`)
	must(t, err)
	var served struct {
		Results []struct{ Answers any }
	}
	must(t, json.Unmarshal([]byte(text), &served))
	want := object(t, "predict --top 5 --head", query[0], "--relation", query[1], "--model",
		dir+"/first")
	if status != http.StatusOK {
		t.Fatalf("status %d, %s", status, text)
	}
	same(t, "answers", served.Results[0].Answers, want["answers"])

	answer, err := http.Get(url + "models")
	must(t, err)
	content, err := io.ReadAll(answer.Body)
	must(t, err)
	must(t, json.Unmarshal(content, &o))
	has(t, o["models"].([]any)[1], fields{"paths": true, "predicts": true})
	has(t, o["models"].([]any)[2], fields{"classifies": true, "predicts": false})
	if status, stderr := stop(); status != cli.Done {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// firstFact returns the head, the relation and the tail of the first training triple.
func firstFact(t *testing.T, graph string) []string {
	t.Helper()
	line, _, _ := strings.Cut(readFile(t, graph, "train.txt"), "\n")
	return strings.Split(line, "\t")
}

// TestServeRefuses: what the server cannot do safely is refused with the fix.
func TestServeRefuses(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	trainSmall(t, graph, dir+"/m")
	short := writeFile(t, "secret\n", dir, "short")
	good := writeFile(t, strings.Repeat("secret", 6)+"\n", dir, "good")
	refuse(t, []refusal{
		{cli.Misuse, "--token-file", "serve --addr 0.0.0.0:0 --model " + dir + "/m"},
		{cli.Misuse, "HOST:PORT", "serve --addr 8090 --model " + dir + "/m"},
		{cli.Failed, "at least 16 characters", "serve --token-file " + short + " --model " + dir + "/m"},
		{cli.Misuse, "two models have the name m", "serve --addr 127.0.0.1:0 --model " + dir +
			"/m --model " + dir + "/m"},
		{cli.Misuse, "has no name before =", "serve --model =" + dir + "/m"},
		{cli.Misuse, "give the name alone", "serve --host http://a.org --model " + dir + "/m"},
		{cli.Failed, "load the model x", "serve --addr 127.0.0.1:0 --model " + dir + "/x"},
	})
	first, stop := startServer(t, "serve --addr 0.0.0.0:0 --json --token-file "+good+
		" --model "+dir+"/m --host models.example.com")
	var o struct{ URL string }
	must(t, json.Unmarshal([]byte(first), &o))
	status, text, err := post(o.URL+"v1/reload", "{}")
	must(t, err)
	if status != http.StatusUnauthorized {
		t.Errorf("status %d, %s", status, text)
	}
	for host, want := range map[string]int{
		"models.example.com": http.StatusOK, "other.example.com": http.StatusForbidden,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.URL+"v1/models", nil)
		must(t, err)
		request.Host = host
		request.Header.Set("Authorization", "Bearer "+strings.Repeat("secret", 6))
		answer, err := http.DefaultClient.Do(request)
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode != want {
			t.Errorf("host %s: status %d, want %d", host, answer.StatusCode, want)
		}
	}
	stop()
}

// serveIn starts a server as a process until the end of the test, and returns its address.
func serveIn(t *testing.T, command *exec.Cmd) (url string) {
	t.Helper()
	stdout, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	var o struct{ URL string }
	must(t, json.Unmarshal([]byte(line), &o))
	return o.URL
}

// TestServeUnderLoad: while requests come, SIGHUP loads a new model without losing a request, a
// damaged model keeps the previous one, and after kill -9 the server starts again.
func TestServeUnderLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGHUP")
	}
	graph, dir := smallGraph(t), t.TempDir()
	trainSmall(t, graph, dir+"/m")
	trainSmall(t, graph, dir+"/other", "--seed 7")
	query := firstFact(t, graph)
	body := `{"queries":[{"head":"` + query[0] + `","relation":"` + query[1] + `"}]}`

	command := programOf(t, "serve --addr 127.0.0.1:0 --json --model "+dir+"/m")
	stderr := filepath.Join(dir, "stderr")
	messages, err := os.Create(stderr)
	must(t, err)
	defer messages.Close()
	command.Stderr = messages
	url := serveIn(t, command)
	_, before, err := post(url+"v1/predict", body)
	must(t, err)

	var clients sync.WaitGroup
	var killed atomic.Bool
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 {
		clients.Go(func() {
			for ctx.Err() == nil {
				status, text, err := post(url+"v1/predict", body)
				if !killed.Load() && (err != nil || status != http.StatusOK) {
					t.Errorf("status %d, %v, %s", status, err, text)
					return
				}
			}
		})
	}
	reload := func(message string) {
		must(t, command.Process.Signal(syscall.SIGHUP))
		for !strings.Contains(readFile(t, stderr), message) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	must(t, os.RemoveAll(dir+"/m"))
	copyFolder(t, dir+"/m", dir+"/other")
	reload("loaded the models again")
	_, after, err := post(url+"v1/predict", body)
	must(t, err)
	if after == before {
		t.Error("the new model does not answer")
	}
	must(t, os.Truncate(filepath.Join(dir, "m", "entities.npy"), 100))
	reload("previous version still answers")
	if _, still, err := post(url+"v1/predict", body); err != nil || still != after {
		t.Errorf("%v, %s", err, still)
	}
	must(t, os.RemoveAll(dir+"/m"))
	copyFolder(t, dir+"/m", dir+"/other")
	loads := strings.Count(readFile(t, stderr), "loaded the models again")
	must(t, command.Process.Signal(syscall.SIGHUP))
	for strings.Count(readFile(t, stderr), "loaded the models again") == loads {
		time.Sleep(5 * time.Millisecond)
	}
	files := filesIn(t, dir+"/m", graph)
	killed.Store(true)
	must(t, command.Process.Kill())
	cancel()
	clients.Wait()
	if left := filesIn(t, dir+"/m", graph); !maps.Equal(left, files) {
		t.Errorf("the kill left %v, not %v", slices.Sorted(maps.Keys(left)),
			slices.Sorted(maps.Keys(files)))
	}
	_, stop := startServer(t, "serve --json --addr", strings.Trim(url, "htp:/"),
		"--model "+dir+"/m")
	if _, again, err := post(url+"v1/predict", body); err != nil || again != after {
		t.Errorf("after the kill: %v, %s", err, again)
	}
	stop()
}

// filesIn returns the contents of the files in folders by path.
func filesIn(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, dir := range folders {
		must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				contents[path] = readFile(t, path)
			}
			return err
		}))
	}
	return contents
}

// TestServeLosesData: a reload that cannot read the data again fails. Without data, known answers are
// not left out in silence.
func TestServeLosesData(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	trainSmall(t, graph, dir)
	query := firstFact(t, graph)
	body := `{"queries":[{"head":"` + query[0] + `","relation":"` + query[1] + `"}],"known":"drop"}`
	serve := func() (url string, stop func() (int, string)) {
		line, stop := startServer(t, "serve --addr 127.0.0.1:0 --json --model "+dir)
		var started struct{ URL string }
		must(t, json.Unmarshal([]byte(line), &started))
		return started.URL, stop
	}
	url, stop := serve()
	_, before, err := post(url+"v1/predict", body)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(graph, "train.txt"), []byte("no fact\n"), 0o666))
	status, text, err := post(url+"v1/reload", "")
	must(t, err)
	contains(t, text, "train.txt:1", "previous version still answers")
	_, after, err := post(url+"v1/predict", body)
	if err != nil || status != http.StatusInternalServerError || after != before {
		t.Errorf("a reload has the status %d, and then %v, %s", status, err, after)
	}
	stop()

	url, stop = serve()
	status, text, err = post(url+"v1/predict", body)
	if err != nil || status != http.StatusNotFound {
		t.Errorf("without data: status %d, %v", status, err)
	}
	contains(t, text, "served without its data")
	stop()
}

// TestServeStops: SIGTERM ends the server while requests come. Each request is answered as a whole,
// or has not been accepted.
func TestServeStops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM")
	}
	graph, dir := smallGraph(t), t.TempDir()
	trainSmall(t, graph, dir+"/m")
	query := firstFact(t, graph)
	one := `{"head":"` + query[0] + `","relation":"` + query[1] + `"}`
	body := `{"queries":[` + strings.Repeat(one+",", 999) + one + `],"top":1000}` // takes a while
	command := programOf(t, "serve --addr 127.0.0.1:0 --json --model "+dir+"/m")
	url := serveIn(t, command)

	var clients sync.WaitGroup
	var answered atomic.Int64
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	for range 3 {
		clients.Go(func() {
			for {
				answer, err := client.Post(url+"v1/predict", "application/json", strings.NewReader(body))
				if err != nil {
					return // not accepted
				}
				content, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK || !json.Valid(content) {
					t.Errorf("status %d, %d bytes, %v", answer.StatusCode, len(content), err)
				}
				answered.Add(1)
			}
		})
	}
	for answered.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	must(t, command.Process.Signal(syscall.SIGTERM))
	clients.Wait()
	if err := command.Wait(); err != nil {
		t.Errorf("%v, %s", err, command.Stderr)
	}
}
