package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/record"
)

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

// compareSmall compares trainings with this test binary as the program of our benchmarks, and with
// an environment whose Python is not run.
func compareSmall(
	t *testing.T, out string, more ...string,
) (record.Document[comparison], string, error) {
	t.Helper()
	f := parse(t, append([]string{
		"--data", smallData(t), "--ours", testBinary(t), "--threads", "1", "--repeat", "2",
		"--seconds", "1", "--out", out, "--peers", t.TempDir(),
	}, more...))
	if err := os.MkdirAll(filepath.Dir(f.python()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.python(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	err := f.run(t.Context(), &printed)
	d, readError := record.Read[comparison](out)
	if readError != nil {
		t.Fatal(err, readError)
	}
	return d, printed.String(), err
}

// TestCompare checks that all trainers alternate and then train for equal seconds. It checks that
// failures are recorded, and that several runs share one file.
func TestCompare(t *testing.T) {
	keep := fakePeer(t, fakePyKEEN)
	asked := filepath.Join(filepath.Dir(strings.TrimPrefix(keep, "sh ")), "asked")
	out := filepath.Join(t.TempDir(), "peers.json")
	d, printed, err := compareSmall(t, out, "--keep", keep, "--cases", "^wn18rr-complex-128$")
	if err == nil || !strings.Contains(err.Error(), "no negatives") {
		t.Errorf("%v, which should say why PyKEEN's sLCWA is dropped", err)
	}
	if len(d.Result.Trainings) != 1 {
		t.Fatalf("%+v", d.Result)
	}
	all := map[string]outcome{}
	for _, o := range d.Result.Trainings[0].Outcomes {
		all[o.Who] = o
	}
	ours, pykeen, dropped := all[oursAuto], all["PyKEEN, 1vsAll"], all["PyKEEN, sLCWA"]
	if len(ours.Step) != 2 || !(ours.epochSeconds() > 0) || len(ours.Ranking) != 1 ||
		runtime.GOOS == "linux" && ours.Memory < 1<<20 || ours.Within == nil ||
		!(ours.Within.MRR > 0) || ours.Precision == "" || ours.Date != d.Date {
		t.Errorf("%+v", ours)
	}
	if _, has := all[oursFloat32]; has != (ours.Precision != float32s) {
		t.Errorf("float32 is timed twice, or not: %+v", all)
	}
	// 1 s is 10 steps of 100 ms, in three epochs of three steps. Each epoch reports 0.4 s.
	if fmt.Sprint(pykeen.Step) != "[0.1 0.1]" || pykeen.epochSeconds() != 0.4 ||
		*pykeen.Within != (timeLimited{1.2000000000000002, 2.25, 0.25}) ||
		len(pykeen.MRR) != 0 {
		t.Errorf("%+v, %+v", pykeen, pykeen.Within)
	}
	if !strings.Contains(dropped.Dropped, "no negatives") || dropped.Within != nil {
		t.Errorf("%+v", dropped)
	}
	if d.Result.Peers["PyKEEN, 1vsAll"].On != "PyKEEN 1.11, PyTorch 2.0 on cpu" ||
		d.Result.Threads != 1 {
		t.Errorf("%+v", d.Result)
	}
	if !strings.Contains(printed, "wn18rr, complex, d 128") ||
		!strings.Contains(printed, "PyKEEN, 1vsAll") {
		t.Error(printed)
	}
	lines, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	const want = "--structure complex --device cpu --dim 128 --batch 512 --lr 0.2 --members 1 " +
		"--threads 1 --seed 1 --epochs 3 --max-steps 3 --eval\n"
	if !strings.Contains(string(lines), want) {
		t.Errorf("no call with %q:\n%s", want, lines)
	}

	more, _, err := compareSmall(t, out, "--keep", keep, "--repeat", "1",
		"--cases", "^wn18rr-complex-128(-reverses)?$", "--who", "KvsAll|1vsAll")
	if err != nil || len(more.Result.Trainings) != 2 {
		t.Fatalf("%v, %+v", err, more.Result)
	}
	for _, c := range more.Result.Trainings {
		want := len(all)
		if c.Reverses {
			want = 1
		}
		if len(c.Outcomes) != want {
			t.Errorf("%s by %+v", c.ID, c.Outcomes)
		}
	}
	_, _, err = compareSmall(t, out, "--keep", keep+" -x", "--cases", "^wn18rr-complex-128$")
	if err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("%v: another command with the same name", err)
	}
}

// TestPlainPeer checks that a peer trains bilinear models without reciprocal relations.
func TestPlainPeer(t *testing.T) {
	f := flags{Who: "^plain$", Peer: []string{"plain: python3 torch_blm.py"}}
	peers, err := f.trainers()
	if err != nil || len(peers) != 1 {
		t.Fatalf("%+v, %v", peers, err)
	}
	for _, c := range trainings() {
		if peers[0].supports(c) != (c.Model != rotateModel && !c.Reverses) {
			t.Errorf("%s: %v", c.ID, peers[0].supports(c))
		}
	}
	f.Who = "nobody"
	if _, err := f.trainers(); err == nil || !strings.Contains(err.Error(), "PyKEEN, KvsAll") {
		t.Errorf("%v, which should list the trainers", err)
	}
}

func TestTrainings(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range trainings() {
		if seen[c.ID] || c.Dim%4 != 0 || c.Epochs < 2 || !(c.Seconds > 0) || !(c.Rate > 0) {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	if _, err := chooseTrainings(trainings(), "nothing"); err == nil ||
		!strings.Contains(err.Error(), "umls-complex-64,") {
		t.Errorf("%v, which should list the IDs", err)
	}
}

// TestScheduleFor checks that a schedule fills the time limit with epochs that are at most whole.
func TestScheduleFor(t *testing.T) {
	for want, c := range map[schedule]struct {
		seconds, step float64
		perEpoch      int
	}{
		{1, 10, true}: {1, 0.1, 20},
		{1, 20, true}: {2, 0.1, 20},
		{2, 10, true}: {2.1, 0.1, 20},
		{3, 3, true}:  {1, 0.1, 4},
		{1, 1, true}:  {1, 5, 4},
	} {
		if got := scheduleFor(c.seconds, c.step, c.perEpoch); got != want {
			t.Errorf("%v s of steps of %v s: %+v, want %+v", c.seconds, c.step, got, want)
		}
	}
}

func TestReadTraining(t *testing.T) {
	const printed = `{"steps_timed": 2, "steps_per_epoch": 8, "device": "cpu", "torch": "2.15",
		"ms_per_step_per_member": [500, 100, 200, 300], "test": {"mrr": 0.5, "seconds": 0.25}}`
	r, err := readTraining([]byte(printed), schedule{4, 2, true})
	want := trainingRun{
		step: 0.2, seconds: 2.2, perEpoch: 8, ranking: 0.25, mrr: 0.5, on: "PyTorch 2.15 on cpu",
	}
	if err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	for want, output := range map[string]string{
		"no JSON":         "Epoch 1",
		"1 epochs":        `{"ms_per_step_per_member": [1]}`,
		"steps_per_epoch": `{"ms_per_step_per_member": [1, 2]}`,
		"no time, or no MRR": `{"steps_timed": 2, "steps_per_epoch": 8,
			"ms_per_step_per_member": [1, 2], "test": {"seconds": 1}}`,
	} {
		_, err := readTraining([]byte(output), schedule{2, 0, true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", output, err, want)
		}
	}
}

// TestNoEnvironment checks that a folder without Python is an error that explains the fix.
func TestNoEnvironment(t *testing.T) {
	err := flags{Peers: t.TempDir()}.preparePyKEEN()
	if err == nil || !strings.Contains(err.Error(), "python3 -m venv") {
		t.Error(err)
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

func TestPrintOutcomes(t *testing.T) {
	printOutcomes(io.Discard, training{}, []outcome{{}})
	var text strings.Builder
	printOutcomes(&text, training{Name: "umls", Seconds: 5}, []outcome{
		{
			Who: "ours", Step: []float64{0.001, 0.002, 0.009}, PerEpoch: 21,
			Ranking: []float64{0.01}, Memory: 1 << 26, MRR: []float64{0.9},
			Within: &timeLimited{4.9, 119, 0.75},
		},
		{Who: "peer", Dropped: "it failed"},
	})
	want := []string{
		"umls", "epoch ranking memory MRR in 5 s epochs",
		"ours 42.0 ms 10.0 ms 64 MiB 0.900 0.750 119.00", "peer it failed",
	}
	if got := printedLines(text.String()); !slices.Equal(got, want) {
		t.Errorf("printed:\n%s", text.String())
	}
}

// printedLines returns lines with single spaces between their words.
func printedLines(text string) (all []string) {
	for line := range strings.Lines(text) {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	return all
}
