package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
)

const (
	servedGraph, servedDim = "wn18rr", 256
	// servedRate is the number of questions a second. They come at fixed times, whether or not
	// earlier ones are answered; a late answer counts from the time when its question was due.
	servedRate = 1000
	// servedShare is the share of the largest rate at which the times are measured too.
	servedShare = 0.7
	// clients is the number of connections.
	clients = 64
)

// load is the result of a load on a server.
type load struct {
	Seconds   float64 `json:"seconds"`
	Rate      float64 `json:"rate"` // questions a second; 0: as fast as possible
	Questions int     `json:"questions"`
	Failed    int     `json:"failed"`
	PerSecond float64 `json:"per_second"` // answered questions
	// Percentiles of the time to an answer, in milliseconds.
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
	// CPU time of the server and of this program per question, in milliseconds.
	ServerCPU float64 `json:"server_cpu"`
	ClientCPU float64 `json:"client_cpu"`
	// Memory of the server in megabytes, after a tenth of the time and at the end.
	MemoryFirst float64 `json:"memory_first"`
	MemoryLast  float64 `json:"memory_last"`
}

// serve measures autoblm serve on loopback: the largest rate, and then the times at a fixed rate and at
// a share of the largest.
func (f flags) serve(ctx context.Context, command []string, w io.Writer) error {
	g, err := datasets.Open(filepath.Join(f.Data, servedGraph))
	if err != nil {
		return err
	}
	model := f.Model
	if model == "" {
		model = filepath.Join(f.temporary, "model")
		line := fields("train --dataset %s --structure complex --dim %d --epochs 2 --no-eval --out %s",
			filepath.Join(f.Data, servedGraph), servedDim, model)
		if output, err := exec.CommandContext(ctx, f.Ours, line...).CombinedOutput(); err != nil {
			return fmt.Errorf("train a model: %w\n%s", err, output)
		}
	}
	program := exec.CommandContext(ctx, f.Ours, "serve", "--json", "--addr", "127.0.0.1:0",
		"--model", model, "--threads", strconv.Itoa(f.threads()))
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
	stdout, err := program.StdoutPipe()
	if err != nil {
		return err
	}
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		return err
	}
	defer func() { _ = program.Process.Kill(); _ = program.Wait() }()
	var served struct{ URL string }
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err = errors.Join(err, json.Unmarshal(line, &served)); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	questions := questionsOf(g)
	pid := program.Process.Pid
	memory := func() float64 { return residentMegabytes(pid) }
	var all []load
	for i, rate := range []float64{0, servedRate, 0} {
		seconds := f.Minutes * 60
		if i != 1 || seconds == 0 {
			seconds = 20
		}
		if i == 2 {
			rate = servedShare * all[0].PerSecond
		}
		server, client := cpuSeconds(pid), cpuSeconds(os.Getpid())
		l, err := ask(ctx, served.URL+"v1/predict", questions, rate, seconds, memory)
		if err != nil {
			return err
		}
		perQuestion := 1000 / float64(l.Questions)
		l.ServerCPU = (cpuSeconds(pid) - server) * perQuestion
		l.ClientCPU = (cpuSeconds(os.Getpid()) - client) * perQuestion
		all = append(all, l)
	}
	printLoads(w, all)
	if f.Out == "" {
		return nil
	}
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	return record.New(ctx, by, all).Write(f.Out)
}

