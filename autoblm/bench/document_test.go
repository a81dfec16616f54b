package main

import (
	"strings"
	"testing"
)

// TestSummarize checks that the precision of auto is compared with the fastest peer and with our
// float32, and bfloat16 with the limit of all threads.
func TestSummarize(t *testing.T) {
	both := map[string][]float64{float32s: {0.5, 0.25, 4}, bfloat16s: {0.1, 0.2, 0.125}}
	peers := map[string][]float64{"a": {9}, "b": {1, 0.5, 0.25}, "c": {0.75, 0.75}}
	only := func(precision string, seconds float64) map[string][]float64 {
		return map[string][]float64{precision: {seconds}}
	}
	for name, c := range map[string]struct {
		ours                  map[string][]float64
		auto, used            string
		ratio, float32, share float64
	}{
		"auto is bfloat16":    {both, bfloat16s, bfloat16s, 0.25, 0.25, 0.4},
		"auto is float32":     {both, float32s, float32s, 1, 1, 0},
		"auto was not timed":  {only(float32s, 0.5), bfloat16s, float32s, 1, 0, 0},
		"only bfloat16 timed": {only(bfloat16s, 0.125), float32s, bfloat16s, 0.25, 0, 0.4},
	} {
		r := timing{Ours: c.ours, Peers: peers, Precision: c.auto, gflop: 10}
		r.summarize(100, 2)
		if r.Precision != c.used || r.Ratio != c.ratio || r.RatioFloat32 != c.float32 ||
			r.Share != c.share || r.Fastest != "b" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestPrint(t *testing.T) {
	timing := timing{
		benchCase: steps("wn18rr", 64, 512, 1, 8).withGoals(0.2, 0),
		Ours:      map[string][]float64{float32s: {0.0857}, bfloat16s: {0.03}},
		Peers:     map[string][]float64{"a": {0.34}, "b": {12}},
		Precision: bfloat16s,
		gflop:     16.1,
	}
	timing.summarize(2570, 2)
	var text strings.Builder
	header(&text)
	timing.print(&text)
	lines := printedLines(text.String())
	const want = "wn18rr, d 64, batch 512 30.0 ms 85.7 ms 340 ms 0.088 0.20 0.35 – 537 10%"
	if len(lines) != 3 || lines[1] != want || lines[2] != "a 340 ms; b 12.0 s" {
		t.Errorf("printed:\n%s", text.String())
	}
}
