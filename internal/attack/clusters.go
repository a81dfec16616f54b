//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
	"golang.org/x/sync/errgroup"
)

const (
	// workers is the number of workers of a cluster.
	workers = 3
	// maxClusterKills is the number of kills among the processes of a cluster.
	maxClusterKills = 6
	// maxTrainings is the number of times that a trial may be trained to its end.
	maxTrainings = 2
	// longestDowntime is the longest time between a kill and the next start. It is longer than the
	// lease of a trial.
	longestDowntime = 3 * time.Second
	// serveCommand begins the command of the server.
	serveCommand = "cluster serve"
)

// longestSearch returns the time within which a search on a cluster ends, from its time on one
// machine. Each kill may cost the downtime, leases, pauses before connections and a trial.
func longestSearch(alone time.Duration) time.Duration {
	return 30*alone + maxClusterKills*(longestDowntime+10*time.Second)
}

// clusterSearch is a search whose trials take long enough for kills to meet them.
var clusterSearch = scenario{name: "cluster", outputs: []string{"out"}, arguments: "search" +
	" --recipe basic --dataset small --dim 64 --epochs 80 --budget 12 --tune 2 --retrain-seeds 2" +
	" --ensemble 4" + smallSearch}

// attackCluster searches on a cluster of processes, kills them at random moments and starts them
// again. The search ends like one on one machine.
func (h *harness) attackCluster(ctx context.Context, number int) (int, error) {
	ref, err := h.reference(ctx, clusterSearch)
	if err != nil {
		return 0, err
	}
	folder, err := h.newFolder()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	addr, err := freeAddress()
	if err != nil {
		return 0, err
	}
	a := &attempt{
		h: h, part: "clusters", number: number, scenario: clusterSearch, folder: folder,
		reference: &reference{outcome: ref.outcome, volatile: maps.Clone(ref.volatile)},
	}
	a.reference.volatile["out/config.yaml"] = true // names the cluster
	c := newCluster(a, addr, time.Duration(ref.fastest.Load()), h.rng("clusters", number))
	stdout, err := c.run(ctx)
	if err != nil {
		return 0, err
	}
	for _, l := range c.lives {
		a.log = append(a.log, l.line)
	}
	for _, l := range c.lives {
		a.report(l.problem)
	}
	a.report(overtrained(c.lives))
	if a.found {
		return 1, a.err
	}
	return 1, a.compare(stdout)
}

// freeAddress returns an address with a free port.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// cluster is the processes of a search on a cluster.
type cluster struct {
	attempt   *attempt
	addr      string
	processes []process
	limit     time.Duration // of the search

	began time.Time
	mu    sync.Mutex
	lives []life // in the order of their ends
}

// process is a command with the times of its kills after the start of the cluster, and the time
// until each next start.
type process struct {
	arguments string
	kills     []time.Duration
	downtimes []time.Duration
}

// isClient reports whether a process needs the server.
func (p process) isClient() bool { return !strings.HasPrefix(p.arguments, serveCommand) }

// life describes the end of one run of a process.
type life struct {
	line    string // what ran, and how it ended
	stderr  string
	problem string // "" for none
}

func newCluster(a *attempt, addr string, alone time.Duration, rng *rand.Rand) *cluster {
	connection := " --cluster nats://" + addr
	c := &cluster{attempt: a, addr: addr, limit: longestSearch(alone)}
	c.processes = []process{
		{arguments: a.scenario.arguments + connection},
		{arguments: serveCommand + " --lease 2s --store queue --addr " + addr},
	}
	for i := range workers {
		c.processes = append(c.processes, process{arguments: fmt.Sprintf(
			"worker --threads 1 --verbose --name w%d --cache w%[1]d%s", i+1, connection)})
	}
	for range 1 + rng.IntN(maxClusterKills) {
		p := &c.processes[rng.IntN(len(c.processes))]
		p.kills = append(p.kills, time.Duration(rng.Int64N(int64(4*alone))))
		p.downtimes = append(p.downtimes, time.Duration(rng.Int64N(int64(longestDowntime))))
	}
	for i := range c.processes {
		slices.Sort(c.processes[i].kills)
	}
	return c
}

