package server

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/danielgtaylor/huma/v2"
)

// Model is an open model. A field that is nil leaves out what needs it.
type Model struct {
	// Members are the model, or the members of an ensemble; none for a classifier.
	Members []*kge.Model
	// Entities and Relations are the labels.
	Entities, Relations []string
	// Answerer answers queries. The server closes it.
	Answerer *completion.Answerer
	// Graph has the known facts, with the ids of the model.
	Graph *datasets.Graph
	// Paths answers a query of several hops.
	Paths func(
		ctx context.Context, p query.Path, o completion.PredictOptions,
	) ([]eval.Answer, error)
	// Classes classifies a node.
	Classes func(ctx context.Context, node string, top int) (classify.Prediction, error)
	// Close frees what Paths and Classes use, after the last request.
	Close func()
}

// NewModel returns a model that completes a graph with an answerer, which it prepares.
func NewModel(a *completion.Answerer) *Model {
	a.Prepare() // a request would wait for it
	first := a.Models()[0]
	return &Model{
		Members: a.Models(), Entities: first.EntityLabels, Relations: first.RelationLabels,
		Answerer: a, Graph: a.Graph(),
	}
}

// Source opens a model by name.
type Source struct {
	Name string
	Open func(ctx context.Context) (*Model, error)
}

// loaded is a model in use. Each request holds users for reading; closing it waits for all.
type loaded struct {
	*Model
	name    string
	since   time.Time
	users   sync.RWMutex
	index   *labelIndex
	places  func() *task.Map
	batcher *batcher // nil without an answerer
	// explaining has room for the one request that explains, because an explanation takes up to
	// hundreds of megabytes and all cores.
	explaining chan struct{}
}

func newLoaded(name string, m *Model) *loaded {
	l := &loaded{
		Model: m, name: name, since: time.Now(), index: newLabelIndex(m.Entities),
		explaining: make(chan struct{}, 1),
	}
	l.places = sync.OnceValue(func() *task.Map { return completion.MapOf(m.Members, m.Graph, mapPlaces) })
	if m.Answerer != nil {
		l.batcher = newBatcher(m.Answerer)
	}
	return l
}

// release ends the use by one request.
func (l *loaded) release() { l.users.RUnlock() }

// close frees the model after its last request. Nobody can use it again.
func (l *loaded) close() {
	l.users.Lock()
	if l.batcher != nil {
		l.batcher.close()
		l.Answerer.Close()
	}
	if l.Close != nil {
		l.Close()
	}
}

// slot is the place of a model that may be replaced.
type slot struct {
	Source
	current   atomic.Pointer[loaded] // nil after close
	reloading sync.Mutex
	isClosed  atomic.Bool
}

// acquire returns the current model, which the caller releases. A closed server has none.
func (s *slot) acquire() (*loaded, error) {
	for {
		l := s.current.Load()
		if l == nil {
			return nil, huma.Error503ServiceUnavailable("the server has been closed")
		}
		if l.users.TryRLock() { // fails only if it has been replaced
			return l, nil
		}
	}
}

// close removes the model and frees it after its last request.
func (s *slot) close() {
	s.isClosed.Store(true)
	if l := s.current.Swap(nil); l != nil {
		l.close()
	}
}

// load opens the model and puts it in the place of the previous one, which stays after an error.
func (s *slot) load(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if s.isClosed.Load() {
		return fmt.Errorf("load the model %s: the server has been closed", s.Name)
	}
	m, err := s.Open(ctx)
	if err != nil {
		return fmt.Errorf("load the model %s: %w", s.Name, err)
	}
	if previous := s.current.Swap(newLoaded(s.Name, m)); previous != nil {
		go previous.close()
	}
	if s.isClosed.Load() { // while the model was opened: nobody else would free it
		s.close()
	}
	return nil
}
