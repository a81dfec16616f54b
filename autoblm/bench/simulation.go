package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

const (
	// simulatedArithmetic is the arithmetic of the workers of a simulation.
	simulatedArithmetic = "simulated"
	// modelBytes is the size of a simulated model, that of kinship with 64 dimensions.
	modelBytes = 104 * 64 * 4
	// minRounds and minSeconds are the least length of a simulation; smallSeconds that of a rehearsal.
	minRounds, minSeconds, smallSeconds = 2, 20, 1
)

// simulation is a search with the real queue, study, strategy and protocol, whose workers sleep
// instead of training.
type simulation struct {
	ID      string `json:"id"`
	Workers int    `json:"workers"`
	Round   int    `json:"round_size"`
	Trials  int    `json:"trials"`
	// Seconds is the wall time of the rounds, with the choice of the structures between them.
	Seconds float64 `json:"seconds"`
	// Used is the share of the time of all workers in which they train.
	Used float64 `json:"used"`
	// Limit is this share if nothing but the trainings took time, in the order of the trials: the last
	// workers of a round wait for each other.
	Limit float64 `json:"limit"`
	// Choosing is the time of strategy, filter and predictor, and CPU the CPU time of the coordinator,
	// with the choosing, in milliseconds per trial.
	Choosing float64 `json:"choosing_ms"`
	CPU      float64 `json:"cpu_ms"`
	// QueueCPU is the CPU time of the queue and of all workers in milliseconds per trial.
	QueueCPU float64 `json:"queue_cpu_ms"`
}

// simulations returns the simulations of the suite.
func simulations() (all []simulation) {
	for _, workers := range []int{1, 4, 16, 64, 256} {
		for _, round := range []int{8, 64, 256} {
			id := fmt.Sprintf("simulated-%d-%d", workers, round)
			all = append(all, simulation{ID: id, Workers: workers, Round: round})
		}
	}
	return all
}

// sleeper is a task whose trainings sleep for recorded times.
type sleeper struct {
	task.Base
	seconds []float64
	mean    float64
}

// durations scales recorded seconds to a mean.
func durations(recorded []float64, mean float64) (sleeper, error) {
	sum := 0.0
	for _, s := range recorded {
		if !(s > 0) {
			return sleeper{}, fmt.Errorf("a recorded trial took %v seconds: use trials that trained", s)
		}
		sum += s
	}
	if sum == 0 {
		return sleeper{}, errors.New("there are no recorded trials")
	}
	scaled := make([]float64, len(recorded))
	for i, s := range recorded {
		scaled[i] = s * mean * float64(len(recorded)) / sum
	}
	return sleeper{seconds: scaled, mean: mean}, nil
}

func (sleeper) Identity() (task.Identity, error) {
	return task.Identity{Task: "simulation", Dataset: "none", Fingerprint: "none"}, nil
}

func (sleeper) Check() error                    { return nil }
func (sleeper) Presentation() task.Presentation { return task.Presentation{} }

// draw returns the seconds and the score of a trial, which depend on its structure.
func (s sleeper) draw(t task.Trial) (seconds, score float64) {
	hash := fnv.New64a()
	hash.Write([]byte(t.Structure.String()))
	random := rand.New(rand.NewPCG(hash.Sum64(), 1))
	return s.seconds[random.IntN(len(s.seconds))], random.Float64()
}

