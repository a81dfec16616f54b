package main

import (
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
	for c, want := range map[kind][]bool{
		stepKind: {true, true}, rankKind: {true, false}, epochKind: {false, false},
	} {
		for i, p := range peers {
			if p.supports(benchCase{What: c}) != want[i] {
				t.Errorf("%s supports %s: want %v", p.name, c, want[i])
			}
		}
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

func TestReadPeer(t *testing.T) {
	// The output of a peer, shortened.
	const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "device": "cpu",
		"torch": "1.13.0", "loss": 9.7, "ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0],
		"valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`
	for w, want := range map[kind]float64{stepKind: 0.75e-3, rankKind: 0.25} {
		run, err := readPeer([]byte(printed), w)
		if err != nil || run.seconds != want || run.on != "1.13.0 on cpu" {
			t.Errorf("%+v, %v", run, err)
		}
	}
	for _, c := range []struct {
		kind
		output, want string
	}{
		{stepKind, "", "no JSON"},
		{rankKind, "Epoch 1", "no JSON"},
		{stepKind, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "at least 2"},
		{rankKind, `{"ms_per_step_per_member": [1, 2]}`, "printed no time"},
		{rankKind, `{"test": {"mrr": 0.5}}`, "printed no time"},
	} {
		_, err := readPeer([]byte(c.output), c.kind)
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
			want := "--structure complex --device " + device +
				" --dim 1024 --batch 512 --members 8 --threads 2 " + mode
			if got := strings.Join(peerFlags(c, backend, 2), " "); got != want {
				t.Errorf("%s on %q: %s, want %s", c.ID, backend, got, want)
			}
		}
	}
}
