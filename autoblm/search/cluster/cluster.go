package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names on the server.
const (
	trialStream     = "AUTOBLM_TRIALS"
	trialSubjects   = "autoblm.trials" // .ARITHMETIC.KEY or .ARITHMETIC.KEY.again
	withdrawSubject = "autoblm.withdraw"
	artifactSubject = "autoblm.artifact" // requests to send a model
	resultBucket    = "autoblm-results"
	workerBucket    = "autoblm-workers"
	dataBucket      = "autoblm-data"
	artifactBucket  = "autoblm-artifacts"
)

const (
	// defaultLease is the time after which a trial of a silent worker is delivered to another one.
	defaultLease = 30 * time.Second
	// callTime is the time for one answer of the server.
	callTime = 10 * time.Second
	// keepTime is the time for which results, models and data are kept.
	keepTime = 7 * 24 * time.Hour
)

// Options say how to reach the cluster, in the terms of NATS.
type Options struct {
	// URL has the addresses of NATS servers, separated by commas.
	URL string
	// NKey is a file with the seed of an nkey, and Credentials a file of a JWT and its seed.
	NKey, Credentials string
	// TLSCert and TLSKey are the certificate of this client, and TLSCA the authority of the server.
	TLSCert, TLSKey, TLSCA string
	// Name names the connection in the lists of the server.
	Name string
	// IsWorker waits for a coordinator to create the queue, if the server has none.
	IsWorker bool
	// Note receives messages, such as a lost connection; nil for none.
	Note func(text string)
	// lease is the time after which a trial of a silent worker is delivered to another one.
	lease time.Duration
}

// Cluster holds a connection to the queue, the results and the files of a cluster.
type Cluster struct {
	conn            *nats.Conn
	js              jetstream.JetStream
	trials          jetstream.Stream
	results         jetstream.KeyValue
	workers         jetstream.KeyValue
	data, artifacts jetstream.ObjectStore
	note            func(string)
	lease           time.Duration
	idle            time.Duration // after which a download without bytes fails
}

// Connect connects to a cluster. A coordinator creates its queue and its stores if they are missing.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	note := o.Note
	if note == nil {
		note = func(string) {}
	}
	conn, err := nats.Connect(o.URL, o.nats(note)...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, explained(err))
	}
	c := &Cluster{conn: conn, note: note, lease: cmp.Or(o.lease, defaultLease), idle: callTime}
	if err := c.setUp(ctx, o.IsWorker); err != nil {
		conn.Close()
		return nil, fmt.Errorf("set up the queue on %s: %w", o.URL, explained(err))
	}
	return c, nil
}

func (o Options) nats(note func(string)) []nats.Option {
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectJitter(time.Second, time.Second), nats.Timeout(callTime),
		nats.PingInterval(callTime), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note(fmt.Sprintf("warning: the connection to the cluster is lost: %v", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { note("the cluster is connected again") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) {
				note(fmt.Sprintf("warning: the cluster reports: %v", err))
			}
		}),
	}
	if o.NKey != "" {
		if key, err := nats.NkeyOptionFromSeed(o.NKey); err != nil {
			options = append(options, failing(fmt.Errorf("read the key %s: %w", o.NKey, err)))
		} else {
			options = append(options, key)
		}
	}
	if o.Credentials != "" {
		options = append(options, nats.UserCredentials(o.Credentials))
	}
	if o.TLSCert != "" {
		options = append(options, nats.ClientCert(o.TLSCert, o.TLSKey))
	}
	if o.TLSCA != "" {
		options = append(options, nats.RootCAs(o.TLSCA))
	}
	return options
}

// failing returns an option that fails.
func failing(err error) nats.Option { return func(*nats.Options) error { return err } }

// explained adds what to do about an error.
func explained(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("%w; start one with autoblm cluster serve", err)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return fmt.Errorf("%w; name a key of this cluster with --nkey", err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return fmt.Errorf("%w; start the NATS server with JetStream (-js)", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w; use a key that may access the subjects of autoblm, "+
			"such as one from autoblm cluster keys", err)
	}
	return err
}

