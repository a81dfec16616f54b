package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakePeer is the command of a peer that does the same each time.
func fakePeer(t *testing.T, script string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to play the peer")
	}
	path := filepath.Join(t.TempDir(), "peer.sh")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return "sh " + path
}

// measureSmall measures cases of GoMLX with these tests as the program of our
// benchmarks.
func measureSmall(t *testing.T, data, cases string, more ...string) (document, error) {
	t.Helper()
	ours, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "result.json")
	return measure(t, append([]string{"--data", data, "--backend", "go", "--small", "--threads", "1", "--ours", ours, "--cases", cases, "--out", out}, more...)...)
}

func TestMeasure(t *testing.T) {
	data := smallData(t)
	peer := fakePeer(t, `echo '{"ms_per_step_per_member": [9, 4, 6], "test": {"seconds": 0.5}, "torch": "2.0", "device": "'$5'"}'`)
	d, err := measureSmall(t, data, "wn18rr-64$", "--repeat", "2", "--peer", peer)
	if err != nil || len(d.Result.Cases) != 2 || len(d.Result.LeftOut) != 0 {
		t.Fatalf("%v, %+v", err, d)
	}
	for _, c := range d.Result.Cases {
		peer := map[bool]string{false: "[0.005 0.005]", true: "[0.5 0.5]"}[c.Rank]
		if len(c.Ours) != 2 || fmt.Sprint(c.Peer) != peer || c.Ratio != median(c.Ours)/median(c.Peer) || !(c.Compile > 0) || !(c.Ours[0] > 0) || !(c.GFLOPS > 0) {
			t.Errorf("%+v", c)
		}
	}
	if d.Date == "" || d.Machine == "" || d.Versions["go"] == "" || d.Versions["torch"] != "2.0 on cpu" || strings.Contains(d.Command, data) || d.Result.Engine != "gomlx" || d.Result.Backend != "go" || d.Result.Threads != 1 {
		t.Errorf("%+v", d)
	}
}

// TestPeerFails: ours is kept, and the failure is no success.
func TestPeerFails(t *testing.T) {
	d, err := measureSmall(t, smallData(t), "step-wn18rr-64$", "--repeat", "1", "--peer", fakePeer(t, "echo 'CUDA out of memory' >&2; exit 1"))
	if err == nil || len(d.Result.LeftOut) != 1 || !strings.Contains(d.Result.LeftOut[0], "CUDA out of memory") {
		t.Errorf("%v, left out %q", err, d.Result.LeftOut)
	}
	if len(d.Result.Cases) != 1 || len(d.Result.Cases[0].Ours) != 1 || d.Result.Cases[0].Ratio != 0 {
		t.Errorf("%+v", d.Result.Cases)
	}
}

// TestLeftOut: what the minutes or the data do not allow is left out and said.
func TestLeftOut(t *testing.T) {
	d, err := measureSmall(t, smallData(t), "step-.*-64$", "--repeat", "1", "--minutes", "1e-6")
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.LeftOut) != 1 || !strings.Contains(d.Result.LeftOut[0], "fb15k-237-64: 1e-06 minutes are over") {
		t.Errorf("%v, %d cases, left out %q", err, len(d.Result.Cases), d.Result.LeftOut)
	}
	if d, err = measureSmall(t, t.TempDir(), "step-.*-64$"); err == nil || len(d.Result.LeftOut) != 2 {
		t.Errorf("without data: %v, left out %q", err, d.Result.LeftOut)
	}
}

func TestFlags(t *testing.T) {
	good := flags{Data: "data", Repeat: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*flags){
		"AUTOBLM_DATA":    func(f *flags) { f.Data = "" },
		"repeat is 0":     func(f *flags) { f.Repeat = 0 },
		"minutes is -1":   func(f *flags) { f.Minutes = -1 },
		"threads is -1":   func(f *flags) { f.Threads = -1 },
		"name the one":    func(f *flags) { f.Backend = "auto" },
		"unknown backend": func(f *flags) { f.Backend = "abacus" },
	} {
		f := good
		change(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}
