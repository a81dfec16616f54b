package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadOurs(t *testing.T) {
	run, err := readOurs("backend: go\nnote: in parts\ngoos: linux\nBenchmarkStep/step-umls-64-2 \t  1\t 16758865 ns/op\t  7.5 s-compiling\t  0.0002654 s/member\nPASS\n")
	if err != nil || run.seconds != 0.0002654 || run.compiling != 7.5 || run.on != "go" || !slices.Equal(run.notes, []string{"in parts"}) {
		t.Errorf("%+v, %v", run, err)
	}
	for _, output := range []string{"", "PASS\n", "BenchmarkStep/step-umls-64-2 1 16758865 ns/op\n"} {
		if _, err := readOurs(output); err == nil {
			t.Errorf("%q has a time", output)
		}
	}
}

func TestReadPeer(t *testing.T) {
	// What a peer printed, shortened.
	const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "device": "cpu", "torch": "1.13.0", "loss": 9.7, ` +
		`"ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0], "valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`
	for rank, want := range map[bool]float64{false: 0.75e-3, true: 0.25} {
		if run, err := readPeer([]byte(printed), rank); err != nil || run.seconds != want || run.on != "1.13.0 on cpu" {
			t.Errorf("%+v, %v", run, err)
		}
	}
	for name, c := range map[string]struct {
		rank         bool
		output, says string
	}{
		"nothing":            {false, "", "no JSON"},
		"text":               {true, "Epoch 1", "no JSON"},
		"one epoch":          {false, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "warming up"},
		"no ranking":         {true, `{"ms_per_step_per_member": [1, 2]}`, "ranking"},
		"a ranking, no time": {true, `{"test": {"mrr": 0.5}}`, "ranking"},
	} {
		if _, err := readPeer([]byte(c.output), c.rank); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, which should say %q", name, err, c.says)
		}
	}
}

func TestPeerFlags(t *testing.T) {
	step, rank := steps("wn18rr", 1024, 512, 8, 256, 1), ranks("wn18rr", 1024, 8, 1, 1)
	for backend, device := range map[string]string{
		"": "cpu", "go": "cpu", "xla:cpu": "cpu", "xla:cuda": "cuda", "xla:cuda,tf32=false": "cuda", "xla:/opt/xla_cuda13/plugin.so": "cuda",
	} {
		for c, how := range map[timed]string{step: "--epochs 3 --max-steps 256", rank: "--epochs 1 --max-steps 1 --eval"} {
			got := strings.Join(peerFlags(c, backend, 2), " ")
			if want := "--structure complex --device " + device + " --dim 1024 --batch 512 --members 8 --threads 2 " + how; got != want {
				t.Errorf("%s beside %q: %s, want %s", c.ID, backend, got, want)
			}
		}
	}
}

// TestWatched: the most memory is seen although it is less again at the end, and the
// error of the program comes out.
func TestWatched(t *testing.T) {
	asked := make(chan struct{})
	answers := []int64{10, 500, 20}
	used := func(context.Context) int64 {
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		} else if answers[0] != 0 {
			close(asked)
			answers[0] = 0
		}
		return answer
	}
	failed := errors.New("failed")
	r, err := watched(t.Context(), used, func() (run, error) {
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Error("nobody looked")
		}
		return run{seconds: 1}, failed
	})
	if r.memory != 490 || r.seconds != 1 || !errors.Is(err, failed) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := watched(t.Context(), nil, func() (run, error) { return run{}, failed }); r.memory != 0 || !errors.Is(err, failed) {
		t.Errorf("without a GPU: %+v, %v", r, err)
	}
}
