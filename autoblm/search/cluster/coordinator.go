package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// train publishes trials and waits for their results. keep is called now and then, to keep the data on
// the cluster. If ctx ends, train withdraws the trials.
func (c *Cluster) train(
	ctx context.Context, works []work, keep func(context.Context) error,
	onProgress func(share float64),
) ([]result, error) {
	r := round{
		Cluster: c, arithmetic: works[0].Arithmetic, keepData: keep,
		pending: map[string]work{}, results: map[string]result{},
	}
	keys := make([]string, len(works))
	for i, w := range works {
		var err error
		if keys[i], err = w.key(); err != nil {
			return nil, err
		}
		r.pending[keys[i]] = w
	}
	if err := r.run(ctx, onProgress); err != nil {
		r.withdraw(context.WithoutCancel(ctx))
		return nil, err
	}
	results := make([]result, len(works))
	for i, key := range keys {
		results[i] = r.results[key]
	}
	return results, nil
}

// round is a number of trials that train at the same time.
type round struct {
	*Cluster
	arithmetic string
	keepData   func(context.Context) error
	pending    map[string]work // by key
	results    map[string]result
	doubled    []string // keys of trials that were published a second time for idle workers
}

func (r *round) run(ctx context.Context, onProgress func(share float64)) error {
	watcher, err := r.watch(ctx)
	if err != nil {
		return err
	}
	defer func() { watcher.Stop() }()
	updates := watcher.Updates()
	// The watch finds results soon. The check finds those that it missed, and publishes trials
	// that have neither a result nor a place in the queue.
	check := time.NewTicker(r.lease / 6)
	defer check.Stop()
	if err := r.check(ctx); err != nil {
		return err
	}
	for {
		all := len(r.pending) + len(r.results)
		onProgress(float64(len(r.results)) / float64(all))
		if len(r.pending) == 0 {
			return nil
		}
		select {
		case entry, open := <-updates:
			if !open { // the server lost the watch; check begins another one
				updates = nil
				continue
			}
			if entry == nil || entry.Operation() != jetstream.KeyValuePut {
				continue
			}
			if _, waited := r.pending[entry.Key()]; waited {
				if err := r.receive(ctx, entry); err != nil {
					return err
				}
			}
		case <-check.C:
			if updates == nil {
				again, err := r.watch(ctx)
				if err != nil {
					return err
				}
				watcher.Stop()
				watcher, updates = again, again.Updates()
			}
			if err := r.check(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// watch begins a watch of the results.
func (r *round) watch(ctx context.Context) (watcher jetstream.KeyWatcher, err error) {
	err = r.retry(ctx, "watch the results", func(context.Context) (err error) {
		watcher, err = r.Cluster.results.Watch(ctx, ">", jetstream.UpdatesOnly())
		return err
	})
	return watcher, err
}

// receive keeps a result. It removes the result of a trial that no worker trained from the cluster,
// so that another search tries again, and returns the error of the workers, if they had one.
func (r *round) receive(ctx context.Context, entry jetstream.KeyValueEntry) error {
	result, err := decode[result](entry.Value())
	if err != nil {
		return err
	}
	if result.Lost {
		err := r.retry(ctx, "remove a result", func(ctx context.Context) error {
			return r.Cluster.results.Delete(ctx, entry.Key())
		})
		if err != nil {
			return err
		}
		if result.Cause != "" {
			return fmt.Errorf("train on the cluster: %s", result.Cause)
		}
	}
	r.results[entry.Key()] = result
	delete(r.pending, entry.Key())
	if i := slices.Index(r.doubled, entry.Key()); i >= 0 {
		r.cancel(entry.Key()) // the slower of the two
	}
	return nil
}

// check looks for the results of all pending trials, and publishes those that are not in the queue.
func (r *round) check(ctx context.Context) error {
	if err := r.addQueue(ctx, r.arithmetic); err != nil {
		return err
	}
	if err := r.keepData(ctx); err != nil {
		return err
	}
	for key, w := range r.pending {
		var entry jetstream.KeyValueEntry
		err := r.retry(ctx, "look for a result", func(ctx context.Context) (err error) {
			entry, err = r.Cluster.results.Get(ctx, key)
			return err
		})
		switch {
		case err == nil:
			err = r.receive(ctx, entry)
		case errors.Is(err, jetstream.ErrKeyNotFound):
			err = r.publish(ctx, w, trialSubject(w, key))
		}
		if err != nil {
			return err
		}
	}
	return r.double(ctx)
}

// publish puts a trial into the queue, unless it is there.
func (c *Cluster) publish(ctx context.Context, w work, subject string) error {
	content, err := encode(w)
	if err != nil {
		return err
	}
	return c.retry(ctx, "publish a trial", func(ctx context.Context) error {
		_, err := c.js.Publish(ctx, subject, content)
		if isQueued(err) {
			return nil
		}
		return err
	})
}

// isQueued reports whether a message was refused because its subject has one.
func isQueued(err error) bool {
	refused, is := errors.AsType[*jetstream.APIError](err)
	return is && refused.ErrorCode == storeFailed &&
		refused.Description == "maximum messages per subject exceeded"
}

// secondEnding ends the subject of the second publication of a slow trial.
const secondEnding = ".again"

func trialSubject(w work, key string) string {
	return subject(trialSubjects, queue(w.Arithmetic), key)
}

// double publishes the trials that train for the longest time again, one for each idle worker. Both
// workers compute the same bits; the first result counts.
func (r *round) double(ctx context.Context) error {
	states, err := r.Workers(ctx)
	if err != nil || len(r.pending) == 0 {
		return err
	}
	for _, s := range r.slowest(states) {
		// The state of a lost worker is gone by then, and its trial is delivered again anyway.
		if time.Since(s.Since) < 2*r.lease {
			continue
		}
		w := r.pending[s.Trial]
		if err := r.publish(ctx, w, trialSubject(w, s.Trial)+secondEnding); err != nil {
			return err
		}
		r.doubled = append(r.doubled, s.Trial)
	}
	return nil
}

// slowest returns the workers of the trials to publish again, the slowest first: one for each idle
// worker. It returns none while trials are still queued.
func (r *round) slowest(states []WorkerState) (slowest []WorkerState) {
	states = slices.Clone(states)
	slices.SortFunc(states, func(a, b WorkerState) int { return a.Since.Compare(b.Since) })
	workers := map[string]int{} // of each trial
	idle := 0
	for _, s := range states {
		_, waited := r.pending[s.Trial]
		switch {
		case waited:
			workers[s.Trial]++
			if workers[s.Trial] == 1 && !slices.Contains(r.doubled, s.Trial) {
				slowest = append(slowest, s)
			}
		case s.Trial == "" && s.CanTrain(r.arithmetic):
			idle++
		}
	}
	for _, trial := range r.doubled {
		if _, waited := r.pending[trial]; waited && workers[trial] < 2 {
			idle-- // a worker will take it
		}
	}
	if len(workers) < len(r.pending) || idle <= 0 {
		return nil
	}
	return slowest[:min(idle, len(slowest))]
}

// withdraw takes the pending trials out of the queue and stops their trainings.
func (r *round) withdraw(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for key := range r.pending {
		r.Cluster.results.Put(ctx, withdrawalKey(key), nil)
		r.cancel(key)
		for _, s := range []string{"", secondEnding} {
			r.trials.Purge(ctx, jetstream.WithPurgeSubject(trialSubject(r.pending[key], key)+s))
		}
	}
	r.conn.FlushWithContext(ctx)
}

// withdrawalKey returns the key of the record of the last withdrawal of a trial. It reaches workers
// that are not connected during the withdrawal.
func withdrawalKey(key string) string { return key + ".withdrawn" }

// cancel asks the connected workers to stop the training of a trial.
func (c *Cluster) cancel(key string) { c.conn.Publish(subject(withdrawSubject, key), nil) }
