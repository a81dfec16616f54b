package cluster

import (
	"encoding/json"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestDecisions decides about deliveries of trials that other deliveries failed.
func TestDecisions(t *testing.T) {
	errorsOf := func(names ...string) map[string]string {
		all := map[string]string{}
		for _, name := range names {
			all[name] = "the disk is full"
		}
		return all
	}
	for name, c := range map[string]struct {
		attempts attempts
		delivery int
		training int
		isSecond bool
		others   []string
		want     decision
	}{
		"a worker was lost":                {delivery: 2, want: trainTrial},
		"three workers were lost":          {delivery: 4, want: waitForOthers},
		"three workers stay lost":          {attempts{Waited: true, Left: 1}, 5, 0, false, nil, giveUpTrial},
		"another worker trains it":         {delivery: 2, training: 1, want: waitForOthers},
		"it trains after three losses":     {delivery: 4, training: 1, want: waitForOthers},
		"a second copy":                    {delivery: 2, training: 1, isSecond: true, want: trainTrial},
		"a third copy":                     {delivery: 2, training: 2, isSecond: true, want: waitForOthers},
		"it was left to others":            {attempts{Left: 5}, 6, 0, false, nil, trainTrial},
		"this worker failed, others live":  {attempts{Errors: errorsOf("me"), Failed: 1}, 2, 0, false, []string{"b"}, leaveTrial},
		"this worker failed alone":         {attempts{Errors: errorsOf("me"), Failed: 1}, 2, 0, false, nil, trainTrial},
		"it failed alone three times":      {attempts{Errors: errorsOf("me"), Failed: 3}, 4, 0, false, nil, giveUpTrial},
		"it failed often, another lives":   {attempts{Errors: errorsOf("me"), Failed: 9}, 10, 0, false, []string{"b"}, leaveTrial},
		"another worker failed often":      {attempts{Errors: errorsOf("b"), Failed: 9}, 10, 0, false, []string{"b"}, trainTrial},
		"three workers failed":             {attempts{Errors: errorsOf("b", "c", "d"), Failed: 3}, 4, 0, false, []string{"e"}, giveUpTrial},
		"two failed and one was lost":      {attempts{Errors: errorsOf("b", "c"), Failed: 2}, 4, 0, false, nil, waitForOthers},
		"it was lost and failed, one left": {attempts{Errors: errorsOf("me"), Failed: 1}, 3, 0, false, []string{"b"}, leaveTrial},
	} {
		got := c.attempts.decide(c.delivery, "me", c.training, c.isSecond, c.others)
		if got != c.want {
			t.Errorf("%s: decision %d, want %d", name, got, c.want)
		}
	}
}

// TestNewWorkerWaits delivers a trial for the first time, as a server does that has forgotten a
// delivery, to a worker that has just started: another worker, maybe of the same name, trains the trial.
func TestNewWorkerWaits(t *testing.T) {
	c := newTestCluster(t)
	cluster := c.connect()
	for _, s := range []WorkerState{
		{Name: "old", Models: "first", Trial: "key"}, {Name: "new", Models: "second", Trial: "same-name"},
	} {
		content, err := json.Marshal(s)
		require.NoError(t, err)
		_, err = cluster.workers.Put(t.Context(), s.Models, content)
		require.NoError(t, err)
	}
	w := &Worker{Cluster: cluster, Name: "new", state: WorkerState{Models: "third"}}
	for key, want := range map[string]decision{
		"key": waitForOthers, "same-name": waitForOthers, "other": trainTrial,
	} {
		if got, _ := w.decide(t.Context(), delivery{sequence: 1, number: 1}, key, ""); got != want {
			t.Errorf("trial %s: decision %d, want %d", key, got, want)
		}
	}
}