// questionsOf returns the bodies of requests: the tails and the heads of the test triples.
func questionsOf(g *datasets.Graph) (bodies [][]byte) {
	for _, t := range g.Test {
		for _, q := range []map[string]string{
			{"head": g.Entities[t.Head], "relation": g.Relations[t.Relation]},
			{"tail": g.Entities[t.Tail], "relation": g.Relations[t.Relation]},
		} {
			body, err := json.Marshal(map[string]any{"queries": []any{q}, "top": 10})
			if err != nil {
				panic(err) // text is always JSON
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// ask sends one question a request for some seconds.
func ask(
	ctx context.Context, url string, questions [][]byte, rate, seconds float64,
	memory func() float64,
) (load, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	l := load{Seconds: seconds, Rate: rate}
	var mu sync.Mutex
	var times []float64 // in milliseconds
	began, sent := time.Now(), 0
	end := began.Add(time.Duration(seconds * float64(time.Second)))
	// next returns a question and when it is due.
	next := func() (body []byte, due time.Time) {
		mu.Lock()
		defer mu.Unlock()
		due = time.Now()
		if rate > 0 {
			due = began.Add(time.Duration(float64(sent) / rate * float64(time.Second)))
		}
		sent++
		return questions[sent%len(questions)], due
	}
	first := time.AfterFunc(end.Sub(began)/10, func() {
		mu.Lock()
		defer mu.Unlock()
		l.MemoryFirst = memory()
	})
	defer first.Stop()
	var workers sync.WaitGroup
	for range clients {
		workers.Go(func() {
			for ctx.Err() == nil {
				body, due := next()
				if due.After(end) {
					return
				}
				time.Sleep(time.Until(due))
				ok := answers(ctx, client, url, body)
				took := float64(time.Since(due)) / float64(time.Millisecond)
				mu.Lock()
				if times = append(times, took); !ok {
					l.Failed++
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	l.Questions = len(times)
	if len(times) == l.Failed {
		return l, errors.Join(ctx.Err(), fmt.Errorf("%s answered no question", url))
	}
	l.PerSecond = float64(l.Questions-l.Failed) / time.Since(began).Seconds()
	slices.Sort(times)
	l.P50, l.P95, l.P99 = quantile(times, .5), quantile(times, .95), quantile(times, .99)
	l.Max, l.MemoryLast = times[len(times)-1], memory()
	return l, ctx.Err()
}

// answers sends a question and reports whether the answer has entities.
func answers(ctx context.Context, client *http.Client, url string, body []byte) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK && bytes.Contains(content, []byte(`"rank":1,`))
}

// quantile returns the smallest value that at least this share of ascending values does not exceed.
func quantile(ascending []float64, share float64) float64 {
	rank := int(share*float64(len(ascending)) + 0.999999)
	return ascending[min(max(rank, 1), len(ascending))-1]
}

// residentMegabytes returns the memory of a process, 0 where /proc does not tell.
func residentMegabytes(pid int) float64 {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(content), "VmRSS:")
	var kilobytes float64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes / 1024
}

// cpuSeconds returns the CPU time of a process, 0 where /proc does not tell.
func cpuSeconds(pid int) float64 {
	const ticks = 100 // a second, for all programs on Linux
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(content), ") ") // the name may have spaces
	const user = 11                                   // index of the user time; then the system's
	parts := strings.Fields(after)
	if len(parts) < user+2 {
		return 0
	}
	var inUser, inSystem float64
	_, _ = fmt.Sscan(parts[user], &inUser)
	_, _ = fmt.Sscan(parts[user+1], &inSystem)
	return (inUser + inSystem) / ticks
}

func printLoads(w io.Writer, all []load) {
	t := table.New("rate", "questions", "failed", "per second", "p50 ms", "p95 ms", "p99 ms", "max ms",
		"CPU ms", "client's", "MB", "MB later")
	for _, l := range all {
		whole := func(x float64) string { return fmt.Sprintf("%.0f", x) }
		rate := "largest"
		if l.Rate > 0 {
			rate = whole(l.Rate)
		}
		t.Add(rate, l.Questions, l.Failed, whole(l.PerSecond), fmt.Sprintf("%.1f", l.P50),
			fmt.Sprintf("%.1f", l.P95), fmt.Sprintf("%.1f", l.P99), whole(l.Max),
			fmt.Sprintf("%.2f", l.ServerCPU), fmt.Sprintf("%.2f", l.ClientCPU), whole(l.MemoryFirst), whole(l.MemoryLast))
	}
	t.Print(w)
}
