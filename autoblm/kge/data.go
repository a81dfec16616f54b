package kge

import (
	"context"
	"math/rand/v2"
	"slices"
)

// Question asks for the entities at the end of a path, (e0, r1 ∘ … ∘ rL, ?) (paper,
// Section II-B2). A triple's question has a path of one hop.
type Question struct {
	Anchor int32
	// Path has the relations in the order in which they are walked. 2k is relation k and
	// 2k+1 is its reverse, walked from tail to head.
	Path []int32
}

// Example is a question with answers to learn.
type Example struct {
	Question
	// Target is one of the answers, whose embedding is penalized.
	Target int32
	// Targets are all of them, ascending. What is learnt both ways has one.
	Targets []int32
	// Weight is how much the question counts beside others, 1 as a rule, and Back how much
	// the way back does, of what is learnt both ways.
	Weight, Back float32
}

// Data is what models are trained on. A task makes it of its own data.
type Data struct {
	// Name is that of the data, and Source names them for the task to find again.
	Name, Source string
	// Entities and Relations are the labels by id.
	Entities, Relations []string
	// BothWays is whether an example is learnt backward too: the anchor from the target.
	// Then it has one target, which is learnt among all entities, and the loss of a
	// batch is the mean over its examples of both cross entropies.
	BothWays bool
	// Count is how many examples there are, at least.
	Count int
	// Fingerprint identifies the data, and Own are the settings that only the task has,
	// nil for none; they tell one training from another.
	Fingerprint func() string
	Own         any
	// Batches are those of an epoch, from 1, in an order that only the settings and the
	// epoch decide, cut to the steps that the settings allow. The paths of a batch have
	// one length.
	Batches func(s Settings, epoch int) [][]Example
	// Held is how many questions are held out to validate by.
	Held int
	// Validate is each model's score on what is held out, or on a [eval.Sample] of it; higher is
	// better. It is nil where there is nothing to validate by.
	Validate func(ctx context.Context, r Ranker, most int) ([]float64, error)

	ended func() error // of the context that is heeded; nil for none
}

// heeding are the data for as long as ctx lasts. Where it has ended before, that is for the
// training to tell, which knows what is kept.
func (d Data) heeding(ctx context.Context) *Data {
	if ctx.Err() == nil {
		d.ended = ctx.Err
	}
	return &d
}

// Ended is an error once what an engine makes of the data is of no use any more.
func (d *Data) Ended() error {
	if d.ended == nil {
		return nil
	}
	return d.ended()
}

// isOver says so now and then, of the many numbers that are made.
func (d *Data) isOver(number int) bool { return number%(1<<16) == 0 && d.Ended() != nil }

// Negatives draws entities that are no answers.
type Negatives struct {
	Seed     uint64 // of the member
	Entities int    // to draw from
	Count    int    // to draw for each query
}

// Draw visits Count entities for an example with a number in its batch, at a step that
// counts from 1. They depend on nothing else. Without an entity that is no answer
// none are visited.
func (n Negatives) Draw(step, number int, x *Example, visit func(entity int32)) {
	if len(x.Targets) >= n.Entities {
		return
	}
	rng := rand.NewPCG(n.Seed, uint64(step)<<32|uint64(number))
	for range n.Count {
		for {
			entity := int32(rng.Uint64() % uint64(n.Entities))
			if _, answer := slices.BinarySearch(x.Targets, entity); !answer {
				visit(entity)
				break
			}
		}
	}
}
