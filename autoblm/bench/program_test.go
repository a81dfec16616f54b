package main

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

// TestPeers parses the flags for peers.
func TestPeers(t *testing.T) {
	peers, err := flags{
		Peer:     []string{"torch 2: env A=1,2 /usr/bin/python3 peer.py"},
		StepPeer: []string{"python3 /home/me/peer.py"},
	}.peers()
	torch := runner{name: "torch 2", command: "env A=1,2 /usr/bin/python3 peer.py"}
	steps := runner{name: "python3 …/peer.py", command: "python3 /home/me/peer.py", steps: true}
	if err != nil || len(peers) != 2 || peers[0] != torch || peers[1] != steps {
		t.Errorf("%+v, %v", peers, err)
	}
	for want, given := range map[string][]string{
		"no command":             {"torch:  "},
		"two peers are called a": {"a: b", "a: c"},
		"NAME: COMMAND":          {""},
	} {
		_, err := flags{Peer: given}.peers()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", given, err, want)
		}
	}
}

// TestSupports checks which runners run which cases.
func TestSupports(t *testing.T) {
	whole := benchCase{Epochs: 10}
	cases := []benchCase{
		{What: stepKind}, {What: rankKind}, {What: epochKind}, {What: classKind},
		whole.on("umls", complexModel, false), whole.on("umls", complexModel, true),
		whole.on("umls", rotateModel, false),
		benchCase{Steps: 4}.on("wn18rr", rotateModel, false), timeToMRR("wn18rr", 128, 3),
		whole.on("umls", rotateModel, false).sampling(8),
	}
	const pykeen = "python3 train.py --loop "
	for want, r := range map[string]runner{
		"1 1 1 1 1 1 1 1 1 1": {name: "ours"},
		"1 1 0 0 1 0 0 0 1 0": {command: "torch"},
		"1 0 0 0 0 0 0 0 0 0": {command: "torch", steps: true},
		"0 0 0 0 1 0 1 0 1 0": {command: pykeen + "1vsall"},
		"0 0 0 0 0 1 0 0 1 0": {command: pykeen + "kvsall"},
		"0 0 0 0 1 0 1 1 1 1": {command: pykeen + "slcwa"},
	} {
		var got []string
		for _, c := range cases {
			bit := "0"
			if r.supports(c) {
				bit = "1"
			}
			got = append(got, bit)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q supports %v, want %s", r.command, got, want)
		}
	}
}

func TestReadOutput(t *testing.T) {
	// The output of a peer, shortened.
	const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "steps_per_epoch": 8,
		"device": "cpu", "torch": "1.13.0", "pykeen": "1.11", "loss": 9.7,
		"ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0],
		"valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`
	timed, four := schedule{2, 2, false}, schedule{4, 2, true}
	step, rank := benchCase{What: stepKind}, benchCase{What: rankKind}
	training, mrr := benchCase{What: trainingKind}, benchCase{What: mrrKind, Epochs: 4}
	for c, want := range map[benchCase]float64{
		step: 0.75e-3, rank: 0.25, training: 0.75e-3, mrr: 0.75e-3 * 8 * 4,
	} {
		o, err := readOutput([]byte(printed), c, four)
		if err != nil || o.seconds(c) != want || o.on() != "PyKEEN 1.11, PyTorch 1.13.0 on cpu" {
			t.Errorf("%+v, %v", o, err)
		}
	}
	for _, c := range []struct {
		benchCase
		schedule
		output, want string
	}{
		{step, timed, "", "no JSON"},
		{rank, rank.schedule(), "Epoch 1", "no JSON"},
		{step, timed, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "1 epochs, not 2"},
		{step, timed, `{"ms_per_step_per_member": [0, 0]}`, "no time"},
		{rank, rank.schedule(), `{"ms_per_step_per_member": [1, 2]}`, "no time"},
		{rank, rank.schedule(), `{"test": {"mrr": 0.5}}`, "no time"},
		{training, four, `{"ms_per_step_per_member": [1]}`, "1 epochs, not 4"},
		{training, timed, `{"ms_per_step_per_member": [1, 2]}`, "steps_per_epoch"},
		{training, schedule{2, 0, true}, `{"steps_timed": 2, "steps_per_epoch": 8,
			"ms_per_step_per_member": [1, 2], "test": {"seconds": 1}}`, "no MRR"},
		{mrr, schedule{2, 0, true}, `{"steps_timed": 2, "steps_per_epoch": 8, "test": {"mrr": 1},
			"ms_per_step_per_member": [1, 2], "valid": {"seconds": 1}}`, "no MRR"},
	} {
		_, err := readOutput([]byte(c.output), c.benchCase, c.schedule)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.output, err, c.want)
		}
	}
}

func TestPeerFlags(t *testing.T) {
	step, rank := steps("wn18rr", 1024, 512, 8, 256), ranks("wn18rr", 1024, 8, 0)
	for backend, device := range map[string]string{
		"": "cpu", "go": "cpu", "xla:cpu": "cpu", "xla:cuda": "cuda", "xla:cuda,tf32=false": "cuda",
		"xla:/opt/xla_cuda13/plugin.so": "cuda",
	} {
		for c, mode := range map[benchCase]string{
			step: "--epochs 3 --max-steps 256", rank: "--epochs 1 --max-steps 1 --eval",
		} {
			want := fmt.Sprintf("--structure complex --device %s --dim 1024 --batch 512 --members 8 "+
				"--threads 2 --seed 1 %s", device, mode)
			if got := strings.Join(peerFlags(c, c.schedule(), backend, 2), " "); got != want {
				t.Errorf("%s on %q: %s, want %s", c.ID, backend, got, want)
			}
		}
	}
}

func TestFailureMessage(t *testing.T) {
	for output, want := range map[string]string{
		"backend: avx512\n--- FAIL: BenchmarkStep/x\n    ours_test.go:126: no bfloat16\nFAIL\n": ": no bfloat16",
		"panic: 3\n": "\npanic: 3\n",
	} {
		if got := failureMessage(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

//go:embed pykeen/requirements.txt
var requirements string

// TestRequirements checks that every version is pinned.
func TestRequirements(t *testing.T) {
	for line := range strings.Lines(requirements) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") &&
			strings.Count(line, "==") != 1 {
			t.Errorf("not pinned: %s", line)
		}
	}
}
