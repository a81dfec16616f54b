package main

import (
	"slices"
	"strings"
	"testing"
)

// TestPeers parses the flags for peers.
func TestPeers(t *testing.T) {
	peers, err := flags{
		Peer:     []string{"torch 2: env A=1,2 /usr/bin/python3 peer.py"},
		StepPeer: []string{"python3 /home/me/peer.py"},
	}.peers()
	if err != nil || len(peers) != 2 ||
		peers[0] != (peer{"torch 2", "env A=1,2 /usr/bin/python3 peer.py", false}) ||
		peers[1] != (peer{"python3 …/peer.py", "python3 /home/me/peer.py", true}) {
		t.Errorf("%+v, %v", peers, err)
	}
	for c, want := range map[kind][]bool{stepKind: {true, true}, rankKind: {true, false}, epochKind: {false, false}} {
		if did := []bool{peers[0].supports(benchCase{What: c}), peers[1].supports(benchCase{What: c})}; !slices.Equal(
			did,
			want,
		) {
			t.Errorf("on a %s they take part: %v, want %v", c, did, want)
		}
	}
	for says, given := range map[string][]string{"no command": {"torch:  "}, "two peers are called a": {"a: b", "a: c"}, `NAME: COMMAND`: {""}} {
		if _, err := (flags{Peer: given}).peers(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, which should say %q", given, err, says)
		}
	}
}

func TestReadPeer(t *testing.T) {
	// From a peer, shortened.
	const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "device": "cpu", "torch": "1.13.0", "loss": 9.7, ` +
		`"ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0], "valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`
	for w, want := range map[kind]float64{stepKind: 0.75e-3, rankKind: 0.25} {
		if run, err := readPeer([]byte(printed), w); err != nil || run.seconds != want ||
			run.on != "1.13.0 on cpu" {
			t.Errorf("%+v, %v", run, err)
		}
	}
	for name, c := range map[string]struct {
		kind
		output, says string
	}{
		"nothing":            {stepKind, "", "no JSON"},
		"text":               {rankKind, "Epoch 1", "no JSON"},
		"one epoch":          {stepKind, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "at least 2"},
		"no ranking":         {rankKind, `{"ms_per_step_per_member": [1, 2]}`, "printed no time"},
		"a ranking, no time": {rankKind, `{"test": {"mrr": 0.5}}`, "printed no time"},
	} {
		if _, err := readPeer([]byte(c.output), c.kind); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, which should say %q", name, err, c.says)
		}
	}
}

func TestPeerFlags(t *testing.T) {
	step, rank := steps("wn18rr", 1024, 512, 8, 256), ranks("wn18rr", 1024, 8, 0)
	for backend, device := range map[string]string{
		"": "cpu", "go": "cpu", "xla:cpu": "cpu", "xla:cuda": "cuda", "xla:cuda,tf32=false": "cuda", "xla:/opt/xla_cuda13/plugin.so": "cuda",
	} {
		for c, how := range map[benchCase]string{step: "--epochs 3 --max-steps 256", rank: "--epochs 1 --max-steps 1 --eval"} {
			got := strings.Join(peerFlags(c, backend, 2), " ")
			if want := "--structure complex --device " + device + " --dim 1024 --batch 512 --members 8 --threads 2 " + how; got != want {
				t.Errorf("%s beside %q: %s, want %s", c.ID, backend, got, want)
			}
		}
	}
}
