package main

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/internal/record"
)

// benchCase is a benchmark to time.
type benchCase struct {
	// ID is the name that --cases matches.
	ID      string `json:"id"`
	Name    string `json:"name"`
	What    kind   `json:"what"`
	Dataset string `json:"dataset"`
	Model   string `json:"model,omitempty"` // ComplEx if it is empty
	Dim     int    `json:"dim,omitempty"`   // real numbers per entity
	Batch   int    `json:"batch,omitempty"`
	Members int    `json:"members,omitempty"`
	// Epochs is the number of epochs to time, of which the first warms up, and Steps the largest
	// number of steps per epoch, 0 for no limit. For a time to an MRR, peers train Epochs epochs.
	Epochs int `json:"epochs,omitempty"`
	Steps  int `json:"steps,omitempty"`
	// Trained is the number of training steps before a ranking. Peers train one step, because
	// their time does not depend on it. Triples limits the ranked test triples; 0 for all.
	Trained int `json:"trained,omitempty"`
	Triples int `json:"triples,omitempty"`
	// Rate is the learning rate of a whole training, and Reverses adds reciprocal relations.
	// Seconds is the time of an additional, time-limited training, which ends with a ranking.
	// Negatives is the number of negatives of self-adversarial sampling; 0 for the full softmax.
	Rate      float64 `json:"rate,omitempty"`
	Negatives int     `json:"negatives,omitempty"`
	Reverses  bool    `json:"reverses,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
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
	// classKind times an epoch of a classifier. No peer has it.
	classKind kind = "class"
	// trainingKind times the steps of a whole training without penalties, and ranks after it.
	trainingKind kind = "training"
	// mrrKind times our default training until it has the validation MRR of a peer.
	mrrKind kind = "mrr"
)

const (
	// timedEpochs is the number of epochs of a timing. The first is left out.
	timedEpochs = 3
	// largeBatch is for graphs that are not small, smallBatch for rehearsals.
	largeBatch, smallBatch = 512, 32
	// To reach the MRR of a peer, we train at most ourEpochs epochs for each of the peer, and at
	// most the number of the default recipe.
	ourEpochs, maxEpochs = 4, 60
	// deviceSteps is the number of steps in four calls of the device.
	deviceSteps = 256
	// trainedSteps is half an epoch or more, so that true answers rank high, as they do in
	// trained models.
	trainedSteps, smallSteps = 300, 2
	// rankedTriples is few enough for GoMLX's own backend.
	rankedTriples = 512

	complexModel, distmultModel, rotateModel = "complex", "distmult", "rotate"
)

func steps(dataset string, dim, batch, members, count int) benchCase {
	return benchCase{
		What: stepKind, Dataset: dataset, Dim: dim, Batch: batch, Members: members,
		Epochs: timedEpochs, Steps: count,
	}.named(fmt.Sprintf("d %d, batch %d", dim, batch))
}

func ranks(dataset string, dim, members, trained int) benchCase {
	return benchCase{
		What: rankKind, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: members,
		Trained: trained,
	}.named(fmt.Sprintf("test ranks, d %d", dim))
}

// someRanks returns a ranking of some test triples.
func someRanks(dataset string, dim int) benchCase {
	c := ranks(dataset, dim, 1, 0)
	c.Triples, c.Name = rankedTriples,
		fmt.Sprintf("%s, filtered ranks of %d triples, d %d", dataset, rankedTriples, dim)
	return c
}

func epochOfPaths(dataset string, dim, count int) benchCase {
	return benchCase{
		What: epochKind, Dataset: dataset, Dim: dim, Batch: largeBatch, Members: 1,
		Epochs: timedEpochs, Steps: count,
	}.named(fmt.Sprintf("an epoch of 2p, d %d", dim))
}

func classes(dataset string, epochs int) benchCase {
	return benchCase{
		ID: "epoch-" + dataset, Name: dataset + ", an epoch of a classifier", What: classKind,
		Dataset: dataset, Members: 1, Epochs: epochs,
	}
}

// timeToMRR returns the time to the validation MRR that peers have after a number of epochs.
func timeToMRR(dataset string, dim, epochs int) benchCase {
	return benchCase{
		ID: fmt.Sprintf("%s-%d-%d", dataset, dim, epochs), What: mrrKind,
		Name:    fmt.Sprintf("%s, d %d, %d epochs of a peer", dataset, dim, epochs),
		Dataset: dataset, Dim: dim, Batch: largeBatch, Members: 1, Epochs: epochs,
	}.withGoals(0.25, 0)
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

// on returns a whole training with a graph and a model.
func (c benchCase) on(dataset, model string, reverses bool) benchCase {
	c.What, c.Members, c.Rate = trainingKind, 1, 0.2
	c.Dataset, c.Model, c.Reverses = dataset, model, reverses
	c.ID = fmt.Sprintf("%s-%s-%d", dataset, model, c.Dim)
	c.Name = fmt.Sprintf("%s, %s, d %d, batch %d", dataset, model, c.Dim, c.Batch)
	if reverses {
		c.ID, c.Name = c.ID+"-reverses", c.Name+", with reverses"
	}
	return c
}

// sampling returns a whole training with a number of negatives.
func (c benchCase) sampling(negatives int) benchCase {
	c.Negatives = negatives
	c.ID, c.Name = fmt.Sprintf("%s-sampled-%d", c.ID, negatives),
		fmt.Sprintf("%s, %d negatives", c.Name, negatives)
	return c
}

// isTraining reports whether a case trains and may rank afterwards.
func (c benchCase) isTraining() bool { return c.What == trainingKind || c.What == mrrKind }

// whole reports whether the epochs of a training are whole, so that its MRR is meaningful.
func (c benchCase) whole() bool { return c.isTraining() && c.Steps == 0 }

// suite is a list of benchmarks.
type suite string

const (
	speedSuite     suite = "speed"     // of the native engine
	enginesSuite   suite = "engines"   // of all engines on a CPU
	trainingsSuite suite = "trainings" // whole trainings of the native engine
	timeToMRRSuite suite = "time-to-mrr"
	serveSuite     suite = "serve"
	clusterSuite   suite = "cluster"
	deviceSuite    suite = "device" // of GoMLX, in sizes for a GPU
)

// deviceGraphs lists the graphs for GoMLX and for times to an MRR.
var deviceGraphs = []string{"wn18rr", "fb15k-237"}

// cases returns the benchmarks of a suite.
func (s suite) cases() (all []benchCase) {
	switch s {
	case speedSuite:
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
	case enginesSuite: // without what is too large for GoMLX's own backend
		return []benchCase{
			steps("umls", 64, 256, 1, 20), steps("umls", 64, 256, 8, 20),
			steps("wn18rr", 64, largeBatch, 1, 2), steps("fb15k-237", 64, largeBatch, 1, 6),
			steps("fb15k-237", 256, largeBatch, 1, 2), someRanks("umls", 64),
			someRanks("wn18rr", 64), someRanks("fb15k-237", 64), classes("mutag", 5),
			classes("aifb", 3),
		}
	case trainingsSuite:
		small := benchCase{Dim: 64, Batch: 256, Epochs: 10, Seconds: 5}
		large := benchCase{Dim: 128, Batch: largeBatch, Epochs: timedEpochs, Steps: 4, Seconds: 30}
		sampled := large
		sampled.Dim = 200
		return []benchCase{
			small.on("umls", complexModel, false), small.on("umls", distmultModel, false),
			small.on("umls", rotateModel, false), small.on("umls", complexModel, true),
			small.on("kinship", complexModel, false), large.on("fb15k-237", complexModel, false),
			sampled.on("fb15k-237", rotateModel, false).sampling(256), large.on("fb15k-237", complexModel, true),
			large.on("wn18rr", complexModel, false), large.on("wn18rr", distmultModel, false),
			large.on("wn18rr", complexModel, true),
		}
	case timeToMRRSuite:
		for _, dataset := range deviceGraphs {
			all = append(all, timeToMRR(dataset, 128, 3), timeToMRR(dataset, 128, 10),
				timeToMRR(dataset, 128, 30), timeToMRR(dataset, 512, 3),
				timeToMRR(dataset, 512, 10), timeToMRR(dataset, 2000, 3))
		}
		return all
	}
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

// small returns benchmarks in the smallest shapes.
func small(all []benchCase) []benchCase {
	for i := range all {
		all[i].Dim, all[i].Batch = smallDim(all[i].Dim), smallBatch
		all[i].Trained = min(all[i].Trained, smallSteps)
		all[i].Seconds = min(all[i].Seconds, 1)
		switch all[i].What {
		case classKind:
			all[i].Epochs = 1
		case mrrKind:
			all[i].Epochs = 2
		}
		all[i].Name += ", in the smallest shapes"
	}
	return all
}

func smallDim(full int) int { return max(8, full/256*4) }

func id(c benchCase) string { return c.ID }

// choose returns the cases whose ID matches.
func choose(cases []benchCase, pattern string) ([]benchCase, error) {
	return record.Choose("--cases", cases, id, pattern)
}

// schedule is the length of a run: a number of epochs with at most a number of steps each (0: all),
// and whether the test triples are ranked afterwards.
type schedule struct {
	epochs, steps int
	rank          bool
}

// schedule returns the schedule of peers and of our trainings.
func (c benchCase) schedule() schedule {
	if c.What == rankKind {
		return schedule{1, 1, true}
	}
	return schedule{c.Epochs, c.Steps, c.whole()}
}

// scheduleFor returns a schedule for a time limit, given the seconds of a step. All epochs have the
// same number of steps; if there are several, they are whole or nearly so.
func scheduleFor(seconds, step float64, perEpoch int) schedule {
	count := max(1, int(min(seconds/step, math.MaxInt32)))
	epochs := max(1, (count+perEpoch-1)/perEpoch)
	return schedule{epochs, count / epochs, true}
}
