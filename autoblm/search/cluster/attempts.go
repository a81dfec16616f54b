package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// maxFailures is the number of workers that a trial may lose before it counts as failed.
const maxFailures = 3

// attempts records the deliveries of a trial that ended without a result. It decides what becomes of
// a further delivery.
type attempts struct {
	// Errors are the last errors of workers that could not train the trial.
	Errors map[string]string `json:"errors,omitempty"`
	// Failed is the number of errors, and Left the number of deliveries to workers that left the trial
	// to others. All other deliveries lost their workers.
	Failed int `json:"failed"`
	Left   int `json:"left"`
	// Waited is true after a wait for workers that seem lost.
	Waited bool `json:"waited,omitempty"`
}

// decision says what a worker does with a trial.
type decision int

const (
	trainTrial    decision = iota
	leaveTrial             // to a worker without errors
	waitForOthers          // for a lease: a worker trains it, or one that seems lost may return
	giveUpTrial
)

// decide returns what to do with delivery number n of a trial. training is the number of workers that
// train it, of which there may be another one for the second publication of a slow trial. others
// names further workers for such trials.
func (a *attempts) decide(n int, worker string, training int, isSecond bool, others []string) decision {
	if training > 1 || training == 1 && !isSecond {
		return waitForOthers // it was delivered again while the server or the connection was lost
	}
	_, hasFailed := a.Errors[worker]
	healthy := slices.DeleteFunc(slices.Clone(others), func(name string) bool {
		_, failed := a.Errors[name]
		return failed
	})
	lost := max(0, n-1-a.Failed-a.Left)
	switch {
	case lost+len(a.Errors) >= maxFailures,
		len(healthy) == 0 && hasFailed && lost+a.Failed >= maxFailures:
		if lost > 0 && !a.Waited {
			a.Waited = true
			return waitForOthers
		}
		return giveUpTrial
	case hasFailed && len(healthy) > 0:
		return leaveTrial
	}
	return trainTrial
}

// cause returns the errors of the workers, "" for none.
func (a *attempts) cause() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(a.Errors)) {
		texts = append(texts, fmt.Sprintf("worker %s: %s", name, a.Errors[name]))
	}
	return limited(strings.Join(texts, "; "))
}

// attemptsKey returns the key of the attempts of a message.
func attemptsKey(key string, sequence uint64) string {
	return fmt.Sprintf("%s.attempts.%d", key, sequence)
}

// changeAttempts reads the attempts of a trial, lets a function change them and stores them.
func (c *Cluster) changeAttempts(
	ctx context.Context, key string, change func(*attempts),
) (a attempts, err error) {
	err = c.retry(ctx, "record an attempt", func(ctx context.Context) error {
		a = attempts{}
		entry, err := c.results.Get(ctx, key)
		revision := uint64(0)
		switch {
		case err == nil:
			revision = entry.Revision()
			if err := json.Unmarshal(entry.Value(), &a); err != nil {
				return err
			}
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return err
		}
		change(&a)
		content, err := json.Marshal(a)
		if err != nil {
			return err
		}
		_, err = c.results.Update(ctx, key, content, revision)
		if errors.Is(err, jetstream.ErrKeyExists) {
			return errChanged
		}
		return err
	})
	return a, err
}

// errChanged means that another worker changed the attempts of a trial at the same time.
var errChanged = errors.New("another worker changed the record")

// decide returns what this worker does with a delivery of a trial.
func (w *Worker) decide(ctx context.Context, d delivery, key string, arithmetic string) (decision, string) {
	// A server that was killed may have forgotten a delivery, also if this worker is new.
	connected := time.Since(time.Unix(0, w.Cluster.connected.Load()))
	if d.number == 1 && connected > 2*w.Cluster.lease {
		return trainTrial, ""
	}
	states, err := w.Cluster.Workers(ctx)
	if err != nil {
		return waitForOthers, "" // the cluster is gone again
	}
	training, others := 0, []string(nil)
	for _, s := range states {
		switch {
		case s.Models == w.state.Models: // this worker; others may have its name
		case s.Trial == key:
			training++
		case s.CanTrain(arithmetic):
			others = append(others, s.Name)
		}
	}
	if d.number == 1 && training == 0 {
		return trainTrial, ""
	}
	decided := trainTrial
	a, err := w.Cluster.changeAttempts(ctx, attemptsKey(key, d.sequence), func(a *attempts) {
		decided = a.decide(d.number, w.Name, training, d.isSecond, others)
		if connected < w.Cluster.lease {
			decided = waitForOthers // not all workers are connected again
		}
		if decided == leaveTrial || decided == waitForOthers {
			a.Left++
		}
	})
	if err != nil {
		return waitForOthers, ""
	}
	return decided, a.cause()
}

// delivery describes the delivery of a trial.
type delivery struct {
	sequence uint64 // of the message
	number   int    // from 1
	isSecond bool   // of the second publication of a slow trial
	// published is the time of the server when it received the trial.
	published time.Time
}

func newDelivery(m jetstream.Msg) delivery {
	d := delivery{number: 1, isSecond: strings.HasSuffix(m.Subject(), secondEnding)}
	if about, err := m.Metadata(); err == nil {
		d.sequence, d.number = about.Sequence.Stream, int(about.NumDelivered)
		d.published = about.Timestamp
	}
	return d
}
