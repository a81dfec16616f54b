package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
)

// clusterResult holds the measurements of the suite cluster.
type clusterResult struct {
	// Mean is the mean of the simulated trainings in seconds.
	Mean float64 `json:"mean_seconds"`
	// Simulations have sleeping workers, and Splits compare processes that train.
	Simulations []simulation `json:"simulations"`
	Splits      []split      `json:"splits"`
}

// split compares a search in one process of two threads with the same search on two workers of one
// thread each.
type split struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	// Alone and Workers have the seconds of the whole commands, and Ratio is that of their medians.
	Alone   []float64 `json:"alone"`
	Workers []float64 `json:"workers"`
	Ratio   float64   `json:"ratio"`

	arguments []string
}

// splitGraph is the graph of the comparisons.
const splitGraph = "kinship"

// splits returns the comparisons: the structures only, and a search with all stages.
func (f flags) splits() []split {
	data := filepath.Join(f.Data, splitGraph)
	if f.Small {
		small := fields("search --dataset %s --recipe basic --budget 4 --epochs 2", data)
		return []split{{ID: "split-basic", arguments: small}}
	}
	return []split{
		{ID: "split-basic", arguments: fields("search --dataset %s --recipe basic --budget 64", data)},
		{ID: "split-default", arguments: fields("search --dataset %s --budget 64", data)},
	}
}