// run runs all processes until the search has ended, and returns what it prints.
func (c *cluster) run(ctx context.Context) (stdout []byte, err error) {
	c.began = time.Now()
	g, ctx := errgroup.WithContext(ctx)
	running, end := context.WithTimeout(ctx, c.limit)
	defer end()
	for i, p := range c.processes {
		g.Go(func() error {
			if p.isClient() {
				c.awaitServer(running)
			}
			out, err := c.keep(ctx, running, p, i == 0)
			if i == 0 {
				stdout = out
				end()
			}
			return err
		})
	}
	return stdout, g.Wait()
}

// awaitServer waits until the server answers.
func (c *cluster) awaitServer(ctx context.Context) {
	for ctx.Err() == nil {
		if conn, err := net.Dial("tcp", c.addr); err == nil {
			conn.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// keep runs a process, kills it at its times, and starts it again until the search is done.
func (c *cluster) keep(
	ctx, running context.Context, p process, isSearch bool,
) (stdout []byte, err error) {
	for n := 0; ; {
		i := invocation{
			folder: c.attempt.folder, arguments: strings.Fields(p.arguments), end: running,
			signal: syscall.SIGKILL, after: 2 * c.limit,
		}
		if n < len(p.kills) {
			i.after = max(time.Millisecond, p.kills[n]-time.Since(c.began))
		}
		r, err := c.attempt.h.program.run(ctx, i)
		switch {
		case running.Err() != nil && r.duration == 0:
			return nil, ctx.Err() // the search ended before this process started
		case err != nil:
			return nil, err
		}
		c.add(i, r, c.problem(running, p, r))
		if isSearch && r.status == cli.Done || running.Err() != nil {
			return r.stdout, nil
		}
		downtime := 200 * time.Millisecond // after an end without a kill
		if r.killed() && n < len(p.kills) {
			downtime = p.downtimes[n]
			n++
		}
		select {
		case <-time.After(downtime):
		case <-running.Done():
			return nil, nil
		}
	}
}

func (c *cluster) add(i invocation, r result, problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := fmt.Sprintf("%.3f s: %s\n%s", time.Since(c.began).Seconds(), i, r)
	c.lives = append(c.lives, life{line, string(r.stderr), problem})
}

// problem describes an unexpected end of a process, or returns "". A client may fail to start
// without the server. Only the search ends by itself.
func (c *cluster) problem(running context.Context, p process, r result) string {
	if problem := r.misbehavior(); problem != "" {
		return problem
	}
	stopped := running.Err() != nil && r.signalled
	if stopped && time.Since(c.began) >= c.limit {
		return "the search takes longer than " + c.limit.String()
	}
	text := string(r.stderr)
	isSearch := strings.HasPrefix(p.arguments, c.attempt.scenario.arguments)
	alone := p.isClient() && (strings.Contains(text, "connect to nats://") ||
		strings.Contains(text, "set up the queue on "))
	switch {
	case r.killed(), stopped, alone, r.status == cli.Done && (isSearch || running.Err() != nil):
		return ""
	case r.status == cli.Done:
		return "it ended by itself: " + r.String()
	}
	return "it failed: " + r.String()
}

// trained is the message of a worker after each training.
var trained = regexp.MustCompile(`trained trial ([0-9a-f]+)`)

// overtrained describes a trial that was trained to its end too often, or returns "".
func overtrained(lives []life) string {
	count := map[string]int{}
	for _, l := range lives {
		for _, found := range trained.FindAllStringSubmatch(l.stderr, -1) {
			count[found[1]]++
		}
	}
	if len(count) == 0 {
		return "the workers trained no trial"
	}
	for trial, n := range count {
		if n > maxTrainings {
			return fmt.Sprintf("trial %s was trained %d times", trial, n)
		}
	}
	return ""
}
