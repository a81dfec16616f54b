package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
)

// TestPeerHere: a peer that the machine cannot have is absent, and said to be; one
// that fails otherwise is an error.
func TestPeerHere(t *testing.T) {
	var said string
	say := func(format string, _ ...any) { said += format }
	works := fakePeer(t, "exit 0")
	for command, want := range map[string]string{
		"":                        "",
		works:                     works,
		"no-such-program peer.py": "",
		fakePeer(t, "echo 'Traceback' >&2; echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1"): "",
	} {
		said = ""
		got, err := flags{Peer: command}.peerHere(t.Context(), say)
		if err != nil || got != want || (said == "") != (want != "") {
			t.Errorf("%q is %q, %v, and said is %q", command, got, err, said)
		}
	}
	for _, command := range []string{"sh " + filepath.Join(t.TempDir(), "missing.sh"), fakePeer(t, "echo 'invalid syntax' >&2; exit 1")} {
		if got, err := (flags{Peer: command}).peerHere(t.Context(), say); err == nil {
			t.Errorf("%q is %q", command, got)
		}
	}
}

// TestDataForTheDevice: what the device would miss is an error here.
func TestDataForTheDevice(t *testing.T) {
	f := flags{Data: t.TempDir()}
	if err := f.writeSmallData(t.TempDir(), t.Logf); err == nil || !strings.Contains(err.Error(), "data for the device") {
		t.Error(err)
	}
}

func TestBackendOfTheDevice(t *testing.T) {
	if err := (flags{Backend: "xla:relative/plugin.so"}).checkXLA(t.Logf); err == nil {
		t.Error("a backend that is none passes")
	}
}

// TestManners: XLA has three precisions, and TF32 is as wanted whatever the backend
// said before.
func TestManners(t *testing.T) {
	for backend, want := range map[string][]string{
		"go":                  {"float32 go", "bfloat16 go half"},
		"go:ops_sequential":   {"float32 go:ops_sequential", "bfloat16 go:ops_sequential half"},
		"xla:cuda":            {"float32 xla:cuda,tf32=false", "TF32 xla:cuda,tf32=true", "bfloat16 xla:cuda half"},
		"xla:/x/cuda.so,tf32": {"float32 xla:/x/cuda.so,tf32,tf32=false", "TF32 xla:/x/cuda.so,tf32,tf32=true", "bfloat16 xla:/x/cuda.so,tf32 half"},
	} {
		var got []string
		for _, m := range manners(autoblm.Compute{Engine: "gomlx", Backend: backend}) {
			text := m.scores + " " + m.compute.Backend
			if m.compute.HalfScores {
				text += " half"
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: %q, want %q", backend, got, want)
		}
	}
}
