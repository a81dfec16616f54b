package main

import (
	"fmt"

	"github.com/autoblm/autoblm-go/internal/record"
)

// timed is something to time.
type timed struct {
	// ID is what --cases selects it by.
	ID      string `json:"id"`
	Name    string `json:"name"`
	What    what   `json:"what"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Members int    `json:"members"`
	// Steps are taken in each epoch, if it has as many; the first epoch warms up.
	Steps int `json:"steps,omitempty"`
	// Trained is how many steps the model was trained that is ranked; without, it is as
	// training begins. What peers rank was trained a step, on which their time does not depend.
	Trained int `json:"trained,omitempty"`
	// Goal is the ratio to the fastest peer that we aim at, and GoalFloat32 that to our own
	// float32, and Within the seconds; 0 is none.
	Goal        float64 `json:"goal,omitempty"`
	GoalFloat32 float64 `json:"goal_float32,omitempty"`
	Within      float64 `json:"within,omitempty"`
}

// what is to be timed.
type what string

const (
	// aStep is a training step on triples.
	aStep what = "step"
	// aRanking is that of the test triples.
	aRanking what = "rank"
	// anEpoch is one of paths of two hops, told from some of its steps. Peers have none.
	anEpoch what = "epoch"
)

const (
	// epochs is how many a timing of steps takes, the first of which is left out.
	epochs = 3
	// largeBatch is for the graphs that are not small, and smallBatch for rehearsals.
	largeBatch, smallBatch = 512, 32
	// deviceSteps are four calls of the device, or the whole epoch where that is less.
	deviceSteps = 256
	// trainedSteps are an epoch or the better half of one: enough that true answers stand
	// out, as they do where ranking matters.
	trainedSteps, smallSteps = 300, 2
)

func steps(dataset string, dim, batch, members, count int) timed {
	return timed{What: aStep, Dataset: dataset, Dim: dim, Batch: batch, Members: members, Steps: count}.named(fmt.Sprintf("d %d, batch %d", dim, batch))
}

func ranks(dataset string, dim, members, trained int) timed {
	return timed{What: aRanking, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: members, Trained: trained}.named(fmt.Sprintf("test ranks, d %d", dim))
}

func epochOfPaths(dataset string, dim, count int) timed {
	return timed{What: anEpoch, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: 1, Steps: count}.named(fmt.Sprintf("an epoch of 2p, d %d", dim))
}

func (c timed) named(text string) timed {
	c.ID, c.Name = fmt.Sprintf("%s-%s-%d", c.What, c.Dataset, c.Dim), c.Dataset+", "+text
	if c.Members > 1 {
		c.ID, c.Name = fmt.Sprintf("%sx%d", c.ID, c.Members), fmt.Sprintf("%s, %d members", c.Name, c.Members)
	}
	return c
}

// against is the case with its goals.
func (c timed) against(peer, float32 float64) timed {
	c.Goal, c.GoalFloat32 = peer, float32
	return c
}

// onCPU is what there is to time of the native engine.
func onCPU() []timed {
	return []timed{
		steps("umls", 64, 256, 1, 20).against(0.3, 1),
		steps("umls", 64, 256, 8, 20).against(0.06, 1),
		steps("wn18rr", 64, largeBatch, 1, 8).against(0.2, 0.45),
		steps("fb15k-237", 64, largeBatch, 1, 16).against(0.2, 0.45),
		steps("wn18rr", 512, largeBatch, 1, 3).against(0.4, 0.25),
		steps("fb15k-237", 2000, 1000, 1, 2).against(0.5, 0.2),
		ranks("wn18rr", 64, 1, trainedSteps).against(0.05, 0.5),
		ranks("fb15k-237", 64, 1, trainedSteps).against(0.05, 0.5),
		ranks("wn18rr", 1024, 1, trainedSteps).against(0.3, 0.4),
		ranks("fb15k-237", 1024, 1, trainedSteps).against(0.3, 0.4),
		epochOfPaths("query2box-fb15k-237", 256, 16).against(0, 0.35),
	}
}

// deviceGraphs are the graphs that GoMLX is measured on.
var deviceGraphs = []string{"wn18rr", "fb15k-237"}

// onDevice is what there is to time of GoMLX, in sizes for a GPU.
func onDevice() (all []timed) {
	for _, dataset := range deviceGraphs {
		for _, dim := range []int{64, 1024} {
			for _, members := range []int{1, 8} {
				step, rank := steps(dataset, dim, largeBatch, members, deviceSteps).against(1, 0), ranks(dataset, dim, members, 0).against(1, 0)
				if members > 1 && dim == 64 {
					step.Goal = 0.5
				}
				rank.Within = 1
				all = append(all, step, rank)
			}
		}
	}
	return all
}

// suite is what there is to time on a backend, or natively where there is none. Small,
// it goes the same ways in the smallest shapes.
func suite(backend string, small bool) []timed {
	all := onCPU()
	if backend != "" {
		all = onDevice()
	}
	for i := range all {
		if small {
			all[i].Dim, all[i].Batch, all[i].Trained = smallDim(all[i].Dim), smallBatch, min(all[i].Trained, smallSteps)
			all[i].Name += ", in the smallest shapes"
		}
	}
	return all
}

func smallDim(full int) int { return max(8, full/64) }

// choose keeps the cases whose ID matches.
func choose(cases []timed, pattern string) ([]timed, error) {
	return record.Choose("--cases", cases, func(c timed) string { return c.ID }, pattern)
}
