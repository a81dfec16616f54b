package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Answers of a worker to the request for a model. After those with a colon follows the error of the
// last attempt; the worker sends the model again.
const (
	modelComing  = "coming"
	modelLost    = "lost"
	modelFull    = "full: "
	modelDamaged = "damaged: "
	modelFailed  = "failed: "
)

const (
	// maxModels is the number of models that a worker keeps. The coordinator asks for those that it
	// needs as soon as a round is trained, which is mostly the one with the highest score.
	maxModels = 64
	// maxDownloads is the number of failed downloads after which a model counts as lost.
	maxDownloads = 3
)

// modelsPrefix begins the names of folders with models.
const modelsPrefix = "models-"

// models is a folder with the models of a worker.
type models struct {
	dir     string
	mu      sync.Mutex       // add removes folders that read lists
	kept    []keptModel      // in the order of their trainings
	failed  map[string]error // of the last attempt to send a model
	release func()           // unlocks the folder
}

// keptModel describes a model in the folder.
type keptModel struct {
	key    string
	search string // scores of different searches cannot be compared
	score  float64
}

// address returns what tells apart workers, also those of one name.
func (m *models) address() string { return strings.TrimPrefix(filepath.Base(m.dir), modelsPrefix) }

// newModels makes a folder for the models of a worker, whose name another one may have too. It
// removes the folders of workers that were killed.
func newModels(folder, name string) (*models, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), modelsPrefix) {
			continue
		}
		dir := filepath.Join(folder, e.Name())
		if release, err := atomicfile.TakeLock(lockOf(dir)); err == nil {
			err = os.RemoveAll(dir)
			release()
			if err != nil {
				return nil, err
			}
		}
	}
	m := &models{
		dir:    filepath.Join(folder, modelsPrefix+name+"-"+rand.Text()[:8]),
		failed: map[string]error{}, release: func() {},
	}
	release, err := atomicfile.TakeLock(lockOf(m.dir))
	switch {
	case err == nil:
		m.release = release
	case !errors.Is(err, errors.ErrUnsupported):
		return nil, err
	}
	return m, os.Mkdir(m.dir, 0o700)
}

// lockOf returns the file of the lock of a folder.
func lockOf(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".lock")
}

// close removes the models.
func (m *models) close() {
	os.RemoveAll(m.dir)
	m.release()
}

// add keeps a model. If there are too many, it removes the oldest one that is not the best of the
// same search.
func (m *models) add(added keptModel, model task.Artifact) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := task.Save(filepath.Join(m.dir, added.key), model); err != nil {
		return err
	}
	isSame := func(k keptModel) bool { return k.key == added.key }
	m.kept = append(slices.DeleteFunc(m.kept, isSame), added)
	if len(m.kept) <= maxModels {
		return nil
	}
	best := added
	for _, k := range m.kept {
		if k.search == added.search && k.score > best.score {
			best = k
		}
	}
	i := slices.IndexFunc(m.kept, func(k keptModel) bool { return k.key != best.key })
	oldest := m.kept[i].key
	m.kept = slices.Delete(m.kept, i, i+1)
	return os.RemoveAll(filepath.Join(m.dir, oldest))
}

// read returns the files of a model.
func (m *models) read(key string) (map[string][]byte, error) {
	if !filepath.IsLocal(key) {
		return nil, os.ErrNotExist
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir := filepath.Join(m.dir, key)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// send answers the request for a model and sends it.
func (w *Worker) send(ctx context.Context, request *nats.Msg) {
	key := string(request.Data)
	files, err := w.models.read(key)
	if errors.Is(err, os.ErrNotExist) {
		request.Respond([]byte(modelLost))
		return
	}
	answer := modelComing
	if failed := w.models.failed[key]; failed != nil {
		switch {
		case isFull(failed):
			answer = modelFull
		case errors.Is(failed, errDamaged):
			answer = modelDamaged
		default:
			answer = modelFailed
		}
		answer += limited(failed.Error())
	}
	request.Respond([]byte(answer))
	if err == nil {
		err = w.Cluster.sendArtifact(ctx, key, files)
	}
	delete(w.models.failed, key)
	if err != nil {
		w.models.failed[key] = err
		w.fail(fmt.Errorf("send the model of trial %s: %w", key, withRoom(err)))
	}
}

// limited shortens the text of an error.
func limited(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxError)], "")
}

