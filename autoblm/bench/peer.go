package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// peerRun is the JSON of the peer.
type peerRun struct {
	Torch  string    `json:"torch"`                  // its version, where it is PyTorch
	Steps  []float64 `json:"ms_per_step_per_member"` // of each epoch
	Device string    `json:"device"`
	Test   struct {
		Seconds float64 `json:"seconds"`
	} `json:"test"`
}

// seconds of a ranking by a member, or of a step for a member.
func (r peerRun) seconds(rank bool) float64 {
	if rank {
		return r.Test.Seconds
	}
	return median(r.Steps[1:]) / 1e3
}

// peer runs the peer for a pair.
func (s *session) peer(ctx context.Context, p pair) (peerRun, error) {
	words := strings.Fields(s.Peer)
	arguments := append(words[1:], peerArguments(p, filepath.Join(s.Data, p[0].Dataset), s.Backend, runtime.GOMAXPROCS(0))...)
	output, err := exec.CommandContext(ctx, words[0], arguments...).Output()
	if err != nil {
		return peerRun{}, fmt.Errorf("the peer failed: %w%s", err, lastWords(err))
	}
	run, err := readPeer(output, p)
	if err == nil && run.Torch != "" {
		s.document.Versions["torch"] = run.Torch + " on " + run.Device
	}
	return run, err
}

// peerArguments are those of the peer after its own: it runs on the GPU if we do.
// One without steps to time trains as little as it can.
func peerArguments(p pair, folder, backend string, threads int) []string {
	c := p[0]
	device := "cpu"
	if probe.IsCUDA(backend) {
		device = "cuda"
	}
	arguments := []string{folder, "--structure", "complex", "--device", device}
	passes, most := 1, 1
	if steps := p.of(false); steps != nil {
		passes, most = epochs, steps.Steps
	}
	for _, flag := range []struct {
		name  string
		value int
	}{{"--dim", c.Dim}, {"--batch", c.Batch}, {"--members", c.Members}, {"--threads", threads}, {"--epochs", passes}, {"--max-steps", most}} {
		arguments = append(arguments, flag.name, strconv.Itoa(flag.value))
	}
	if p.of(true) != nil {
		arguments = append(arguments, "--eval")
	}
	return arguments
}

// readPeer reads what the peer printed, which has what the pair asks for.
func readPeer(output []byte, p pair) (peerRun, error) {
	var run peerRun
	if err := json.Unmarshal(output, &run); err != nil {
		return run, fmt.Errorf("the peer printed no JSON: %w", err)
	}
	if p.of(false) != nil && len(run.Steps) < 2 {
		return run, fmt.Errorf("the peer timed %d epochs, and the first is for warming up", len(run.Steps))
	}
	if p.of(true) != nil && !(run.Test.Seconds > 0) {
		return run, errors.New("the peer did not say how long its ranking of the test triples took")
	}
	return run, nil
}

// lastWords is the last line that a program wrote to its standard error, as the end
// of a sentence, or "".
func lastWords(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
