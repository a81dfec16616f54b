package completion

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// places are the places, from 1, where the true entity can stand when
// candidates are sorted by score and ties are broken in any way.
func places(truth float64, others []float64) []float64 {
	above, same := 0, 0
	for _, score := range others {
		switch {
		case score > truth:
			above++
		case score == truth:
			same++
		}
	}
	var all []float64
	for before := range same + 1 {
		all = append(all, float64(above+before+1))
	}
	return all
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// metricsByDefinition are what the names of the metrics say.
func metricsByDefinition(ranks []float64) Metrics {
	hits := func(limit float64) float64 {
		var hit []float64
		for _, r := range ranks {
			if r <= limit {
				hit = append(hit, 1)
			} else {
				hit = append(hit, 0)
			}
		}
		return mean(hit)
	}
	var inverse []float64
	for _, r := range ranks {
		inverse = append(inverse, 1/r)
	}
	return Metrics{MRR: mean(inverse), Hits1: hits(1), Hits3: hits(3), Hits10: hits(10), MeanRank: mean(ranks)}
}

func nearMetrics(a, b Metrics) bool {
	return near(a.MRR, b.MRR) && near(a.Hits1, b.Hits1) && near(a.Hits3, b.Hits3) && near(a.Hits10, b.Hits10) && near(a.MeanRank, b.MeanRank)
}

// rankOf is the Rank of scores, and its values under each rule by definition.
func rankOf(truth float64, others []float64) (Rank, map[Ties]float64) {
	all := places(truth, others)
	first, last := all[0], all[len(all)-1]
	return Rank{Better: int32(first) - 1, Equal: int32(len(all)) - 1},
		map[Ties]float64{Optimistic: first, Pessimistic: last, Realistic: mean(all)}
}

func TestSummarizeFollowsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.IntRange(-3, 3)
		query := rapid.Custom(func(t *rapid.T) []float64 { // the true entity's score comes first
			var scores []float64
			for _, s := range rapid.SliceOfN(score, 1, 20).Draw(t, "scores") {
				scores = append(scores, float64(s))
			}
			return scores
		})
		var ranked []Ranked
		heads, tails := map[Ties][]float64{}, map[Ties][]float64{}
		for range rapid.IntRange(0, 8).Draw(t, "triples") {
			head, tail := query.Draw(t, "head"), query.Draw(t, "tail")
			headRank, headPlaces := rankOf(head[0], head[1:])
			tailRank, tailPlaces := rankOf(tail[0], tail[1:])
			ranked = append(ranked, Ranked{Head: headRank, Tail: tailRank})
			for _, ties := range []Ties{Pessimistic, Optimistic, Realistic} {
				heads[ties], tails[ties] = append(heads[ties], headPlaces[ties]), append(tails[ties], tailPlaces[ties])
			}
		}
		got := map[Ties]Evaluation{}
		for _, ties := range []Ties{Pessimistic, Optimistic, Realistic} {
			e := Summarize(ranked, ties)
			got[ties] = e
			if e.Triples != len(ranked) || e.Ties != ties {
				t.Fatalf("%d triples and %v, want %d and %v", e.Triples, e.Ties, len(ranked), ties)
			}
			both := append(append([]float64(nil), heads[ties]...), tails[ties]...)
			for side, pair := range map[string][2]Metrics{
				"head": {e.Head, metricsByDefinition(heads[ties])},
				"tail": {e.Tail, metricsByDefinition(tails[ties])},
				"both": {e.Both, metricsByDefinition(both)},
			} {
				if !nearMetrics(pair[0], pair[1]) {
					t.Fatalf("%s, %v: %+v, by definition %+v", side, ties, pair[0], pair[1])
				}
				if m := pair[0]; m.MRR < 0 || m.MRR > 1 || m.Hits1 > m.Hits3 || m.Hits3 > m.Hits10 || m.Hits10 > 1 {
					t.Fatalf("%s, %v: %+v is out of bounds", side, ties, m)
				}
			}
			if !near(e.Both.MRR, (e.Head.MRR+e.Tail.MRR)/2) {
				t.Fatalf("MRR %v is not the mean of %v and %v", e.Both.MRR, e.Head.MRR, e.Tail.MRR)
			}
		}
		const rounding = 1e-12
		if o, r, p := got[Optimistic].Both.MRR, got[Realistic].Both.MRR, got[Pessimistic].Both.MRR; o+rounding < r || r+rounding < p {
			t.Fatalf("MRR %v optimistic, %v realistic, %v pessimistic: want them in falling order", o, r, p)
		}
	})
}

func TestHitsAtHalfRanks(t *testing.T) {
	// Ranks 1, 1½, 3, 3½, 10 and 10½ under the realistic rule.
	var ranked []Ranked
	for _, r := range []Rank{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {9, 0}, {9, 1}} {
		ranked = append(ranked, Ranked{Tail: r, Head: r})
	}
	m := Summarize(ranked, Realistic).Both
	if !near(m.Hits1, 1.0/6) || !near(m.Hits3, 3.0/6) || !near(m.Hits10, 5.0/6) {
		t.Errorf("hits %v, %v, %v: half a place past the limit is not a hit", m.Hits1, m.Hits3, m.Hits10)
	}
}

func TestSummarizeNothing(t *testing.T) {
	for _, ties := range []Ties{Pessimistic, Optimistic, Realistic} {
		if got := Summarize(nil, ties); got != (Evaluation{Ties: ties}) {
			t.Errorf("%+v, want zeros", got)
		}
	}
}

func TestEvaluationJSON(t *testing.T) {
	written, err := json.Marshal(Summarize([]Ranked{{Tail: Rank{Better: 1}, Head: Rank{Better: 3}}}, Pessimistic))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Triples          int
		Ties             string
		Both, Head, Tail map[string]float64
	}
	if err := json.Unmarshal(written, &got); err != nil {
		t.Fatal(err)
	}
	if got.Triples != 1 || got.Ties != "pessimistic" || got.Tail["mrr"] != 1.0/2 || got.Head["mrr"] != 1.0/4 {
		t.Errorf("%s", written)
	}
	for _, key := range []string{"mrr", "hits1", "hits3", "hits10", "mean_rank"} {
		if _, there := got.Both[key]; !there {
			t.Errorf("%s lacks %q", written, key)
		}
	}
}

func TestTiesText(t *testing.T) {
	for ties, text := range map[Ties]string{Pessimistic: "pessimistic", Optimistic: "optimistic", Realistic: "realistic"} {
		if written, err := ties.MarshalText(); err != nil || string(written) != text {
			t.Errorf("%d is written as %q (%v), want %q", ties, written, err, text)
		}
		back := Ties(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != ties {
			t.Errorf("%q is read as %v (%v)", text, back, err)
		}
	}
	var ties Ties
	checkError(t, ties.UnmarshalText([]byte("random")), `"random"`, "use pessimistic, optimistic or realistic")
	_, err := Ties(9).MarshalText()
	checkError(t, err, "tie rule(9)")
}