// errModelLost means that a worker does not have a model anymore, or cannot send it.
var errModelLost = errors.New("the model is lost")

// isGone reports whether the worker of a result shows no sign of life. One whose connection was lost
// for less than a lease still has a state. After a loss of the own connection, workers need time to
// return.
func (c *Cluster) isGone(ctx context.Context, r result) bool {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := c.workers.Get(ctx, r.Models)
	return errors.Is(err, jetstream.ErrKeyNotFound) &&
		time.Since(time.Unix(0, c.connected.Load())) > c.lease
}

// artifact fetches the model of a trial from its worker, and removes it from the cluster. Its error
// is [errModelLost] if the trial must be trained again.
func (c *Cluster) artifact(
	ctx context.Context, key string, of result,
) (files map[string][]byte, err error) {
	full := c.newPatience("fetch a model")
	var last error
	for failures := 0; ; {
		files, err := c.fetchArtifact(ctx, key)
		if err == nil {
			// The worker still has the model, in case that this process is killed before it stores it.
			c.remove(ctx, c.artifacts, key)
			return files, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !errors.Is(err, jetstream.ErrObjectNotFound) && c.conn.IsConnected() { // it returns
			failures++
			last = err
			c.note(fmt.Sprintf("warning: fetch a model: %v; trying again", err))
			c.remove(ctx, c.artifacts, key) // it may be damaged; the worker sends it again
		}
		// The worker answers at once and then sends the model, which may take long.
		ask, cancel := context.WithTimeout(ctx, callTime)
		answer, err := c.conn.RequestWithContext(ask, subject(artifactSubject, of.Models), []byte(key))
		cancel()
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			if c.isGone(ctx, of) {
				return nil, fmt.Errorf("%w: worker %s disappeared", errModelLost, of.Worker)
			}
		case err == nil && string(answer.Data) == modelLost:
			return nil, fmt.Errorf("%w: worker %s does not have it", errModelLost, of.Worker)
		case err != nil:
			// The worker is sending another model, or the connection is lost.
		case strings.HasPrefix(string(answer.Data), modelFull):
			text, _ := strings.CutPrefix(string(answer.Data), modelFull)
			if err := full.wait(withFix(fmt.Errorf("worker %s: %s", of.Worker, text))); err != nil {
				return nil, err
			}
		case strings.HasPrefix(string(answer.Data), modelFailed),
			strings.HasPrefix(string(answer.Data), modelDamaged):
			failures++
			last = fmt.Errorf("worker %s: %s", of.Worker, answer.Data)
			c.note(fmt.Sprintf("warning: fetch a model: %v", last))
			if failures >= maxDownloads && strings.HasPrefix(string(answer.Data), modelDamaged) {
				return nil, fmt.Errorf("fetch a model: %w", last) // another training would not help
			}
		}
		if failures >= maxDownloads {
			return nil, fmt.Errorf("%w: %w", errModelLost, last)
		}
		if c.awaitModel(ctx, key); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// awaitModel waits for a model for about a second. A small one comes at once, and until then the
// workers have nothing to train.
func (c *Cluster) awaitModel(ctx context.Context, key string) {
	for pause := 10 * time.Millisecond; pause < time.Second/2; pause *= 2 {
		sleep(ctx, pause)
		if _, err := c.artifacts.GetInfo(ctx, key); err == nil || ctx.Err() != nil {
			return
		}
	}
	sleep(ctx, time.Second/2)
}
