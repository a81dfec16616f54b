package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

// fakePeer returns the command of a peer that runs a shell script.
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

// measureSmall measures cases of GoMLX with this test binary as the program of our benchmarks.
func measureSmall(t *testing.T, data, cases string, more ...string) (document, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "result.json")
	return measure(t, append([]string{
		"--data", data, "--backend", "go", "--small", "--threads", "1", "--ours", testBinary(t),
		"--cases", cases, "--out", out,
	}, more...)...)
}

func TestMeasure(t *testing.T) {
	data := smallData(t)
	peer := fakePeer(t, `echo '{"ms_per_step_per_member": [9, 4, 6], "test": {"seconds": 0.5},
		"torch": "2.0", "device": "'$5'"}'`)
	slow := fakePeer(t, `echo '{"ms_per_step_per_member": [9, 40, 60], "test": {"seconds": 5}}'`)
	d, err := measureSmall(t, data, "wn18rr-64$", "--repeat", "2", "--fastest", "1",
		"--peer", "torch: "+peer, "--peer", "slow: "+slow)
	if err != nil || len(d.Result.Cases) != 2 || len(d.Result.LeftOut) != 0 {
		t.Fatalf("%v, %+v", err, d)
	}
	for _, c := range d.Result.Cases {
		peers := map[kind]string{
			stepKind: "[0.05] [0.005 0.005]", rankKind: "[5] [0.5 0.5]",
		}[c.What]
		ours, torch := c.of(float32s, false), c.of("torch", true).Seconds
		if len(ours.Seconds) != 2 || len(c.Outcomes) != 3 ||
			fmt.Sprint(c.of("slow", true).Seconds, torch) != peers ||
			c.Fastest != "torch" || c.RatioFloat32 != 0 ||
			c.Ratio != record.Median(ours.Seconds)/record.Median(torch) {
			t.Errorf("%+v", c)
		}
		if !(ours.Compiling > 0) || !(ours.Seconds[0] > 0) || !(c.GFLOPS > 0) || c.Share != 0 ||
			c.Precision != float32s || c.Command != d.Command || c.Date != d.Date {
			t.Errorf("%+v", c)
		}
	}
	if d.Date == "" || d.Machine == "" || d.Versions["go"] == "" ||
		d.Result.Peers["torch"].On != "PyTorch 2.0 on cpu" || strings.Contains(d.Command, data) ||
		!strings.Contains(d.Machine, "engine gomlx") || d.Result.Backend != "go" || d.Result.Threads != 1 {
		t.Errorf("%+v", d)
	}
}

// TestNative checks that our engine is timed in all precisions of the processor, and that it ranks
// with a trained and an untrained model.
func TestNative(t *testing.T) {
	d, err := measure(t, "--data", smallData(t), "--small", "--ours", testBinary(t),
		"--repeat", "2", "--threads", "1", "--cases", "wn18rr-64$",
		"--out", filepath.Join(t.TempDir(), "result.json"))
	if err != nil || len(d.Result.Cases) != 2 {
		t.Fatalf("%v, %+v", err, d)
	}
	for _, c := range d.Result.Cases {
		ranked := c.What == rankKind
		single, half := c.Outcomes[0], c.Outcomes[1]
		if len(single.Seconds) != 2 || c.Precision != float32s || c.Fastest != "" ||
			len(half.Seconds) != 2 && half.Dropped == "" ||
			(len(single.Fresh) == 2) != ranked || (len(single.MRR) == 2) != ranked {
			t.Errorf("%+v", c)
		}
	}
}

// TestEngines checks that the native engine and the backends of GoMLX are timed in float32.
func TestEngines(t *testing.T) {
	d, err := measure(t, "--data", smallData(t), "--suite", "engines", "--backends", "go", "--small",
		"--ours", testBinary(t), "--repeat", "2", "--threads", "1", "--cases", "^rank-wn18rr",
		"--out", filepath.Join(t.TempDir(), "result.json"))
	if err != nil || len(d.Result.Cases) != 1 {
		t.Fatalf("%v, %+v", err, d)
	}
	c := d.Result.Cases[0]
	for i, who := range []string{native, "go"} {
		if o := c.Outcomes[i]; o.Who != who || len(o.Seconds) != 2 || (o.Compiling > 0) != (i == 1) {
			t.Errorf("%+v", o)
		}
	}
}

