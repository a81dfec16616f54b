package main

import (
	"slices"
	"strings"
	"testing"
)

// TestSummarize checks that the precision of auto is compared with the fastest peer and with our
// float32, and bfloat16 with the limit of all threads.
func TestSummarize(t *testing.T) {
	single := outcome{Who: float32s, Seconds: []float64{0.5, 0.25, 4}}
	half := outcome{Who: bfloat16s, Seconds: []float64{0.1, 0.2, 0.125}}
	dropped := outcome{Who: bfloat16s, Dropped: "no bfloat16"}
	peers := []outcome{
		{Who: "a", Peer: true, Seconds: []float64{9}},
		{Who: float32s, Peer: true, Seconds: []float64{1, 0.5, 0.25}},
		{Who: "c", Peer: true, Seconds: []float64{0.75, 0.75}},
	}
	for name, c := range map[string]struct {
		ours                  []outcome
		auto, used            string
		ratio, float32, share float64
	}{
		"auto is bfloat16":    {[]outcome{single, half}, bfloat16s, bfloat16s, 0.25, 0.25, 0.4},
		"auto is float32":     {[]outcome{single, half}, float32s, float32s, 1, 1, 0},
		"auto was not timed":  {[]outcome{single, dropped}, bfloat16s, float32s, 1, 0, 0},
		"only bfloat16 timed": {[]outcome{half}, float32s, bfloat16s, 0.25, 0, 0.4},
	} {
		r := timing{Outcomes: slices.Concat(c.ours, peers), gflop: 10}
		r.summarize(c.auto, 100, 2)
		if r.Precision != c.used || r.Ratio != c.ratio || r.RatioFloat32 != c.float32 ||
			r.Share != c.share || r.Fastest != float32s {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestPrint(t *testing.T) {
	timing := timing{
		benchCase: benchCase{Name: "umls, complex", Seconds: 5, Goal: 0.2},
		Outcomes: []outcome{
			{
				Who: float32s, Seconds: []float64{0.001, 0.002, 0.009}, PerEpoch: 21,
				Ranking: []float64{0.01}, Memory: 1 << 26, MRR: []float64{0.9},
				Within: &timeLimited{4.9, 119, 0.75},
			},
			{Who: "a", Peer: true, Seconds: []float64{0.02}, Fresh: []float64{1}, Compiling: 2},
			{Who: "b", Peer: true, Dropped: "it failed"},
		},
		gflop: 16.1,
	}
	timing.summarize(float32s, 2570, 2)
	var text strings.Builder
	timing.print(&text)
	printed := text.String()
	for _, want := range []string{
		"umls, complex\n", "time compiling untrained ranking memory MRR timed epochs\n",
		"float32 2.00 ms – – 10.0 ms 64 MiB 0.900 0.750 119.00\n",
		"a 20.0 ms 2000 ms 1000 ms – – – – –\n", "b was dropped: it failed\n",
		"8050 GFLOP/s\n", "0.100 of the time of a (goal 0.20)\n",
	} {
		words := strings.Join(strings.FieldsFunc(printed, func(r rune) bool { return r == ' ' }), " ")
		if !strings.Contains(words, want) {
			t.Errorf("no %q in:\n%s", want, printed)
		}
	}
}