// cluster measures searches on a cluster.
func (f flags) cluster(ctx context.Context, command []string, w io.Writer) error {
	simulations, splits, err := f.chosen()
	if err != nil {
		return err
	}
	d := record.New(ctx, record.Setup{Command: record.CommandLine(command...)},
		clusterResult{Mean: f.Mean})
	if f.Out != "" {
		before, err := record.Read[clusterResult](f.Out)
		switch {
		case err == nil && before.Result.Mean != f.Mean:
			return fmt.Errorf("%s has simulations with --mean %v: use another file for --out",
				f.Out, before.Result.Mean)
		case err == nil:
			d.Result = before.Result
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	save := func() error {
		if f.Out == "" {
			return nil
		}
		return d.Write(f.Out)
	}
	for _, s := range simulations {
		if s, err = f.simulate(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		d.Result.Simulations = put(d.Result.Simulations, s, func(a, b simulation) int {
			return cmp.Or(cmp.Compare(a.Workers, b.Workers), cmp.Compare(a.Round, b.Round))
		})
		if err := save(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %.0f %% in %.0f s\n", s.ID, 100*s.Used, s.Seconds)
	}
	for _, s := range splits {
		if s, err = f.split(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		d.Result.Splits = put(d.Result.Splits, s, func(a, b split) int { return cmp.Compare(a.ID, b.ID) })
		if err := save(); err != nil {
			return err
		}
	}
	d.Result.print(w)
	return nil
}

// chosen returns the simulations and the comparisons that --cases matches.
func (f flags) chosen() (simulated []simulation, compared []split, err error) {
	type either struct {
		id        string
		simulated simulation
		compared  split
	}
	var all []either
	for _, s := range simulations() {
		if f.Small && s.Workers > 4 {
			continue
		}
		all = append(all, either{id: s.ID, simulated: s})
	}
	for _, s := range f.splits() {
		all = append(all, either{id: s.ID, compared: s})
	}
	chosen, err := record.Choose("--cases", all, func(e either) string { return e.id }, f.Cases)
	for _, e := range chosen {
		if e.compared.ID == "" {
			simulated = append(simulated, e.simulated)
		} else {
			compared = append(compared, e.compared)
		}
	}
	return simulated, compared, err
}

// put adds or replaces a measurement in ascending order.
func put[T any](all []T, one T, compare func(a, b T) int) []T {
	i, found := slices.BinarySearchFunc(all, one, compare)
	if found {
		all[i] = one
		return all
	}
	return slices.Insert(all, i, one)
}

func (f flags) simulate(ctx context.Context, s simulation) (simulation, error) {
	sleeper, err := f.sleeper()
	if err != nil {
		return s, err
	}
	folder, err := os.MkdirTemp(f.temporary, "queue")
	if err != nil {
		return s, err
	}
	url, pid, end, err := f.startSimulated(ctx, s, folder)
	if err != nil {
		return s, err
	}
	defer end()
	seconds := float64(minSeconds)
	if f.Small {
		seconds = smallSeconds
	}
	return s.run(ctx, url, pid, sleeper, seconds, folder)
}

// sleeper reads the recorded trials.
func (f flags) sleeper() (sleeper, error) {
	trials, err := record.Read[struct {
		Seconds []float64 `json:"seconds"`
	}](f.Trials)
	if err != nil {
		return sleeper{}, err
	}
	return durations(trials.Result.Seconds, f.Mean)
}

// split times both searches in turn, and compares their results.
func (f flags) split(ctx context.Context, s split) (split, error) {
	s.Command = record.HidePaths(record.CommandLine(append([]string{"autoblm"}, s.arguments...)...))
	folder, err := os.MkdirTemp(f.temporary, "split")
	if err != nil {
		return s, err
	}
	url, end, err := startProgram(exec.CommandContext(ctx, f.Ours, "cluster", "serve", "--json",
		"--addr", "127.0.0.1:0", "--store", filepath.Join(folder, "queue")))
	if err != nil {
		return s, err
	}
	defer end()
	for i := range 2 {
		name := fmt.Sprintf("worker-%d", i)
		_, end, err := startProgram(exec.CommandContext(ctx, f.Ours, "worker", "--json", "--cluster", url,
			"--threads", "1", "--name", name, "--cache", filepath.Join(folder, name)))
		if err != nil {
			return s, err
		}
		defer end()
	}
	for i := range f.Repeat {
		// Another seed has other trials, so the queue has no results of them.
		seed := []string{"--seed", strconv.Itoa(i + 1)}
		alone, want, err := f.timeSearch(ctx, folder, slices.Concat(s.arguments, seed, []string{"--threads", "2"}))
		if err != nil {
			return s, err
		}
		workers, got, err := f.timeSearch(ctx, folder, slices.Concat(s.arguments, seed, []string{"--cluster", url}))
		if err != nil {
			return s, err
		}
		if got != want {
			return s, fmt.Errorf("the cluster found\n%s, and one process\n%s", got, want)
		}
		s.Alone, s.Workers = append(s.Alone, alone), append(s.Workers, workers)
	}
	s.Ratio = record.Median(s.Workers) / record.Median(s.Alone)
	return s, nil
}

// timeSearch runs a search and returns its seconds and its best structures.
func (f flags) timeSearch(
	ctx context.Context, folder string, arguments []string,
) (seconds float64, best string, err error) {
	out, err := os.MkdirTemp(folder, "search")
	if err != nil {
		return 0, "", err
	}
	p := exec.CommandContext(ctx, f.Ours, append(arguments, "--json", "--out", out)...)
	began := time.Now()
	content, err := p.Output()
	seconds = time.Since(began).Seconds()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		return 0, "", fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	var found struct{ Best json.RawMessage }
	err = cmp.Or(err, json.Unmarshal(content, &found))
	return seconds, string(found.Best), err
}

// startProgram starts a program that prints JSON with its address, if it has one, when it is ready.
// end interrupts it and waits.
func startProgram(p *exec.Cmd) (url string, end func(), err error) {
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.Stderr = os.Stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := p.Start(); err != nil {
		return "", nil, err
	}
	end = func() {
		_ = p.Process.Signal(os.Interrupt)
		_ = p.Wait()
	}
	var started struct{ URL string }
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err = errors.Join(err, json.Unmarshal(line, &started)); err != nil {
		end()
		return "", nil, fmt.Errorf("start %s: %w", filepath.Base(p.Path), err)
	}
	return started.URL, end, nil
}

func (r clusterResult) print(w io.Writer) {
	if len(r.Simulations) > 0 {
		t := table.New("workers", "round size", "trials", "seconds", "used %", "at most %", "choosing ms",
			"coordinator ms", "queue and workers ms")
		for _, s := range r.Simulations {
			t.Add(s.Workers, s.Round, s.Trials, fmt.Sprintf("%.1f", s.Seconds),
				fmt.Sprintf("%.1f", 100*s.Used), fmt.Sprintf("%.1f", 100*s.Limit), fmt.Sprintf("%.2f", s.Choosing),
				fmt.Sprintf("%.2f", s.CPU), fmt.Sprintf("%.2f", s.QueueCPU))
		}
		t.Print(w)
	}
	for _, s := range r.Splits {
		fmt.Fprintf(w, "%s: %.1f s, on two workers %.1f s: %.2f times\n", s.Command,
			record.Median(s.Alone), record.Median(s.Workers), s.Ratio)
	}
}
