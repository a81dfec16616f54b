package main

import (
	"slices"
	"strings"
	"testing"
)

// TestPeers: a peer has the name that stands before its command, or is called as that.
func TestPeers(t *testing.T) {
	peers, err := flags{Peer: []string{"torch 2: env A=1,2 /usr/bin/python3 peer.py"}, StepPeer: []string{"python3 /home/me/peer.py"}}.peers()
	if err != nil || len(peers) != 2 || peers[0] != (peer{"torch 2", "env A=1,2 /usr/bin/python3 peer.py", false}) || peers[1] != (peer{"python3 …/peer.py", "python3 /home/me/peer.py", true}) {
		t.Errorf("%+v, %v", peers, err)
	}
	for c, want := range map[what][]bool{aStep: {true, true}, aRanking: {true, false}, anEpoch: {false, false}} {
		if did := []bool{peers[0].does(timed{What: c}), peers[1].does(timed{What: c})}; !slices.Equal(did, want) {
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
	// What a peer printed, shortened.
	const printed = `{"dataset": "umls", "entities": 135, "steps_timed": 2, "device": "cpu", "torch": "1.13.0", "loss": 9.7, ` +
		`"ms_per_step_per_member": [232.0, 0.5, 0.75, 1.0], "valid": {"mrr": 0.10, "seconds": 0.66}, "test": {"mrr": 0.11, "seconds": 0.25}}`
	for w, want := range map[what]float64{aStep: 0.75e-3, aRanking: 0.25} {
		if run, err := readPeer([]byte(printed), w); err != nil || run.seconds != want || run.on != "1.13.0 on cpu" {
			t.Errorf("%+v, %v", run, err)
		}
	}
	for name, c := range map[string]struct {
		what
		output, says string
	}{
		"nothing":            {aStep, "", "no JSON"},
		"text":               {aRanking, "Epoch 1", "no JSON"},
		"one epoch":          {aStep, `{"ms_per_step_per_member": [1], "test": {"seconds": 1}}`, "warming up"},
		"no ranking":         {aRanking, `{"ms_per_step_per_member": [1, 2]}`, "how long"},
		"a ranking, no time": {aRanking, `{"test": {"mrr": 0.5}}`, "how long"},
	} {
		if _, err := readPeer([]byte(c.output), c.what); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, which should say %q", name, err, c.says)
		}
	}
}

func TestPeerFlags(t *testing.T) {
	step, rank := steps("wn18rr", 1024, 512, 8, 256), ranks("wn18rr", 1024, 8, 0)
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