// TestClasses times an epoch of a classifier on both engines.
func TestClasses(t *testing.T) {
	d, err := measure(t, "--data", filepath.Dir(realdata.Folder(t, "mutag")), "--suite", "engines",
		"--backends", "go", "--ours", testBinary(t), "--repeat", "1", "--cases", "^epoch-mutag$",
		"--small", "--out", filepath.Join(t.TempDir(), "result.json"))
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.Cases[0].ranked(false)) != 2 {
		t.Errorf("%v, %+v", err, d.Result)
	}
}

// fakePyKEEN prints the JSON of a training with 4 steps of 100 ms per epoch, and records its
// arguments.
const fakePyKEEN = `echo "$*" >>"$(dirname "$0")/asked"
while [ $# -gt 0 ]; do
	case $1 in --loop) loop=$2;; --epochs) epochs=$2;; esac
	shift
done
[ $loop = slcwa ] && { echo "ValueError: no negatives" >&2; exit 1; }
steps=100; i=1; while [ $i -lt $epochs ]; do steps="$steps, 100"; i=$((i+1)); done
echo '{"ms_per_step_per_member": ['$steps'], "steps_per_epoch": 4, "steps_timed": 4,
	"torch": "2.0", "pykeen": "1.11", "device": "cpu", "test": {"mrr": 0.25, "seconds": 0.5}}'
`

// TestTrainings checks that all runners alternate and then train for equal seconds.
func TestTrainings(t *testing.T) {
	pykeen := fakePeer(t, fakePyKEEN)
	d, err := measure(t, "--data", smallData(t), "--suite", "trainings", "--small", "--ours",
		testBinary(t), "--threads", "1", "--repeat", "2", "--cases", "^wn18rr-complex-128$",
		"--peer", "1vsAll: "+pykeen+" --loop 1vsall", "--peer", "KvsAll: "+pykeen+" --loop kvsall",
		"--peer", "sLCWA: "+pykeen+" --loop slcwa", "--out", filepath.Join(t.TempDir(), "r.json"))
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.Cases[0].Outcomes) != 4 {
		t.Fatalf("%v, %+v", err, d.Result)
	}
	c := d.Result.Cases[0]
	ours, full, dropped := c.Outcomes[0], c.Outcomes[2], c.Outcomes[3]
	if len(ours.Seconds) != 2 || ours.PerEpoch < 1 || len(ours.Ranking) != 1 ||
		runtime.GOOS == "linux" && ours.Memory < 1<<20 || ours.Within == nil ||
		!(ours.Within.MRR > 0) || len(ours.MRR) != 0 || c.Precision == "" || c.Date != d.Date {
		t.Errorf("%+v", ours)
	}
	// 1 s is 10 steps of 100 ms, in three epochs of three steps. Each epoch reports 0.4 s.
	if fmt.Sprint(full.Seconds) != "[0.1 0.1]" || full.PerEpoch != 4 || len(full.MRR) != 0 ||
		*full.Within != (timeLimited{1.2000000000000002, 2.25, 0.25}) {
		t.Errorf("%+v, %+v", full, full.Within)
	}
	if !strings.Contains(dropped.Dropped, "no negatives") || dropped.Within != nil {
		t.Errorf("%+v", dropped)
	}
	if d.Result.Peers["1vsAll"].On != "PyKEEN 1.11, PyTorch 2.0 on cpu" {
		t.Errorf("%+v", d.Result)
	}
	asked := readAsked(t, pykeen)
	const want = "--structure complex --device cpu --dim 8 --batch 32 --members 1 --threads 1 " +
		"--seed 1 --epochs 3 --max-steps 3 --lr 0.2 --eval\n"
	if !strings.Contains(asked, want) {
		t.Errorf("no call with %q:\n%s", want, asked)
	}
}

