package kge

import (
	"sync"
	"time"
)

// Progress tells how far a population is.
type Progress struct {
	// Epoch is the one that it is in, or that is over.
	Epoch, Epochs int
	// Step is how many of the Steps of the epoch are over.
	Step, Steps int
	// Validating says that the epoch is being validated.
	Validating bool
	// Loss has each member's mean loss per example in this epoch, once it is over.
	Loss []float64
	// Best is the best validation of the first member so far, nil before the first one.
	Best *Validation
}

// Share is how much of the training is done, validations left out.
func (p Progress) Share() float64 {
	return (float64(p.Epoch-1) + float64(p.Step)/float64(max(1, p.Steps))) / float64(p.Epochs)
}

// Telling is a [Ranker], or a [Population], that tells how far it is.
type Telling interface {
	// OnProgress has tell called, from any thread and often, with the share that is done of
	// each call of Epoch and of Rank to come. nil ends that.
	OnProgress(tell func(share float64))
}

// Tell has a ranker tell how far it is, where it can, until the end.
func Tell(r Ranker, tell func(share float64)) (end func()) {
	telling, is := r.(Telling)
	if !is || tell == nil {
		return func() {}
	}
	telling.OnProgress(Seldom(tell))
	return func() { telling.OnProgress(nil) }
}

// Seldom calls tell for some of the calls that it gets, ten a second at most and one at a
// time.
func Seldom(tell func(share float64)) func(share float64) {
	var one sync.Mutex
	last := time.Now()
	return func(share float64) {
		if !one.TryLock() {
			return
		}
		defer one.Unlock()
		if now := time.Now(); now.Sub(last) >= time.Second/10 {
			last = now
			tell(share)
		}
	}
}
