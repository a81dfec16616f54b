package main

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/internal/record"
)

// training is a whole training to compare. All trainers use the same graph, model, d, batch,
// Adagrad and learning rate, and no penalties.
type training struct {
	// ID is the name that --cases matches.
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Dataset string  `json:"dataset"`
	Model   string  `json:"model"`
	Dim     int     `json:"dim"` // real numbers per entity
	Batch   int     `json:"batch"`
	Rate    float64 `json:"rate"`
	// Reverses adds reciprocal relations.
	Reverses bool `json:"reverses,omitempty"`
	// Epochs is the number of epochs to time; the first warms up. Steps limits the steps per
	// epoch of a long training, which then has no MRR.
	Epochs int `json:"epochs"`
	Steps  int `json:"steps,omitempty"`
	// Seconds is the time of the time-limited training, which ends with a ranking.
	Seconds float64 `json:"seconds"`
}

const (
	complexModel, distmultModel, rotateModel = "complex", "distmult", "rotate"
	// equalEpochs and smallSeconds are for small graphs, cutSteps and largeSeconds for others.
	equalEpochs, smallSeconds = 10, 5
	cutSteps, largeSeconds    = 4, 30
)

// trainings returns all trainings to compare.
func trainings() []training {
	small := training{Dim: 64, Batch: 256, Rate: 0.2, Epochs: equalEpochs, Seconds: smallSeconds}
	large := training{
		Dim: 128, Batch: largeBatch, Rate: 0.2, Epochs: epochs, Steps: cutSteps,
		Seconds: largeSeconds,
	}
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

// whole reports whether the epochs are whole, so that the MRR is meaningful.
func (t training) whole() bool { return t.Steps == 0 }

// chooseTrainings returns the trainings whose ID matches.
func chooseTrainings(all []training, pattern string) ([]training, error) {
	return record.Choose("--cases", all, func(t training) string { return t.ID }, pattern)
}

// schedule is the length of a run: a number of epochs with at most a number of steps each (0: all),
// and whether the test triples are ranked afterwards.
type schedule struct {
	epochs, steps int
	rank          bool
}

// timingSchedule returns the schedule for timing a training.
func (t training) timingSchedule() schedule { return schedule{t.Epochs, t.Steps, t.whole()} }

// scheduleFor returns a schedule for a time limit, given the seconds of a step. All epochs have the
// same number of steps; if there are several, they are whole or nearly so.
func scheduleFor(seconds, step float64, perEpoch int) schedule {
	count := max(1, int(min(seconds/step, math.MaxInt32)))
	epochs := max(1, (count+perEpoch-1)/perEpoch)
	return schedule{epochs, count / epochs, true}
}

// flags returns the flags of a peer after its own command and the data.
func (p schedule) flags(t training, threads int) []string {
	all := fields("--structure %s --device cpu --dim %d --batch %d --lr %v --members 1 "+
		"--threads %d --seed 1 --epochs %d --max-steps %d",
		t.Model, t.Dim, t.Batch, t.Rate, threads, p.epochs, p.steps)
	if p.rank {
		all = append(all, "--eval")
	}
	return all
}
