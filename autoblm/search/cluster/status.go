package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// WorkerState describes a worker and the trial that it trains.
type WorkerState struct {
	Name       string `json:"name"`
	Arithmetic string `json:"arithmetic"`
	// Models is the address for requests of its models. No other worker has it, not even one of the
	// same name.
	Models string `json:"models,omitempty"`
	// Others are further arithmetics of the worker.
	Others  []string `json:"other_arithmetics,omitempty"`
	Program string   `json:"program"` // its version
	Threads int      `json:"threads"`
	// Trial identifies the trial in training since Since; "" for none. Dataset is its data.
	Trial   string    `json:"trial,omitempty"`
	Dataset string    `json:"dataset,omitempty"`
	Since   time.Time `json:"since"`
	// Share is the finished share of the training.
	Share float64 `json:"share,omitempty"`
	// Trained and Failed count finished trials. Error is the last error.
	Trained int    `json:"trained"`
	Failed  int    `json:"failed"`
	Error   string `json:"error,omitempty"`
}

// Status describes the workers and the queue of a cluster.
type Status struct {
	Workers []WorkerState `json:"workers"`
	// Waiting trials are queued; Training ones have a worker.
	Waiting  int `json:"waiting"`
	Training int `json:"training"`
}

// Status returns the state of the cluster. It does not wait for a lost connection to return.
func (c *Cluster) Status(ctx context.Context) (s Status, err error) {
	if !c.conn.IsConnected() {
		lost := cmp.Or(c.lost.Load(), time.Now().UnixNano()) // its handler may be about to run
		why := cmp.Or(c.conn.LastError(), nats.ErrDisconnected)
		return s, Disconnected(time.Unix(0, lost), explained(why))
	}
	if s.Workers, err = c.Workers(ctx); err != nil {
		return s, err
	}
	for _, w := range s.Workers {
		if w.Trial != "" {
			s.Training++
		}
	}
	info, err := c.trials.Info(ctx)
	if err != nil {
		return s, fmt.Errorf("read the queue: %w", err)
	}
	s.Waiting = max(0, int(info.State.Msgs)-s.Training)
	return s, nil
}

// CanTrain reports whether a worker trains the trials of this program's searches with an arithmetic,
// "" for any.
func (s WorkerState) CanTrain(arithmetic string) bool {
	return !s.IsOtherVersion() &&
		(arithmetic == "" || s.Arithmetic == arithmetic || slices.Contains(s.Others, arithmetic))
}

// IsOtherVersion reports whether a worker is of another version than this program.
func (s WorkerState) IsOtherVersion() bool { return s.Program != program() }

// Workers returns the workers that showed a sign of life within their lease, by name.
func (c *Cluster) Workers(ctx context.Context) (all []WorkerState, err error) {
	err = c.retry(ctx, "list the workers", func(ctx context.Context) error {
		all, err = c.workerStates(ctx)
		return err
	})
	return all, err
}

// workerStates reads the states without a consumer, which a worker may not create: the server would
// deliver its messages to any subject.
func (c *Cluster) workerStates(ctx context.Context) (all []WorkerState, err error) {
	const batch = 1000
	last := map[string]WorkerState{} // by address, as one may change meanwhile
	for next, n := uint64(1), batch; n == batch; {
		n = 0
		messages, err := jetstreamext.GetBatch(ctx, c.js, "KV_"+workerBucket, batch,
			jetstreamext.GetBatchSubject("$KV."+workerBucket+".>"), jetstreamext.GetBatchSeq(next))
		if err != nil {
			return nil, err
		}
		for m, err := range messages {
			if errors.Is(err, jetstreamext.ErrNoMessages) {
				break
			}
			if err != nil {
				return nil, err
			}
			n++
			next = m.Sequence + 1
			// A deleted state is empty.
			var state WorkerState
			if json.Unmarshal(m.Data, &state) == nil {
				last[state.Models] = state
			}
		}
	}
	all = slices.AppendSeq([]WorkerState{}, maps.Values(last)) // not null in JSON
	slices.SortFunc(all, func(a, b WorkerState) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Models, b.Models))
	})
	return all, nil
}
