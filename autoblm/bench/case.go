package main

import (
	"fmt"

	"github.com/autoblm/autoblm-go/internal/record"
)

// benchCase is a benchmark to time.
type benchCase struct {
	// ID is the name that --cases matches.
	ID      string `json:"id"`
	Name    string `json:"name"`
	What    kind   `json:"what"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Members int    `json:"members"`
	// Steps is the largest number of steps per epoch. The first epoch warms up.
	Steps int `json:"steps,omitempty"`
	// Trained is the number of training steps before a ranking. Peers train one step, because
	// their time does not depend on it.
	Trained int `json:"trained,omitempty"`
	// Goal is the target ratio to the fastest peer, and GoalFloat32 to our float32; 0 for none.
	Goal        float64 `json:"goal,omitempty"`
	GoalFloat32 float64 `json:"goal_float32,omitempty"`
}

// kind is the kind of a benchmark.
type kind string

const (
	// stepKind times a training step on triples.
	stepKind kind = "step"
	// rankKind times the ranking of the test triples.
	rankKind kind = "rank"
	// epochKind times an epoch of paths with two hops, estimated from some steps. No peer has it.
	epochKind kind = "epoch"
)

const (
	// epochs is the number of epochs of a timing. The first is left out.
	epochs = 3
	// largeBatch is for graphs that are not small, smallBatch for rehearsals.
	largeBatch, smallBatch = 512, 32
	// deviceSteps is the number of steps in four calls of the device.
	deviceSteps = 256
	// trainedSteps is half an epoch or more, so that true answers rank high, as they do in
	// trained models.
	trainedSteps, smallSteps = 300, 2
)

func steps(dataset string, dim, batch, members, count int) benchCase {
	return benchCase{
		What: stepKind, Dataset: dataset, Dim: dim, Batch: batch, Members: members, Steps: count,
	}.named(fmt.Sprintf("d %d, batch %d", dim, batch))
}

func ranks(dataset string, dim, members, trained int) benchCase {
	return benchCase{
		What: rankKind, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: members,
		Trained: trained,
	}.named(fmt.Sprintf("test ranks, d %d", dim))
}

func epochOfPaths(dataset string, dim, count int) benchCase {
	return benchCase{
		What: epochKind, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: 1, Steps: count,
	}.named(fmt.Sprintf("an epoch of 2p, d %d", dim))
}

func (c benchCase) named(text string) benchCase {
	c.ID, c.Name = fmt.Sprintf("%s-%s-%d", c.What, c.Dataset, c.Dim), c.Dataset+", "+text
	if c.Members > 1 {
		c.ID = fmt.Sprintf("%sx%d", c.ID, c.Members)
		c.Name = fmt.Sprintf("%s, %d members", c.Name, c.Members)
	}
	return c
}

// withGoals returns the case with its goals.
func (c benchCase) withGoals(peer, float32 float64) benchCase {
	c.Goal, c.GoalFloat32 = peer, float32
	return c
}

// cpuCases returns the benchmarks of the native engine.
func cpuCases() []benchCase {
	return []benchCase{
		steps("umls", 64, 256, 1, 20).withGoals(0.3, 1),
		steps("umls", 64, 256, 8, 20).withGoals(0.06, 1),
		steps("wn18rr", 64, largeBatch, 1, 8).withGoals(0.2, 0.45),
		steps("fb15k-237", 64, largeBatch, 1, 16).withGoals(0.2, 0.45),
		steps("wn18rr", 512, largeBatch, 1, 3).withGoals(0.4, 0.25),
		steps("fb15k-237", 2000, 1000, 1, 2).withGoals(0.5, 0.2),
		ranks("wn18rr", 64, 1, trainedSteps).withGoals(0.05, 0.5),
		ranks("fb15k-237", 64, 1, trainedSteps).withGoals(0.05, 0.5),
		ranks("wn18rr", 1024, 1, trainedSteps).withGoals(0.3, 0.4),
		ranks("fb15k-237", 1024, 1, trainedSteps).withGoals(0.3, 0.4),
		epochOfPaths("query2box-fb15k-237", 256, 16).withGoals(0, 0.35),
	}
}

// deviceGraphs lists the graphs for GoMLX.
var deviceGraphs = []string{"wn18rr", "fb15k-237"}

// deviceCases returns the benchmarks of GoMLX, in sizes for a GPU.
func deviceCases() (all []benchCase) {
	for _, dataset := range deviceGraphs {
		for _, dim := range []int{64, 1024} {
			for _, members := range []int{1, 8} {
				step := steps(dataset, dim, largeBatch, members, deviceSteps).withGoals(1, 0)
				if members > 1 && dim == 64 {
					step.Goal = 0.5
				}
				all = append(all, step, ranks(dataset, dim, members, 0).withGoals(1, 0))
			}
		}
	}
	return all
}

// suite returns the benchmarks of a backend, or of the native engine for "". With small, they have
// the smallest shapes.
func suite(backend string, small bool) []benchCase {
	all := cpuCases()
	if backend != "" {
		all = deviceCases()
	}
	for i := range all {
		if small {
			all[i].Dim, all[i].Batch = smallDim(all[i].Dim), smallBatch
			all[i].Trained = min(all[i].Trained, smallSteps)
			all[i].Name += ", in the smallest shapes"
		}
	}
	return all
}

func smallDim(full int) int { return max(8, full/64) }

// ids returns the IDs of cases.
func ids(cases []benchCase) (all []string) {
	for _, c := range cases {
		all = append(all, c.ID)
	}
	return all
}

// choose returns the cases whose ID matches.
func choose(cases []benchCase, pattern string) ([]benchCase, error) {
	return record.Choose("--cases", cases, func(c benchCase) string { return c.ID }, pattern)
}
