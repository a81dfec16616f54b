package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// longestPause is the longest pause of a worker after an error.
	longestPause = time.Minute
	// maxError is the largest size of the text of an error in bytes.
	maxError = 1 << 12
)

// Worker trains one trial at a time.
type Worker struct {
	Cluster *Cluster
	// Name is shown in the status of the cluster; letters, digits, - and _. Several may share one.
	Name string
	// Arithmetic names the engine and its instruction sets, as in [NewTask]. Others name further ones
	// whose trials the worker takes.
	Arithmetic string
	Others     []string
	Threads    int
	// Engine names the engine for a trial that must be trained with an arithmetic, "" for any. If it is
	// nil, Open chooses.
	Engine func(arithmetic string, t task.Trial) string
	// Open opens the task of a search on an engine. path leads to its data, or names embedded data. The
	// worker calls close before it opens another task.
	Open func(ctx context.Context, d Data, path, engine string) (t task.Task, close func(), err error)
	// Folder keeps data and models. Models are removed when the worker ends.
	Folder string
	// OnTrained is called after each training with the trial's identity; nil for nothing.
	OnTrained func(trial string)

	mu     sync.Mutex
	state  WorkerState
	taken  string                  // key of the trial that the worker handles, "" for none
	cancel context.CancelCauseFunc // of the taken trial

	opened *openTask // of the last trial
	models *models
	pause  time.Duration                 // after the last error, 0 after a success
	queues map[string]jetstream.Consumer // by arithmetic
}

// openTask is the task of a search with its data.
type openTask struct {
	task.Task
	data       string // JSON of [Data]
	engine     string
	path, name string // of the data on this machine
	close      func()
}

// errWithdrawn ends the training of a trial that the coordinator does not need anymore.
var errWithdrawn = errors.New("the trial was withdrawn")

// Run trains trials until ctx ends. A trial in training then goes to another worker.
func (w *Worker) Run(ctx context.Context) error {
	w.state = WorkerState{
		Name: w.Name, Arithmetic: w.Arithmetic, Others: w.Others, Program: program(), Threads: w.Threads,
		Since: time.Now(),
	}
	var err error
	if w.Folder, err = filepath.Abs(w.Folder); err != nil {
		return fmt.Errorf("find the folder of the worker: %w", err)
	}
	if w.models, err = newModels(w.Folder, w.Name); err != nil {
		return fmt.Errorf("make the folder of the worker: %w", err)
	}
	w.state.Models = w.models.address()
	defer w.models.close()
	defer w.close()
	w.queues = map[string]jetstream.Consumer{}
	w.Cluster.onTrouble = w.setError
	before := w.Cluster.conn.LastError()
	for subject, handle := range map[string]nats.MsgHandler{
		subject(withdrawSubject, "*"):            w.withdrawn,
		subject(artifactSubject, w.state.Models): func(m *nats.Msg) { w.send(ctx, m) },
	} {
		subscription, err := w.Cluster.conn.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		defer subscription.Unsubscribe()
	}
	if err := w.Cluster.conn.FlushTimeout(callTime); err == nil { // after a refusal of the subscriptions
		err := w.Cluster.conn.LastError()
		if errors.Is(err, nats.ErrPermissionViolation) && !errors.Is(before, nats.ErrPermissionViolation) {
			return fmt.Errorf("the key is not that of a worker; use one that is: %w", err)
		}
	}
	go w.beat(ctx)
	defer w.Cluster.workers.Delete(context.WithoutCancel(ctx), w.models.address())
	// The worker waits for trials of the arithmetic of the last one, because the next one is likely from
	// the same search. If there is none, it waits for trials of its own.
	waiting := w.Arithmetic
	for ctx.Err() == nil {
		for _, arithmetic := range slices.Concat([]string{w.Arithmetic}, w.Others, []string{""}) {
			waits := arithmetic == waiting
			message, err := w.next(ctx, arithmetic, waits)
			switch {
			case message != nil:
				waiting = arithmetic
			case waits:
				waiting = w.Arithmetic
			}
			switch {
			case w.Cluster.conn.IsClosed():
				return fmt.Errorf("the connection to the cluster ended: %w",
					explained(cmp.Or(w.Cluster.conn.LastError(), nats.ErrConnectionClosed)))
			case message != nil && ctx.Err() != nil:
				w.acknowledge(context.WithoutCancel(ctx), message) // see handle
			case message != nil:
				w.handle(ctx, message)
			case isConnection(err):
				sleep(ctx, time.Second) // a lost connection has its own message
			case err != nil && ctx.Err() == nil:
				w.fail(fmt.Errorf("take a trial: %w", err))
				sleep(ctx, time.Second)
			}
		}
	}
	return nil
}

