package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/record"
)

// TestSimulation runs a search on four sleeping workers in this process. It checks what does not
// depend on the load of the machine.
func TestSimulation(t *testing.T) {
	trials := filepath.Join(t.TempDir(), "trials.json")
	seconds := map[string][]float64{"seconds": {1, 2, 3}}
	if err := record.New(t.Context(), record.Setup{}, seconds).Write(trials); err != nil {
		t.Fatal(err)
	}
	f := flags{Trials: trials, Mean: .05, Sleepers: 4, To: t.TempDir()}
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- f.sleepers(ctx, write) }()
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL string }
	if err := json.Unmarshal(line, &at); err != nil {
		t.Fatal(err)
	}
	s, err := f.sleeper()
	if err != nil {
		t.Fatal(err)
	}
	got, err := simulation{ID: "simulated-4-8", Workers: 4, Round: 8}.
		run(ctx, at.URL, os.Getpid(), s, .3, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got.Trials != 24 { // .3 s of four workers
		t.Errorf("%d trials, want 24", got.Trials)
	}
	if !(0 < got.Used && got.Used < 1 && 0 < got.Limit && got.Limit <= 1 && got.Choosing > 0) {
		t.Errorf("%+v", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDurations scales the mean of recorded seconds, and refuses trials that did not train.
func TestDurations(t *testing.T) {
	s, err := durations([]float64{1, 2, 3}, .5)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{.25, .5, .75}
	if !slices.EqualFunc(s.seconds, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("%v, want %v", s.seconds, want)
	}
	for _, wrong := range [][]float64{nil, {1, 0}, {math.NaN()}} {
		if _, err := durations(wrong, 1); err == nil {
			t.Errorf("%v was accepted", wrong)
		}
	}
}

// TestRounds measures rounds only, and computes the shortest time of one.
func TestRounds(t *testing.T) {
	s := sleeper{seconds: []float64{.01}}
	w := &watched{Task: s, sleeper: s, workers: 2}
	for _, round := range []int{0, 1} { // round 0 has the baselines
		trials := make([]task.Trial, 3)
		for i := range trials {
			trials[i].Round = round
		}
		if _, err := w.Train(t.Context(), trials, func(float64) {}); err != nil {
			t.Fatal(err)
		}
	}
	if w.trials != 3 || math.Abs(w.slept-.03) > 1e-12 || math.Abs(w.shortest-.02) > 1e-12 {
		t.Errorf("%+v", w)
	}
}

// TestPut keeps measurements in order and replaces repeated ones.
func TestPut(t *testing.T) {
	var all []int
	for _, n := range []int{3, 1, 2, 1} {
		all = put(all, n, func(a, b int) int { return a - b })
	}
	if !slices.Equal(all, []int{1, 2, 3}) {
		t.Errorf("%v", all)
	}
}
