package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/internal/record"
)

// fakeEpochs prints the JSON of a training of 2 epochs with 4 steps: a warm-up and 1 s. It records
// its arguments. The validation MRR is in its name.
const fakeEpochs = `echo "$*" >>"$(dirname "$0")/asked"
echo '{"ms_per_step_per_member": [9000, 250], "steps_per_epoch": 4, "steps_timed": 4,
	"valid": {"mrr": VALID, "seconds": 1}, "test": {"mrr": 0.9, "seconds": 1}}'
`

// TestTimeToMRR trains with our defaults next to peers: one of which we reach the MRR, one of which
// we do not, and one that fails.
func TestTimeToMRR(t *testing.T) {
	ours, err := findOrBuild(t.Context(), t.TempDir(), "autoblm", "build",
		"github.com/autoblm/autoblm-go/autoblm/cmd/autoblm")
	if err != nil {
		t.Fatal(err)
	}
	weak := fakePeer(t, strings.ReplaceAll(fakeEpochs, "VALID", "0.001"))
	strong := fakePeer(t, strings.ReplaceAll(fakeEpochs, "VALID", "0.999"))
	d, err := measure(t, "--suite", "time-to-mrr", "--data", smallData(t), "--small", "--ours", ours,
		"--threads", "1", "--repeat", "2", "--cases", "^wn18rr-128-3$", "--peer", "weak: "+weak,
		"--peer", "strong: "+strong, "--peer", "fails: "+fakePeer(t, "exit 1"),
		"--step-peer", "steps: "+weak, "--out", filepath.Join(t.TempDir(), "result.json"))
	if err != nil || len(d.Result.Cases) != 1 || len(d.Result.Cases[0].Outcomes) != 4 {
		t.Fatalf("%v, %+v", err, d.Result)
	}
	c := d.Result.Cases[0]
	defaults, first, second, failed := c.Outcomes[0], c.Outcomes[1], c.Outcomes[2], c.Outcomes[3]
	last := defaults.Curve[len(defaults.Curve)-1]
	if len(defaults.Seconds) != 2 || len(defaults.Curve) != ourEpochs*2 ||
		last.Seconds != defaults.Seconds[1] || !(last.MRR > 0) || len(defaults.MRR) != 0 ||
		d.Result.Backend == "" {
		t.Errorf("%+v, backend %q", defaults, d.Result.Backend)
	}
	if !slices.Equal(first.Seconds, []float64{2, 2}) || !slices.Equal(first.MRR, []float64{.001, .001}) ||
		first.Reached == nil || first.Reached.Epochs != 1 || len(first.Reached.Seconds) != 2 ||
		first.Reached.Seconds[1] != defaults.Curve[0].Seconds ||
		first.Reached.Ratio != record.Median(first.Reached.Seconds)/2 {
		t.Errorf("%+v, %+v", first, first.Reached)
	}
	if len(second.Seconds) != 2 || second.Reached != nil || failed.Dropped == "" || c.Ratio != 0 {
		t.Errorf("%+v, %+v", second, failed)
	}
	asked := readAsked(t, weak)
	const want = "--structure complex --device cpu --dim 8 --batch 32 --members 1 --threads 1 " +
		"--seed 1 --epochs 2 --max-steps 0 --eval\n"
	if strings.Count(asked, want) != 2 || strings.Count(asked, "\n") != 2 {
		t.Errorf("no two calls with %q:\n%s", want, asked)
	}
}

func TestReadCurve(t *testing.T) {
	const printed = `{"backend": "avx2", "seconds": {"train": 5, "epochs": [2, 5]},
		"validations": [{"epoch": 1, "mrr": 0.25}, {"epoch": 2, "mrr": 0.5}]}`
	backend, curve, err := readCurve([]byte(printed))
	if err != nil || backend != "avx2" || !slices.Equal(curve, []point{{2, .25}, {5, .5}}) {
		t.Errorf("%q, %v, %v", backend, curve, err)
	}
	for printed, want := range map[string]string{
		"":   "no JSON",
		"{}": "0 validations of 0 epochs",
		`{"seconds": {"epochs": [1, 2]}, "validations": [{"epoch": 2}]}`: "1 validations of 2 epochs",
	} {
		if _, _, err := readCurve([]byte(printed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", printed, err, want)
		}
	}
}

// TestReach checks that whole epochs count until the median MRR of the peer, in every run.
func TestReach(t *testing.T) {
	curves := [][]point{
		{{1, .1}, {3, .3}, {6, .2}}, {{2, .1}, {4, .3}, {8, .2}}, {{9, .1}, {10, .3}, {11, .2}},
	}
	for _, c := range []struct {
		mrr     []float64
		seconds []float64 // nil if not reached
		epochs  int
	}{
		{[]float64{.1, .9, 0}, []float64{1, 2, 9}, 1},
		{[]float64{.11}, []float64{3, 4, 10}, 2},
		{[]float64{.3, .3, .3}, []float64{3, 4, 10}, 2},
		{[]float64{.31}, nil, 0},
	} {
		got := reach(curves, outcome{MRR: c.mrr, Seconds: []float64{40, 16, 1}})
		if got == nil && c.seconds == nil {
			continue
		}
		if got == nil || !slices.Equal(got.Seconds, c.seconds) || got.Epochs != c.epochs ||
			got.Ratio != record.Median(c.seconds)/16 {
			t.Errorf("MRR %v: %+v, want %v, %d epochs", c.mrr, got, c.seconds, c.epochs)
		}
	}
	curves[1] = curves[1][:1]
	if got := reach(curves, outcome{MRR: []float64{.2}, Seconds: []float64{1}}); got != nil {
		t.Errorf("one run did not reach the MRR: %+v", got)
	}
}

func TestPrintReached(t *testing.T) {
	timing := timing{
		benchCase: timeToMRR("wn18rr", 128, 10),
		Outcomes: []outcome{
			{Who: defaults, Seconds: []float64{50}, curves: [][]point{{{2, .2}, {5, .4}}}},
			{Who: "a", Peer: true, Seconds: []float64{20, 30, 10}, MRR: []float64{.3, .3, .3}},
			{Who: "b", Peer: true, Seconds: []float64{9}, MRR: []float64{.5}},
			{Who: "c", Peer: true, Dropped: "it failed"},
		},
	}
	timing.compareCurves()
	var text strings.Builder
	timing.print(&text)
	printed := strings.Join(strings.FieldsFunc(text.String(), func(r rune) bool { return r == ' ' }), " ")
	for _, want := range []string{
		"wn18rr, d 128, 10 epochs of a peer\nc was dropped: it failed\n",
		"time valid MRR our time our epochs ratio\n", "a 20.0 s 0.300 5000 ms 2 0.250\n",
		"b 9000 ms 0.500 – – –\n", "the goal is a ratio of 0.25\n",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in:\n%s", want, printed)
		}
	}
}

// TestMaxEpochs checks that the limit is the number of epochs of the default recipes.
func TestMaxEpochs(t *testing.T) {
	for _, entities := range []int{14_541, 40_943} {
		r := recipe.Default(recipe.Size{Entities: entities, Train: 200_000, Valid: 9})
		if r.Training.Epochs != maxEpochs || r.Training.Cooldown > .5 || r.Training.Decay != 1 {
			t.Errorf("the first half depends on the number of epochs, or it is not %d: %+v",
				maxEpochs, r)
		}
	}
}