// next returns the next trial of a queue, nil for none. It waits for one for a heartbeat if waits is
// true.
func (w *Worker) next(ctx context.Context, arithmetic string, waits bool) (jetstream.Msg, error) {
	attempt, cancel := context.WithTimeout(ctx, max(w.Cluster.heartbeat(), time.Second))
	defer cancel()
	from := w.queues[arithmetic]
	if from == nil {
		var err error
		from, err = w.Cluster.trials.Consumer(attempt, queueName(arithmetic))
		if isMissing(err) { // no coordinator has published such a trial yet
			if waits {
				sleep(ctx, time.Second)
			}
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		w.queues[arithmetic] = from
	}
	var message jetstream.Msg
	var err error
	if waits {
		message, err = from.Next(jetstream.FetchContext(attempt))
	} else if batch, failed := from.FetchNoWait(1); failed != nil {
		err = failed
	} else {
		message, err = <-batch.Messages(), batch.Error()
	}
	switch {
	case message != nil:
		return message, nil
	case isMissing(err):
		delete(w.queues, arithmetic) // the server may have a new store
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, jetstream.ErrNoMessages):
		return nil, nil
	}
	return nil, err
}

// handle trains a trial and stores its result.
func (w *Worker) handle(ctx context.Context, message jetstream.Msg) {
	work, err := decode[work](message.Data())
	if err != nil {
		w.fail(err)
		message.TermWithReason(err.Error())
		return
	}
	key, err := work.key()
	if err != nil {
		w.fail(err)
		return
	}
	delivery := newDelivery(message)
	training, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.take(key, cancel)
	defer w.take("", nil)
	stop := w.lease(training, message)
	defer stop()
	if w.hasResult(training, key) {
		w.acknowledge(ctx, message)
		return
	}
	decided, cause := w.decide(training, delivery, key, work.Arithmetic)
	if errors.Is(context.Cause(training), errWithdrawn) || w.isWithdrawn(training, key, delivery) {
		w.acknowledge(ctx, message)
		return
	}
	switch decided {
	case waitForOthers:
		stop()
		message.NakWithDelay(w.Cluster.lease) // a worker that trains it renews its lease
		return
	case leaveTrial:
		stop()
		// This worker trains other trials meanwhile. The queue delivers to the worker that waits for the
		// longest time, and a request waits for a heartbeat: after two of them and a little, the request
		// of this worker is new, and an idle worker comes first.
		message.NakWithDelay(w.Cluster.heartbeat() * 21 / 10)
		return
	}
	w.begin(key, work.Dataset)
	w.show(training)
	r := result{Version: version, Worker: w.Name, Trial: work.trial()}
	if decided == giveUpTrial {
		r.Trial.State = task.Lost
		r.Trial.Error = fmt.Sprintf("%d workers were lost or failed while they trained it", maxFailures)
		r.Lost, r.Cause = true, cause
		err = w.store(training, key, r)
	} else {
		endWatch := w.watchWithdrawal(training, key, delivery, cancel)
		err = w.train(training, work, key, &r)
		if endWatch(); err == nil {
			err = w.store(training, key, r)
		}
	}
	switch {
	case err == nil, errors.Is(context.Cause(training), errWithdrawn):
		w.acknowledge(ctx, message)
	case ctx.Err() != nil:
		// The worker ends on purpose: without the message the coordinator publishes the trial again,
		// and no worker counts as lost.
		w.acknowledge(context.WithoutCancel(ctx), message)
	case errors.Is(err, jetstream.ErrObjectNotFound):
		// The coordinator sends the data again. Nobody failed.
		w.Cluster.trouble(fmt.Sprintf("trial %s: %v; waiting for the search to send them", key, err))
		w.storeLeft(training, attemptsKey(key, delivery.sequence))
		stop()
		message.NakWithDelay(w.Cluster.heartbeat())
	default:
		w.fail(fmt.Errorf("trial %s: %w", key, err))
		w.storeError(training, attemptsKey(key, delivery.sequence), err)
		stop()
		message.NakWithDelay(w.Cluster.heartbeat() / 10)
		w.end(err)
		w.show(ctx)
		// Meanwhile a worker without this error takes the trial.
		w.pause = min(max(2*w.pause, w.Cluster.heartbeat()), longestPause)
		sleep(ctx, w.pause)
		return
	}
	if err == nil && !r.Lost {
		w.pause = 0
	}
	w.end(err)
	w.show(ctx)
}

