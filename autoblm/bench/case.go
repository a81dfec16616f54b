package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// timed is something to time: training steps, or a ranking of the test triples.
type timed struct {
	// ID is what --cases selects it by.
	ID      string `json:"id"`
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Members int    `json:"members"`
	// Steps are taken in each epoch, if it has as many; the first epoch warms up.
	Steps int `json:"steps"`
	// Rank times the ranking of the test triples instead of training steps.
	Rank bool `json:"rank"`
	// Goal is the ratio to the peer that we aim at, and Within the seconds; 0 is none.
	Goal   float64 `json:"goal"`
	Within float64 `json:"within,omitempty"`
}

const (
	// epochs is how many a timing of steps takes, the first of which is left out.
	epochs = 3
	// largeBatch is for the graphs that are not small, and smallBatch for rehearsals.
	largeBatch, smallBatch = 512, 32
	// deviceSteps are four calls of the device, or the whole epoch where that is less.
	deviceSteps = 256
)

func steps(dataset string, dim, batch, members, count int, goal float64) timed {
	return timed{Dataset: dataset, Dim: dim, Batch: batch, Members: members, Steps: count, Goal: goal}.named("step", fmt.Sprintf("d %d, batch %d", dim, batch))
}

func ranks(dataset string, dim, members int, goal, within float64) timed {
	return timed{Dataset: dataset, Dim: dim, Batch: largeBatch, Members: members, Rank: true, Goal: goal, Within: within}.named("rank", fmt.Sprintf("test ranks, d %d", dim))
}

func (c timed) named(what, text string) timed {
	c.ID, c.Name = fmt.Sprintf("%s-%s-%d", what, c.Dataset, c.Dim), c.Dataset+", "+text
	if c.Members > 1 {
		c.ID, c.Name = fmt.Sprintf("%sx%d", c.ID, c.Members), fmt.Sprintf("%s, %d members", c.Name, c.Members)
	}
	return c
}

// onCPU is what there is to time of the native engine.
func onCPU() []timed {
	return []timed{
		steps("umls", 64, 256, 1, 20, 0.5),
		steps("umls", 64, 256, 8, 20, 0.33),
		steps("wn18rr", 64, largeBatch, 1, 8, 0.5),
		steps("fb15k-237", 64, largeBatch, 1, 16, 0.5),
		steps("wn18rr", 512, largeBatch, 1, 3, 1),
		ranks("wn18rr", 64, 1, 0.33, 0),
		ranks("fb15k-237", 64, 1, 0.33, 0),
	}
}

// deviceGraphs are the graphs that GoMLX is measured on.
var deviceGraphs = []string{"wn18rr", "fb15k-237"}

// onDevice is what there is to time of GoMLX, in sizes for a GPU.
func onDevice() (all []timed) {
	for _, dataset := range deviceGraphs {
		for _, dim := range []int{64, 1024} {
			for _, members := range []int{1, 8} {
				goal := 1.0
				if members > 1 && dim == 64 {
					goal = 0.5
				}
				all = append(all, steps(dataset, dim, largeBatch, members, deviceSteps, goal), ranks(dataset, dim, members, 1, 1))
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
			all[i].Dim, all[i].Batch = smallDim(all[i].Dim), smallBatch
			all[i].Name += ", in the smallest shapes"
		}
	}
	return all
}

func smallDim(full int) int { return max(8, full/64) }

// choose keeps the cases whose ID matches.
func choose(cases []timed, pattern string) ([]timed, error) {
	matching, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--cases: %w", err)
	}
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	chosen := slices.DeleteFunc(slices.Clone(cases), func(c timed) bool { return !matching.MatchString(c.ID) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--cases: nothing is called %q; there are %s", pattern, strings.Join(ids, ", "))
	}
	return chosen, nil
}
