package cluster

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// limits are the limits of the queue and the stores on a server.
type limits struct {
	// lease and keep are as in [Cluster].
	lease, keep time.Duration
	// data and models are the room for data and for models in bytes; 0 is without a limit. Trials,
	// results and states of workers stay possible without room for models.
	data, models int64
}

// defaultKeep is the time for which results and data are kept.
const defaultKeep = 7 * 24 * time.Hour

var defaultLimits = limits{lease: DefaultLease, keep: defaultKeep}

var errNoQueue = errors.New("there is none; the first search creates it")

// setUp opens the queue and the stores. If they are missing, a coordinator creates them, a worker
// waits, and a viewer gets errNoQueue.
func (c *Cluster) setUp(ctx context.Context, o Options) error {
	js, err := jetstream.New(c.conn)
	if err != nil {
		return err
	}
	c.js = js
	say := sync.OnceFunc(func() { c.note("waiting for the first search, which creates the queue") })
	for {
		attempt, cancel := context.WithTimeout(ctx, callTime)
		err := c.open(attempt)
		isMissing := errors.Is(err, jetstream.ErrStreamNotFound) ||
			errors.Is(err, jetstream.ErrBucketNotFound)
		switch {
		case isMissing && o.IsViewer:
			err = errNoQueue
		case isMissing && !o.IsWorker:
			err = c.create(attempt, defaultLimits)
		case isMissing:
			cancel()
			say()
			sleep(ctx, time.Second)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			continue
		}
		cancel()
		return err
	}
}

// open opens the queue and the stores.
func (c *Cluster) open(ctx context.Context) (err error) {
	if c.trials, err = c.js.Stream(ctx, trialStream); err != nil {
		return err
	}
	if c.results, err = c.js.KeyValue(ctx, resultBucket); err != nil {
		return err
	}
	if c.workers, err = c.js.KeyValue(ctx, workerBucket); err != nil {
		return err
	}
	status, err := c.workers.Status(ctx)
	if err != nil {
		return err
	}
	c.lease = cmp.Or(status.TTL(), DefaultLease)
	if status, err = c.results.Status(ctx); err != nil {
		return err
	}
	c.keep = cmp.Or(status.TTL(), defaultKeep)
	if c.data, err = c.js.ObjectStore(ctx, dataBucket); err != nil {
		return err
	}
	c.artifacts, err = c.js.ObjectStore(ctx, artifactBucket)
	return err
}

// create creates the queue and the stores, or changes their limits, and opens them.
func (c *Cluster) create(ctx context.Context, l limits) error {
	_, err := c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: trialStream, Subjects: []string{trialSubjects + ".>"}, Description: "trials to train",
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		// A trial is in the queue at most once.
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
		MaxMsgSize: maxMessage, MaxAge: l.keep,
	})
	if err != nil {
		return err
	}
	for bucket, ttl := range map[string]time.Duration{resultBucket: l.keep, workerBucket: l.lease} {
		_, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: bucket, TTL: ttl, MaxValueSize: maxMessage, Storage: jetstream.FileStorage,
		})
		if err != nil {
			return err
		}
	}
	for bucket, room := range map[string]int64{dataBucket: l.data, artifactBucket: l.models} {
		_, err := c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: bucket, TTL: l.keep, Storage: jetstream.FileStorage, MaxBytes: room,
		})
		if err != nil {
			return err
		}
	}
	return c.open(ctx)
}

// addQueue creates the queue of an arithmetic, from which its workers take trials, unless it exists.
func (c *Cluster) addQueue(ctx context.Context, arithmetic string) error {
	return c.retry(ctx, "create a queue", func(ctx context.Context) error {
		_, err := c.trials.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable:       queueName(arithmetic),
			FilterSubject: subject(trialSubjects, queue(arithmetic), ">"),
			AckPolicy:     jetstream.AckExplicitPolicy, AckWait: c.lease,
			MaxAckPending: -1, MaxWaiting: 10000, MaxDeliver: -1, InactiveThreshold: c.keep,
		})
		return withDamage(err, queueName(arithmetic))
	})
}

// queueName returns the name of the queue of an arithmetic on the server.
func queueName(arithmetic string) string { return "workers-" + queue(arithmetic) }