// storeError records an error of this worker with a trial.
func (w *Worker) storeError(ctx context.Context, record string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	// Without the record this worker counts as lost.
	w.Cluster.changeAttempts(ctx, record, func(a *attempts) {
		if a.Errors == nil {
			a.Errors = map[string]string{}
		}
		a.Errors[w.Name] = limited(err.Error())
		a.Failed++
	})
}

// storeLeft records that this worker left a trial to a later delivery.
func (w *Worker) storeLeft(ctx context.Context, record string) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	w.Cluster.changeAttempts(ctx, record, func(a *attempts) { a.Left++ })
}

// sleep waits for a time or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// acknowledge removes a trial from the queue.
func (w *Worker) acknowledge(ctx context.Context, message jetstream.Msg) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	message.DoubleAck(ctx)
}

// lease renews the lease of a trial until stop is called.
func (w *Worker) lease(ctx context.Context, message jetstream.Msg) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		beat := time.NewTicker(w.Cluster.heartbeat())
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				message.InProgress()
			case <-ctx.Done():
				return
			}
		}
	}()
	return cancel
}

func (w *Worker) hasResult(ctx context.Context, key string) bool {
	err := w.Cluster.retry(ctx, "look for a result", func(ctx context.Context) error {
		_, err := w.Cluster.results.Get(ctx, key)
		return err
	})
	return err == nil
}

