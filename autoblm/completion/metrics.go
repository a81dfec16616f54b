package completion

import "math"

// Metrics sum up a set of ranks; all are 0 when the set is empty.
type Metrics struct {
	MRR      float64 `json:"mrr"`
	Hits1    float64 `json:"hits1"`
	Hits3    float64 `json:"hits3"`
	Hits10   float64 `json:"hits10"`
	MeanRank float64 `json:"mean_rank"`
}

// Evaluation holds the metrics of a set of triples: over both sides, and for
// the head queries and the tail queries alone.
type Evaluation struct {
	Triples int     `json:"triples"`
	Ties    Ties    `json:"ties"`
	Both    Metrics `json:"both"`
	Head    Metrics `json:"head"`
	Tail    Metrics `json:"tail"`
}

// Summarize turns ranks into metrics.
func Summarize(ranks []Ranked, ties Ties) Evaluation {
	var head, tail Metrics
	for _, r := range ranks {
		head.add(r.Head.Under(ties))
		tail.add(r.Tail.Under(ties))
	}
	both := Metrics{
		MRR:      head.MRR + tail.MRR,
		Hits1:    head.Hits1 + tail.Hits1,
		Hits3:    head.Hits3 + tail.Hits3,
		Hits10:   head.Hits10 + tail.Hits10,
		MeanRank: head.MeanRank + tail.MeanRank,
	}
	n := float64(len(ranks))
	return Evaluation{Triples: len(ranks), Ties: ties, Both: both.over(2 * n), Head: head.over(n), Tail: tail.over(n)}
}

func (m *Metrics) add(rank float64) {
	m.MRR += 1 / rank
	m.MeanRank += rank
	for _, hits := range []struct {
		limit float64
		count *float64
	}{{1, &m.Hits1}, {3, &m.Hits3}, {10, &m.Hits10}} {
		if rank <= hits.limit {
			*hits.count++
		}
	}
}

func (m Metrics) over(n float64) Metrics {
	n = math.Max(n, 1)
	return Metrics{MRR: m.MRR / n, Hits1: m.Hits1 / n, Hits3: m.Hits3 / n, Hits10: m.Hits10 / n, MeanRank: m.MeanRank / n}
}
