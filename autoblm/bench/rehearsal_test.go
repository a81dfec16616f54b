package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/record"
)

var devicePeer = flag.String("peer", "", "TestRehearsal: peers for the device, one a line")

// TestRehearsal runs all commands of the plan in the smallest shapes and checks their files. It uses
// GoMLX's own backend, and peers on the CPU.
func TestRehearsal(t *testing.T) {
	folder := t.TempDir()
	bench := testBinary(t)
	autoblm, err := findOrBuild(t.Context(), folder, "autoblm", "build",
		"github.com/autoblm/autoblm-go/autoblm/cmd/autoblm")
	if err != nil {
		t.Fatal(err)
	}
	if !hasXLA(autoblm) || !hasXLA(bench) {
		const lacks = "the programs were built without XLA: build them with cgo to use a GPU"
		if strings.HasPrefix(*onBackend, "xla") {
			t.Fatal(lacks)
		}
		t.Log(lacks)
	}
	var peers []string
	for peer := range strings.SplitSeq(*devicePeer, "\n") {
		here, why, err := peerHere(t.Context(), peer)
		if err != nil {
			t.Fatal(err)
		}
		if why != "" {
			t.Logf("%q is not rehearsed: %s", peer, why)
			continue
		}
		peers = append(peers, here)
	}
	t.Setenv("AUTOBLM_DATA", smallData(t))
	f := flags{To: folder, Backend: backend.Go, Small: true, Peer: peers, Ours: bench}
	for _, c := range f.commands() {
		t.Run(c.about, func(t *testing.T) {
			if c.program == "bench" {
				if _, err := measure(t, c.arguments...); err != nil {
					t.Fatal(err)
				}
			} else {
				ours := exec.CommandContext(t.Context(), autoblm, c.arguments...)
				ours.Dir = folder // removed with its files at the end
				if output, err := ours.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", c.arguments, err, output)
				}
			}
			written, err := os.ReadFile(c.file)
			if text := string(written); err != nil || !strings.Contains(text, c.has) ||
				strings.Contains(text, c.lacks) {
				t.Errorf("%v: %v: the result should have %s and not %s:\n%s",
					c.arguments, err, c.has, c.lacks, text)
			}
		})
	}
}

// parse returns the flags of a command line.
func parse(t *testing.T, arguments []string) (f flags) {
	t.Helper()
	if _, err := kong.Must(&f).Parse(arguments); err != nil {
		t.Fatalf("%q: %v", arguments, err)
	}
	return f
}

// testBinary returns the path of this test binary, which has our benchmarks.
func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// measure runs this program and reads the file of its --out.
func measure(t *testing.T, arguments ...string) (document, error) {
	t.Helper()
	f := parse(t, arguments)
	var printed strings.Builder
	err := f.run(t.Context(), &printed)
	t.Log(printed.String())
	d, readError := record.Read[result](f.Out)
	if readError != nil {
		t.Fatal(errors.Join(err, readError))
	}
	return d, err
}

// hasXLA reports whether a program can use XLA.
func hasXLA(program string) bool {
	info, err := buildinfo.ReadFile(program)
	return err == nil &&
		slices.ContainsFunc(info.Deps,
			func(m *debug.Module) bool { return m.Path == "github.com/gomlx/go-xla" })
}

// smallData returns a folder with small graphs instead of the benchmarks. Their entities are on a
// circle, each related to the next two.
func smallData(t *testing.T) string {
	t.Helper()
	const entities = 60
	g := &datasets.Graph{Name: "ring", Relations: []string{"next", "next but one"}}
	for i := range int32(entities) {
		g.Entities = append(g.Entities, fmt.Sprint(i))
		for step := range int32(2) {
			split := []*[]datasets.Triple{&g.Train, &g.Train, &g.Train, &g.Valid, &g.Test}[(i+step)%5]
			*split = append(*split,
				datasets.Triple{Head: i, Relation: step, Tail: (i + step + 1) % entities})
		}
	}
	folder := t.TempDir()
	for _, name := range deviceGraphs {
		if err := datasets.WriteFolder(g, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// peerHere returns the peer, or "" and the reason if this machine does not have its programs. It
// returns an error if the peer fails for another reason.
func peerHere(ctx context.Context, peer string) (here, why string, err error) {
	if peer == "" {
		return "", "there is no --peer", nil
	}
	named, err := flags{Peer: []string{peer}}.peers()
	if err != nil {
		return "", "", err
	}
	words := append(strings.Fields(named[0].command), "--help")
	_, err = exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if why := lastErrorLine(err); errors.Is(err, exec.ErrNotFound) ||
		strings.Contains(why, "ModuleNotFoundError") { // PyTorch, most likely
		return "", fmt.Sprint(err, why), nil
	} else if err != nil {
		return "", "", fmt.Errorf("the peer: %w%s", err, why)
	}
	return peer, "", nil
}

// TestPeerHere distinguishes missing programs from other failures of a peer.
func TestPeerHere(t *testing.T) {
	works := fakePeer(t, "exit 0")
	lacks := fakePeer(t, "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1")
	for command, want := range map[string]string{
		"": "", works: works, "no-such-program peer.py": "", lacks: "",
	} {
		got, why, err := peerHere(t.Context(), command)
		if err != nil || got != want || (why == "") != (want != "") {
			t.Errorf("%q: %q, %q, %v", command, got, why, err)
		}
	}
	missing := "sh " + filepath.Join(t.TempDir(), "missing.sh")
	for _, command := range []string{missing, fakePeer(t, "echo 'invalid syntax' >&2; exit 1")} {
		if got, _, err := peerHere(t.Context(), command); err == nil {
			t.Errorf("%q: %q, want an error", command, got)
		}
	}
}