// store stores a result, unless there is one.
func (w *Worker) store(ctx context.Context, key string, r result) error {
	content, err := encode(r)
	if err != nil {
		return err
	}
	err = w.Cluster.retry(ctx, "store a result", func(ctx context.Context) error {
		_, err := w.Cluster.results.Create(ctx, key, content)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil // another worker was faster
	}
	return err
}

// train trains a trial and keeps its model in a folder.
func (w *Worker) train(
	ctx context.Context, work work, key string, r *result,
) error {
	engine := ""
	if w.Engine != nil {
		engine = w.Engine(work.Arithmetic, r.Trial)
	}
	t, err := w.open(ctx, work.Data, engine)
	if err != nil {
		return err
	}
	if work.Split != 0 {
		t = t.Resplit(work.Split)
	}
	if work.Limits != (eval.Limits{}) {
		t = t.Limit(work.Limits)
	}
	if t == nil {
		return errors.New("the task has no such split or limit")
	}
	trials := []task.Trial{r.Trial}
	artifacts, err := t.Train(ctx, trials, w.progress)
	if err != nil {
		return err
	}
	if w.OnTrained != nil {
		w.OnTrained(key)
	}
	r.Trial = trials[0]
	if len(artifacts) == 0 || artifacts[0] == nil {
		return nil
	}
	files, err := artifacts[0].Files()
	if err != nil {
		return err
	}
	r.HasArtifact, r.Models = true, w.models.address()
	files = maps.Clone(files)
	files[modelFile] = w.describe(files[modelFile], work.Data)
	kept := keptModel{key, w.opened.data, r.Trial.ScoreOrZero()}
	return w.models.add(kept, task.Files(files))
}

// modelFile describes a model.
const modelFile = "model.json"

// describe replaces the name and the path of the data on this machine by those of the coordinator.
func (w *Worker) describe(description []byte, d Data) []byte {
	if d.IsEmbedded {
		return description
	}
	replace := func(field, here, there string) {
		old, err := json.Marshal(here)
		value, failed := json.Marshal(there)
		if err != nil || failed != nil || there == "" {
			return
		}
		pattern := regexp.MustCompile(`("` + field + `":\s*)` + regexp.QuoteMeta(string(old)))
		description = pattern.ReplaceAllFunc(description, func(found []byte) []byte {
			return append(bytes.Clone(bytes.TrimSuffix(found, old)), value...)
		})
	}
	replace("dataset", w.opened.name, d.Dataset)
	replace("source", w.opened.path, d.Source)
	return description
}

// open returns the task of a search on an engine, which stays open for the next trial.
func (w *Worker) open(ctx context.Context, d Data, engine string) (task.Task, error) {
	content, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if w.opened != nil && w.opened.data == string(content) && w.opened.engine == engine {
		return w.opened.Task, nil
	}
	w.close()
	folder := filepath.Join(w.Folder, "data")
	_, notKept := os.Stat(d.pathIn(folder))
	opened, err := w.openData(ctx, d, folder, engine)
	if err != nil && !d.IsEmbedded && notKept == nil && ctx.Err() == nil { // the files were changed
		if err := os.RemoveAll(filepath.Dir(d.pathIn(folder))); err != nil {
			return nil, err
		}
		opened, err = w.openData(ctx, d, folder, engine)
	}
	if err != nil {
		return nil, err
	}
	opened.data = string(content)
	w.opened = opened
	return opened.Task, nil
}

// openData opens data, which it fetches into a folder unless they are there.
func (w *Worker) openData(ctx context.Context, d Data, folder, engine string) (*openTask, error) {
	path := d.Name
	if !d.IsEmbedded {
		var err error
		if path, err = w.Cluster.receiveData(ctx, d, folder); err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil { // as in model.json
			return nil, err
		}
	}
	t, closeTask, err := w.Open(ctx, d, path, engine)
	if err != nil {
		return nil, err
	}
	identity, err := t.Identity()
	if err == nil && identity.Fingerprint != d.Fingerprint {
		err = fmt.Errorf("the data %s differ from those of the coordinator", d.Dataset)
	}
	if err != nil {
		closeTask()
		return nil, err
	}
	return &openTask{Task: t, engine: engine, path: path, name: identity.Dataset, close: closeTask}, nil
}

func (w *Worker) close() {
	if w.opened != nil {
		w.opened.close()
		w.opened = nil
	}
}

// withdrawn stops the training of a trial.
func (w *Worker) withdrawn(m *nats.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil && m.Subject == subject(withdrawSubject, w.taken) {
		w.cancel(errWithdrawn)
	}
}

// take sets the trial that a withdrawal stops.
func (w *Worker) take(key string, cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken, w.cancel = key, cancel
}

// watchWithdrawal stops the training of a trial that was withdrawn or has a result of another worker,
// also if the message about this was lost, until end is called.
func (w *Worker) watchWithdrawal(
	ctx context.Context, key string, d delivery, stop context.CancelCauseFunc,
) (end func()) {
	watching, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if sleep(watching, w.Cluster.heartbeat()); watching.Err() != nil {
				return
			}
			if w.isWithdrawn(watching, key, d) {
				stop(errWithdrawn)
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// isWithdrawn reports whether a trial was withdrawn after its publication or has a result. It is
// false if the cluster does not answer.
func (w *Worker) isWithdrawn(ctx context.Context, key string, d delivery) bool {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if _, err := w.Cluster.results.Get(ctx, key); err == nil {
		return true
	}
	entry, err := w.Cluster.results.Get(ctx, withdrawalKey(key))
	return err == nil && entry.Created().After(d.published)
}

// beat shows signs of life.
func (w *Worker) beat(ctx context.Context) {
	beat := time.NewTicker(w.Cluster.heartbeat())
	defer beat.Stop()
	for {
		w.show(ctx)
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
}

// show stores the state of the worker.
func (w *Worker) show(ctx context.Context) {
	content, err := json.Marshal(w.State())
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		w.Cluster.workers.Put(ctx, w.models.address(), content)
	}
}

// State describes the worker and the trial that it trains.
func (w *Worker) State() WorkerState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

func (w *Worker) begin(key, dataset string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Trial, w.state.Dataset, w.state.Since, w.state.Share = key, dataset, time.Now(), 0
}

func (w *Worker) progress(share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Share = share
}

func (w *Worker) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Trial, w.state.Dataset, w.state.Since = "", "", time.Now()
	if err == nil {
		w.state.Trained++
	}
}

// setError sets the last error of the worker.
func (w *Worker) setError(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Error = text
}

func (w *Worker) fail(err error) {
	w.Cluster.note("warning: " + err.Error())
	w.mu.Lock()
	defer w.mu.Unlock()
	if !isConnection(err) {
		w.state.Failed++
	}
	w.state.Error = err.Error()
}

// isMissing reports whether a call failed because the queue or its consumers are gone.
func isMissing(err error) bool {
	for _, missing := range []error{
		jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted,
		jetstream.ErrConsumerDoesNotExist, jetstream.ErrNoStreamResponse, nats.ErrNoResponders,
	} {
		if errors.Is(err, missing) {
			return true
		}
	}
	return false
}

// isConnection reports whether a call failed because the server was not available.
func isConnection(err error) bool {
	for _, lost := range []error{
		nats.ErrTimeout, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting, nats.ErrDisconnected,
		nats.ErrNoServers, nats.ErrStaleConnection, jetstream.ErrNoHeartbeat, context.DeadlineExceeded,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return isMissing(err)
}
