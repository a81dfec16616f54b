package main

import (
	"slices"
	"strings"
	"testing"
)

// printed is what a peer printed, shortened.
const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "device": "cpu", "torch": "1.13.0", "loss": 9.7, ` +
	`"ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0], "valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`

func TestReadPeer(t *testing.T) {
	both := pair{steps("umls", 64, batch, 1, 20, 1), ranks("umls", 64, 1, 1, 0)}
	run, err := readPeer([]byte(printed), both)
	if err != nil || run.seconds(false) != 0.75e-3 || run.seconds(true) != 0.25 || run.Torch != "1.13.0" || run.Device != "cpu" {
		t.Errorf("%+v, %v", run, err)
	}
	for name, c := range map[string]struct {
		pair   pair
		output string
		says   string
	}{
		"nothing":            {both, "", "no JSON"},
		"text":               {both, "Epoch 1", "no JSON"},
		"one epoch":          {both, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "warming up"},
		"no ranking":         {both, `{"ms_per_step_per_member": [1, 2]}`, "ranking"},
		"a ranking, no time": {both[1:], `{"test": {"mrr": 0.5}}`, "ranking"},
	} {
		if _, err := readPeer([]byte(c.output), c.pair); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, which should say %q", name, err, c.says)
		}
	}
	if _, err := readPeer([]byte(`{"ms_per_step_per_member": [1]}`), nil); err != nil {
		t.Errorf("what was not asked for is missed: %v", err)
	}
}

func TestPeerArguments(t *testing.T) {
	both := pair{steps("wn18rr", 1024, 512, 8, 256, 1), ranks("wn18rr", 1024, 8, 1, 1)}
	value := func(arguments []string, flag string) string {
		if i := slices.Index(arguments, flag); i >= 0 && i+1 < len(arguments) {
			return arguments[i+1]
		}
		return ""
	}
	for backend, device := range map[string]string{
		"": "cpu", "go": "cpu", "xla:cpu": "cpu", "xla:cuda": "cuda", "xla:cuda,tf32=false": "cuda", "xla:/opt/xla_cuda13/plugin.so": "cuda",
	} {
		if got := value(peerArguments(both, "f", backend, 2), "--device"); got != device {
			t.Errorf("beside %q the peer runs on %s", backend, got)
		}
	}
	for name, c := range map[string]struct {
		pair          pair
		epochs, steps string
		eval          bool
	}{
		"both": {both, "3", "256", true}, "steps": {both[:1], "3", "256", false}, "ranking": {both[1:], "1", "1", true},
	} {
		got := peerArguments(c.pair, "folder", "go", 2)
		if got[0] != "folder" || value(got, "--epochs") != c.epochs || value(got, "--max-steps") != c.steps || slices.Contains(got, "--eval") != c.eval ||
			value(got, "--dim") != "1024" || value(got, "--batch") != "512" || value(got, "--members") != "8" || value(got, "--threads") != "2" {
			t.Errorf("%s: %v", name, got)
		}
	}
}
