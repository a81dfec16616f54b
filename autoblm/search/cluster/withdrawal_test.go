package cluster

import (
	"context"
	"errors"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/nats-io/nats.go/jetstream"
)

// TestWithdrawalDuringCut ends a search while the connection of its worker is cut: the worker stops
// after it has connected again, and a repetition trains the trial.
func TestWithdrawalDuringCut(t *testing.T) {
	c := newTestCluster(t)
	n := newNetwork(t, c)
	begun, stopped, end := make(chan bool, 10), make(chan error, 10), make(chan bool)
	c.url = n.url()
	c.worker("far", fakeTask{train: func(ctx context.Context, _ task.Trial) error {
		begun <- true
		select {
		case <-ctx.Done():
			stopped <- context.Cause(ctx)
			return ctx.Err()
		case <-end:
			return nil
		}
	}})
	c.url = ""
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		n.proxy.Stop()
		cancel()
	}()
	on := c.task()
	_, err := on.Train(ctx, fakeTrials(1), func(float64) {})
	require.Error(t, err, "canceled")
	require.NoError(t, n.proxy.Start())
	if err := <-stopped; !errors.Is(err, errWithdrawn) {
		t.Errorf("the worker stopped because of: %v", err)
	}
	close(end)
	trainBoth(t, on, fakeTask{}, 1)
}

// TestWithdrawalOfDeliveredTrial withdraws a trial after its delivery and before its training.
func TestWithdrawalOfDeliveredTrial(t *testing.T) {
	c := newTestCluster(t)
	on := c.task()
	w := &Worker{
		Cluster: c.connect(), Name: "w", Arithmetic: on.arithmetic,
		queues: map[string]jetstream.Consumer{},
		Open: func(context.Context, Data, string, string) (task.Task, func(), error) {
			t.Error("a withdrawn trial was trained")
			return nil, nil, errors.New("stop")
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	delivered := make(chan jetstream.Msg, 1)
	go func() {
		defer cancel()
		for {
			message, err := w.next(ctx, w.Arithmetic, true)
			if err != nil || message != nil {
				delivered <- message
				return
			}
		}
	}()
	_, err := on.Train(ctx, fakeTrials(1), func(float64) {})
	require.Error(t, err, "canceled")
	message := <-delivered
	if message == nil {
		t.Fatal("no delivery")
	}
	w.handle(t.Context(), message)
}