// readAsked returns the arguments that a fake peer recorded, one call a line.
func readAsked(t *testing.T, peer string) string {
	t.Helper()
	folder := filepath.Dir(strings.TrimPrefix(peer, "sh "))
	lines, err := os.ReadFile(filepath.Join(folder, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	return string(lines)
}

// TestPeerFails checks that our times and those of other peers are kept if a peer fails. It is an
// error if all peers fail.
func TestPeerFails(t *testing.T) {
	data, fails := smallData(t), "fails: "+fakePeer(t, "echo 'CUDA out of memory' >&2; exit 1")
	d, err := measureSmall(t, data, "step-wn18rr-64$", "--repeat", "1", "--peer", fails)
	if err == nil || len(d.Result.LeftOut) != 1 ||
		!strings.Contains(d.Result.LeftOut[0], "CUDA out of memory") {
		t.Errorf("%v, left out %q", err, d.Result.LeftOut)
	}
	if len(d.Result.Cases) != 1 || len(d.Result.Cases[0].of(float32s, false).Seconds) != 1 ||
		d.Result.Cases[0].Ratio != 0 {
		t.Errorf("%+v", d.Result.Cases)
	}
	works := "works: " + fakePeer(t, `echo '{"ms_per_step_per_member": [9, 4, 6]}'`)
	hangs := "hangs: " + fakePeer(t, `exec sleep 100`)
	d, err = measureSmall(t, data, "step-wn18rr-64$", "--repeat", "2", "--patience", "0.5",
		"--peer", fails, "--peer", hangs, "--peer", works)
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.LeftOut) != 0 {
		t.Fatalf("%v, %+v", err, d.Result)
	}
	c := d.Result.Cases[0]
	if c.Fastest != "works" || len(c.ranked(true)) != 1 || len(c.of("works", true).Seconds) != 2 ||
		!strings.Contains(c.Outcomes[1].Dropped, "CUDA out of memory") ||
		!strings.Contains(c.Outcomes[2].Dropped, "more than 0.5 s") {
		t.Errorf("%+v", c)
	}
}

// TestSeveralRuns checks that runs share a file, unless they differ in machine or peers.
func TestSeveralRuns(t *testing.T) {
	out := filepath.Join(t.TempDir(), "result.json")
	common := []string{
		"--data", smallData(t), "--backend", "go", "--small", "--ours", testBinary(t),
		"--repeat", "1", "--out", out,
	}
	piece := func(more ...string) (document, error) {
		return measure(t, slices.Concat(common, []string{"--threads", "1"}, more)...)
	}
	first, err := piece("--cases", "rank-wn18rr-64$")
	if err != nil {
		t.Fatal(err)
	}
	peer := fakePeer(t, `echo '{"ms_per_step_per_member": [9, 4, 6]}'`)
	d, err := piece("--cases", "step-.*-64$", "--peer", "p: "+peer, "--minutes", "1e-6")
	if err != nil || len(d.Result.Cases) != 2 || len(d.Result.LeftOut) != 1 {
		t.Fatalf("%v, %+v", err, d.Result)
	}
	step, rank := d.Result.Cases[0], d.Result.Cases[1]
	if step.ID != "step-wn18rr-64" || step.Command != d.Command ||
		rank.ID != "rank-wn18rr-64" || rank.Command != first.Command ||
		rank.Outcomes[0].Seconds[0] != first.Result.Cases[0].Outcomes[0].Seconds[0] {
		t.Errorf("%+v", d.Result.Cases)
	}
	if d, err = piece("--cases", "64$"); err != nil || len(d.Result.Cases) != 4 ||
		len(d.Result.LeftOut) != 0 || len(d.Result.Peers) != 1 {
		t.Errorf("%v, %+v", err, d.Result)
	}
	before, _ := os.ReadFile(out)
	for want, more := range map[string][]string{
		"machine": {"--threads", "2"},
		"peer p":  {"--peer", "p: another", "--threads", "1"},
	} {
		_, err := measure(t, slices.Concat(common, more)...)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "another file") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if after, _ := os.ReadFile(out); string(after) != string(before) {
		t.Error("a refusal changed the file")
	}
}

// TestLeftOut checks that cases without time or data are recorded as left out.
func TestLeftOut(t *testing.T) {
	d, err := measureSmall(t, smallData(t), "step-.*-64$", "--repeat", "1", "--minutes", "1e-6")
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.LeftOut) != 1 ||
		!strings.Contains(d.Result.LeftOut[0], "fb15k-237-64: time limit of 1e-06 minutes") {
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
		"--repeat 0":      func(f *flags) { f.Repeat = 0 },
		"--fastest -1":    func(f *flags) { f.Fastest = -1 },
		"--patience -1":   func(f *flags) { f.Patience = -1 },
		"--limit -1":      func(f *flags) { f.Limit = -1 },
		"no command":      func(f *flags) { f.Peer = []string{"torch: "} },
		"--minutes -1":    func(f *flags) { f.Minutes = -1 },
		"--threads -1":    func(f *flags) { f.Threads = -1 },
		"name a backend":  func(f *flags) { f.Suite, f.Backend = deviceSuite, "auto" },
		"unknown backend": func(f *flags) { f.Backends = []string{"abacus"} },
		"--suite engines": func(f *flags) { f.Suite, f.Backend = enginesSuite, "go" },
	} {
		f := good
		change(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
