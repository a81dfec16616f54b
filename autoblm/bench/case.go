package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// timed is something to time beside the peer: training steps, or a ranking of the
// test triples.
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

// epochs is how many a timing takes, the first of which is left out.
const epochs = 3

// batch of the graphs that are not small.
const batch = 512

// flops is the arithmetic of what is timed: three products of [queries, d] and
// [entities, d] for a training step of a member, one for a ranking.
func (c timed) flops(entities, testTriples int) float64 {
	if c.Rank {
		return 2 * float64(2*testTriples) * float64(entities) * float64(c.Dim)
	}
	return 3 * 2 * float64(2*c.Batch) * float64(entities) * float64(c.Dim)
}

func steps(dataset string, dim, batch, members, steps int, goal float64) timed {
	return timed{
		ID: id("step", dataset, dim, members), Name: fmt.Sprintf("%s, d %d, batch %d%s", dataset, dim, batch, ofMembers(members)),
		Dataset: dataset, Dim: dim, Batch: batch, Members: members, Steps: steps, Goal: goal,
	}
}

func ranks(dataset string, dim, members int, goal, within float64) timed {
	return timed{
		ID: id("rank", dataset, dim, members), Name: fmt.Sprintf("%s, test ranks, d %d%s", dataset, dim, ofMembers(members)),
		Dataset: dataset, Dim: dim, Batch: batch, Members: members, Rank: true, Goal: goal, Within: within,
	}
}

func id(what, dataset string, dim, members int) string {
	text := fmt.Sprintf("%s-%s-%d", what, dataset, dim)
	if members > 1 {
		text += fmt.Sprintf("x%d", members)
	}
	return text
}

func ofMembers(members int) string {
	if members == 1 {
		return ""
	}
	return fmt.Sprintf(", %d members", members)
}

// suite is what can be measured, or what was selected of it.
type suite struct {
	timed      []timed
	precisions []precision
	searches   []searching
}

// onCPU is the suite of the native engine.
func onCPU() suite {
	return suite{timed: []timed{
		steps("umls", 64, 256, 1, 20, 0.5),
		steps("umls", 64, 256, 8, 20, 0.33),
		steps("wn18rr", 64, batch, 1, 8, 0.5),
		steps("fb15k-237", 64, batch, 1, 16, 0.5),
		steps("wn18rr", 512, batch, 1, 3, 1),
		ranks("wn18rr", 64, 1, 0.33, 0),
		ranks("fb15k-237", 64, 1, 0.33, 0),
	}}
}

// deviceGraphs are the graphs of the suite of GoMLX.
var deviceGraphs = []string{"wn18rr", "fb15k-237"}

// deviceSteps are four calls of the device, or the whole epoch where that is less.
const deviceSteps = 256

// onDevice is the suite of GoMLX, whose sizes are for a GPU.
func onDevice() suite {
	var s suite
	for _, dataset := range deviceGraphs {
		for _, dim := range []int{64, 1024} {
			for _, members := range []int{1, 8} {
				goal := 1.0
				if members > 1 && dim == 64 {
					goal = 0.5
				}
				s.timed = append(s.timed, steps(dataset, dim, batch, members, deviceSteps, goal), ranks(dataset, dim, members, 1, 1))
			}
		}
		s.precisions = append(s.precisions, newPrecision(dataset, 64, 8), newPrecision(dataset, 1024, 2))
	}
	s.searches = []searching{newSearching("wn18rr", 256, 15*60)}
	return s
}

// The sizes of a rehearsal. The budget is for two rounds after the first.
const (
	smallBatch  = 32
	smallEpochs = 2
	smallBudget = 20
)

// small is the suite in the smallest shapes that go the same ways.
func (s suite) small() suite {
	dim := func(full int) int { return max(8, full/64) }
	shrunk := suite{timed: slices.Clone(s.timed), precisions: slices.Clone(s.precisions), searches: slices.Clone(s.searches)}
	for i := range shrunk.timed {
		c := &shrunk.timed[i]
		c.Dim, c.Batch = dim(c.Dim), smallBatch
		c.Name += ", in the smallest shapes"
	}
	for i := range shrunk.precisions {
		c := &shrunk.precisions[i]
		c.Dim, c.Batch, c.Epochs = dim(c.Dim), smallBatch, smallEpochs
	}
	for i := range shrunk.searches {
		c := &shrunk.searches[i]
		c.Dim, c.Batch, c.Epochs, c.Budget = dim(c.Dim), smallBatch, smallEpochs, smallBudget
	}
	return shrunk
}

// ids are those of all cases.
func (s suite) ids() []string {
	var all []string
	for _, c := range s.timed {
		all = append(all, c.ID)
	}
	for _, c := range s.precisions {
		all = append(all, c.ID)
	}
	for _, c := range s.searches {
		all = append(all, c.ID)
	}
	return all
}

// choose keeps the cases whose ID matches one of the patterns, as step-wn18rr-*.
func (s suite) choose(patterns []string) (suite, error) {
	for _, pattern := range patterns {
		matches := func(id string) bool { return matchesAny(id, []string{pattern}) }
		if !slices.ContainsFunc(s.ids(), matches) {
			return suite{}, fmt.Errorf("--cases: nothing is called %q; there are %s", pattern, strings.Join(s.ids(), ", "))
		}
	}
	return suite{
		timed:      slices.DeleteFunc(slices.Clone(s.timed), func(c timed) bool { return !matchesAny(c.ID, patterns) }),
		precisions: slices.DeleteFunc(slices.Clone(s.precisions), func(c precision) bool { return !matchesAny(c.ID, patterns) }),
		searches:   slices.DeleteFunc(slices.Clone(s.searches), func(c searching) bool { return !matchesAny(c.ID, patterns) }),
	}, nil
}

func matchesAny(id string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, id)
		return matched && err == nil
	})
}