// Train implements [task.Task].
func (s sleeper) Train(
	ctx context.Context, trials []task.Trial, _ func(float64),
) ([]task.Artifact, error) {
	artifacts := make([]task.Artifact, len(trials))
	for i := range trials {
		seconds, score := s.draw(trials[i])
		select {
		case <-time.After(time.Duration(seconds * float64(time.Second))):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		trials[i].State, trials[i].Score, trials[i].Engine = task.Complete, &score, simulatedArithmetic
		model := make([]byte, modelBytes)
		binary.LittleEndian.PutUint64(model, uint64(i))
		artifacts[i] = task.Files{"model.json": []byte(`{"version":1}`), "embeddings.bin": model}
	}
	return artifacts, nil
}

// watched measures the rounds of a search.
type watched struct {
	task.Task
	sleeper      sleeper
	workers      int
	began, ended time.Time // of the first round and of the last
	cpu          float64   // seconds of this process when the first round began
	slept        float64   // seconds of all workers
	shortest     float64   // seconds of the rounds without anything else
	trials       int
}

// Train implements [task.Task]. The baselines, which are fewer than a round, are not measured.
func (w *watched) Train(
	ctx context.Context, trials []task.Trial, onProgress func(float64),
) ([]task.Artifact, error) {
	isRound := trials[0].Round > 0
	if isRound && w.trials == 0 {
		w.began, w.cpu = time.Now(), cpuSeconds(os.Getpid())
	}
	artifacts, err := w.Task.Train(ctx, trials, onProgress)
	if isRound {
		w.ended = time.Now()
		w.trials += len(trials)
		free := make([]float64, w.workers) // when each worker has no trial anymore
		for _, t := range trials {
			seconds, _ := w.sleeper.draw(t)
			w.slept += seconds
			first := slices.Index(free, slices.Min(free))
			free[first] += seconds
		}
		w.shortest += slices.Max(free)
	}
	return artifacts, err
}

// run runs the simulation at a cluster for at least some seconds. pid is the process of the queue and
// the workers, folder a place for the study.
func (s simulation) run(
	ctx context.Context, url string, pid int, sleeper sleeper, seconds float64, folder string,
) (simulation, error) {
	c, err := cluster.Connect(ctx, cluster.Options{URL: url, Name: s.ID})
	if err != nil {
		return s, err
	}
	defer c.Close()
	if err := waitForWorkers(ctx, c, s.Workers); err != nil {
		return s, err
	}
	clustered, err := cluster.NewTask(ctx, c, sleeper, "", simulatedArithmetic)
	if err != nil {
		return s, err
	}
	measured := &watched{Task: clustered, sleeper: sleeper, workers: s.Workers}
	settings := search.BasicSettings()
	rounds := max(minRounds, int(math.Round(
		seconds/sleeper.mean*float64(s.Workers)/float64(s.Round))))
	if s.Workers == 1 {
		rounds = 1 // one worker is busy anyway
	}
	settings.Budget = rounds * s.Round
	settings.RoundSize, settings.Parents = s.Round, s.Round // the first round is as large
	settings.Candidates = max(settings.Candidates, 4*s.Round)
	problem := search.Problem{Task: measured, Strategy: strategy.Evolutionary{}, Settings: settings}
	opened, problem, err := study.OpenFor(filepath.Join(folder, s.ID+".db"), problem, nil)
	if err != nil {
		return s, err
	}
	defer opened.Close()
	before := cpuSeconds(pid)
	result, err := stage.Run(ctx, problem)
	if err != nil {
		return s, err
	}
	if result.Stopped != search.BudgetSpent || measured.trials != settings.Budget {
		return s, fmt.Errorf("the search ended after %d of %d trials: %s %s",
			measured.trials, settings.Budget, result.Stopped, result.Note)
	}
	perTrial := 1000 / float64(measured.trials)
	s.Trials, s.Seconds = measured.trials, measured.ended.Sub(measured.began).Seconds()
	s.Used = measured.slept / s.Seconds / float64(s.Workers)
	s.Limit = measured.slept / measured.shortest / float64(s.Workers)
	s.Choosing = result.Overhead * perTrial
	s.CPU = (cpuSeconds(os.Getpid()) - measured.cpu) * perTrial
	s.QueueCPU = (cpuSeconds(pid) - before) * perTrial
	return s, nil
}

func waitForWorkers(ctx context.Context, c *cluster.Cluster, n int) error {
	for {
		workers, err := c.Workers(ctx)
		if err != nil {
			return err
		}
		if len(workers) == n {
			return nil
		}
		select {
		case <-time.After(time.Second / 4):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// startSimulated starts a process with the queue and the workers, and returns its address.
func (f flags) startSimulated(
	ctx context.Context, s simulation, store string,
) (url string, pid int, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, nil, err
	}
	p := exec.CommandContext(ctx, self, "--sleepers", strconv.Itoa(s.Workers), "--trials", f.Trials,
		"--mean", fmt.Sprint(f.Mean), "--to", store)
	url, end, err = startProgram(p)
	if err != nil {
		return "", 0, nil, err
	}
	return url, p.Process.Pid, end, nil
}

// sleepers runs a queue with simulated workers until ctx ends, and prints its address.
func (f flags) sleepers(ctx context.Context, w io.Writer) error {
	s, err := f.sleeper()
	if err != nil {
		return err
	}
	server, err := cluster.Serve(cluster.ServerOptions{Addr: "127.0.0.1:0", Store: f.To})
	if err != nil {
		return err
	}
	defer server.Close()
	if err := json.NewEncoder(w).Encode(map[string]string{"url": server.URL()}); err != nil {
		return err
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	for i := range f.Sleepers {
		name := fmt.Sprintf("sleeper-%d", i)
		c, err := cluster.Connect(ctx, cluster.Options{URL: server.URL(), Name: name, IsWorker: true})
		if err != nil {
			return err
		}
		worker := &cluster.Worker{
			Cluster: c, Name: name, Arithmetic: simulatedArithmetic, Threads: 1,
			Folder: filepath.Join(f.To, name),
			Open: func(context.Context, cluster.Data, string, string) (task.Task, func(), error) {
				return s, func() {}, nil
			},
		}
		workers.Go(func() {
			defer c.Close()
			if err := worker.Run(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "bench:", name+":", err)
			}
		})
	}
	<-ctx.Done()
	return nil
}