// setUp opens the queue and the stores. A coordinator creates what is missing; a worker waits.
func (c *Cluster) setUp(ctx context.Context, isWorker bool) error {
	js, err := jetstream.New(c.conn)
	if err != nil {
		return err
	}
	c.js = js
	say := sync.OnceFunc(func() { c.note("waiting for the first search, which creates the queue") })
	for {
		attempt, cancel := context.WithTimeout(ctx, callTime)
		err := c.open(attempt, !isWorker)
		cancel()
		if !isWorker || !errors.Is(err, jetstream.ErrStreamNotFound) &&
			!errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
		say()
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// open opens the queue and the stores, and creates them if it may.
func (c *Cluster) open(ctx context.Context, create bool) error {
	var err error
	c.trials, err = c.js.Stream(ctx, trialStream)
	if create && errors.Is(err, jetstream.ErrStreamNotFound) {
		c.trials, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: trialStream, Subjects: []string{trialSubjects + ".>"}, Description: "trials to train",
			Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
			// A trial is in the queue at most once.
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
			MaxMsgSize: maxMessage, MaxAge: keepTime,
		})
	}
	if err != nil {
		return err
	}
	if c.results, err = c.bucket(ctx, create, jetstream.KeyValueConfig{
		Bucket: resultBucket, TTL: keepTime, MaxValueSize: maxMessage, Storage: jetstream.FileStorage,
	}); err != nil {
		return err
	}
	if c.workers, err = c.bucket(ctx, create, jetstream.KeyValueConfig{
		Bucket: workerBucket, TTL: c.lease, MaxValueSize: maxMessage, Storage: jetstream.FileStorage,
	}); err != nil {
		return err
	}
	if c.data, err = c.files(ctx, create, dataBucket); err != nil {
		return err
	}
	c.artifacts, err = c.files(ctx, create, artifactBucket)
	return err
}

// bucket opens a key-value store, and creates it if it is missing.
func (c *Cluster) bucket(
	ctx context.Context, create bool, config jetstream.KeyValueConfig,
) (jetstream.KeyValue, error) {
	kv, err := c.js.KeyValue(ctx, config.Bucket)
	if create && errors.Is(err, jetstream.ErrBucketNotFound) {
		return c.js.CreateOrUpdateKeyValue(ctx, config)
	}
	return kv, err
}

// files opens an object store, and creates it if it is missing.
func (c *Cluster) files(
	ctx context.Context, create bool, bucket string,
) (jetstream.ObjectStore, error) {
	store, err := c.js.ObjectStore(ctx, bucket)
	if create && errors.Is(err, jetstream.ErrBucketNotFound) {
		return c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: bucket, TTL: keepTime, Storage: jetstream.FileStorage,
		})
	}
	return store, err
}

// heartbeat returns the time between two signs of life of a worker.
func (c *Cluster) heartbeat() time.Duration { return c.lease / 3 }

// Close ends the connection.
func (c *Cluster) Close() { c.conn.Close() }

// retry calls a function until it succeeds, its error is permanent or ctx ends. The cluster may be
// away for long.
func (c *Cluster) retry(ctx context.Context, what string, call func(context.Context) error) error {
	const longest = 5 * time.Second
	for wait := longest / 32; ; wait = min(2*wait, longest) {
		attempt, cancel := context.WithTimeout(ctx, callTime)
		err := call(attempt)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isPermanent(err):
			return fmt.Errorf("%s: %w", what, err)
		case wait == longest:
			c.note(fmt.Sprintf("warning: %s: %v; trying again", what, err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// isPermanent reports whether a call would fail again.
func isPermanent(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyNotFound) ||
		errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrMsgNotFound) ||
		errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrConnectionClosed)
}

// queue returns the part of a subject that separates trials by arithmetic and by the version of the
// program, such as "cpu_avx512-v0_1_0".
func queue(arithmetic string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '_'
	}, cmp.Or(arithmetic, "any")+"-"+program())
}

// program returns the version of this program, with its commit.
var program = sync.OnceValue(func() string {
	b := cli.ReadBuild()
	return strings.TrimSpace(b.Version + " " + b.Commit)
})

func subject(parts ...string) string { return strings.Join(parts, ".") }
