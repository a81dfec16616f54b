package main

// timed is something to time.
type timed struct {
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Members int    `json:"members"`
	// Steps are taken in each epoch; the first epoch warms up.
	Steps int `json:"steps"`
	// Rank times the ranking of the test triples instead of training steps.
	Rank bool `json:"rank"`
	// Goal is the ratio to the peer that we aim at.
	Goal float64 `json:"goal"`
}

var cases = []timed{
	{Name: "umls, d 64, batch 256", Dataset: "umls", Dim: 64, Batch: 256, Members: 1, Steps: 20, Goal: 0.5},
	{Name: "umls, d 64, batch 256, 8 members", Dataset: "umls", Dim: 64, Batch: 256, Members: 8, Steps: 20, Goal: 0.33},
	{Name: "wn18rr, d 64, batch 512", Dataset: "wn18rr", Dim: 64, Batch: 512, Members: 1, Steps: 8, Goal: 0.5},
	{Name: "fb15k-237, d 64, batch 512", Dataset: "fb15k-237", Dim: 64, Batch: 512, Members: 1, Steps: 16, Goal: 0.5},
	{Name: "wn18rr, d 512, batch 512", Dataset: "wn18rr", Dim: 512, Batch: 512, Members: 1, Steps: 3, Goal: 1},
	{Name: "wn18rr, test ranks, d 64", Dataset: "wn18rr", Dim: 64, Batch: 512, Members: 1, Rank: true, Goal: 0.33},
	{Name: "fb15k-237, test ranks, d 64", Dataset: "fb15k-237", Dim: 64, Batch: 512, Members: 1, Rank: true, Goal: 0.33},
}

// epochs is how many a timing takes, the first of which is left out.
const epochs = 3

// flops is the arithmetic of what is timed: three products of [queries, d] and
// [entities, d] for a training step of a member, one for a ranking.
func (c timed) flops(entities, testTriples int) float64 {
	if c.Rank {
		return 2 * float64(2*testTriples) * float64(entities) * float64(c.Dim)
	}
	return 3 * 2 * float64(2*c.Batch) * float64(entities) * float64(c.Dim)
}
