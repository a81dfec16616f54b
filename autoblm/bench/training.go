package main

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/internal/record"
)

// training is a whole one to compare: by all on the same graph, with the same model, d,
// batch, optimizer (Adagrad) and rate, and without penalties.
type training struct {
	// ID is what --cases selects it by.
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Dataset string  `json:"dataset"`
	Model   string  `json:"model"`
	Dim     int     `json:"dim"` // real numbers of an entity
	Batch   int     `json:"batch"`
	Rate    float64 `json:"rate"`
	// Reverses gives each relation a reverse with an embedding of its own.
	Reverses bool `json:"reverses,omitempty"`
	// Epochs are taken by all, the first of which warms up. Steps cuts each where all of it
	// would take too long; the MRR after them is told only where it does not.
	Epochs int `json:"epochs"`
	Steps  int `json:"steps,omitempty"`
	// Seconds are those in which each then trains as far as it comes, and is ranked.
	Seconds float64 `json:"seconds"`
}

const (
	complexModel, distmultModel, rotateModel = "complex", "distmult", "rotate"
	// equalEpochs and smallSeconds are for the small graphs, cutSteps and largeSeconds for
	// the others.
	equalEpochs, smallSeconds = 10, 5
	cutSteps, largeSeconds    = 4, 30
)

// trainings are all there is to compare.
func trainings() []training {
	small := training{Dim: 64, Batch: 256, Rate: 0.2, Epochs: equalEpochs, Seconds: smallSeconds}
	large := training{Dim: 128, Batch: largeBatch, Rate: 0.2, Epochs: epochs, Steps: cutSteps, Seconds: largeSeconds}
	return []training{
		small.on("umls", complexModel),
		small.on("umls", distmultModel),
		small.on("umls", rotateModel),
		small.on("umls", complexModel).reversed(),
		small.on("kinship", complexModel),
		large.on("fb15k-237", complexModel),
		large.on("fb15k-237", rotateModel),
		large.on("fb15k-237", complexModel).reversed(),
		large.on("wn18rr", complexModel),
		large.on("wn18rr", distmultModel),
		large.on("wn18rr", complexModel).reversed(),
	}
}

func (t training) on(dataset, model string) training {
	t.Dataset, t.Model = dataset, model
	t.ID = fmt.Sprintf("%s-%s-%d", dataset, model, t.Dim)
	t.Name = fmt.Sprintf("%s, %s, d %d, batch %d", dataset, model, t.Dim, t.Batch)
	return t
}

func (t training) reversed() training {
	t.Reverses, t.ID, t.Name = true, t.ID+"-reverses", t.Name+", with reverses"
	return t
}

// whole says whether epochs are whole, so that the MRR after them is of the training.
func (t training) whole() bool { return t.Steps == 0 }

// chooseTrainings keeps those whose ID matches.
func chooseTrainings(all []training, pattern string) ([]training, error) {
	return record.Choose("--cases", all, func(t training) string { return t.ID }, pattern)
}

// pass is how far a run trains: so many epochs, of each at most so many steps, or all for
// 0; and whether the test triples are ranked then.
type pass struct {
	epochs, steps int
	rank          bool
}

// measuring is the pass by which a training is timed.
func (t training) measuring() pass { return pass{t.Epochs, t.Steps, t.whole()} }

// within is a pass of about so many seconds for steps of so long: epochs of one length,
// which are whole or nearly so where there are several.
func within(seconds, step float64, perEpoch int) pass {
	count := max(1, int(min(seconds/step, math.MaxInt32)))
	epochs := max(1, (count+perEpoch-1)/perEpoch)
	return pass{epochs, count / epochs, true}
}

// flags are those of a peer after its own and the data.
func (p pass) flags(t training, threads int) []string {
	all := fields("--structure %s --device cpu --dim %d --batch %d --lr %v --members 1 --threads %d --seed 1 --epochs %d --max-steps %d",
		t.Model, t.Dim, t.Batch, t.Rate, threads, p.epochs, p.steps)
	if p.rank {
		all = append(all, "--eval")
	}
	return all
}
