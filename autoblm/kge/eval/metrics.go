package eval

// Metrics summarize a set of ranks. All are 0 for the empty set.
type Metrics struct {
	MRR      float64 `json:"mrr"`
	Hits1    float64 `json:"hits1"`
	Hits3    float64 `json:"hits3"`
	Hits10   float64 `json:"hits10"`
	MeanRank float64 `json:"mean_rank"`
}

// Add adds a rank to the sums with a weight. [Metrics.Over] turns sums into means.
func (m *Metrics) Add(rank, weight float64) {
	m.MRR += weight / rank
	m.MeanRank += weight * rank
	if rank <= 1 {
		m.Hits1 += weight
	}
	if rank <= 3 {
		m.Hits3 += weight
	}
	if rank <= 10 {
		m.Hits10 += weight
	}
}

// Over returns the sums divided by n, or by 1 if n is 0.
func (m Metrics) Over(n float64) Metrics {
	n = max(n, 1)
	return Metrics{
		MRR: m.MRR / n, Hits1: m.Hits1 / n, Hits3: m.Hits3 / n, Hits10: m.Hits10 / n,
		MeanRank: m.MeanRank / n,
	}
}

// Plus returns the sum of both.
func (m Metrics) Plus(other Metrics) Metrics {
	return Metrics{
		MRR:      m.MRR + other.MRR,
		Hits1:    m.Hits1 + other.Hits1,
		Hits3:    m.Hits3 + other.Hits3,
		Hits10:   m.Hits10 + other.Hits10,
		MeanRank: m.MeanRank + other.MeanRank,
	}
}
