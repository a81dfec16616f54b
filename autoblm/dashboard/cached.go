package dashboard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// cached holds what is computed from a study, or the error, until the study changes.
type cached[T any] struct {
	mu       sync.Mutex    // guards the fields; nothing is read while it is held
	refresh  chan struct{} // closed at the end of the refresh in progress, nil without one
	revision string        // of the value, "" before the first one
	value    T
	err      error
	problem  error     // why the last refresh could not look at the study
	next     time.Time // of the next computation
}

// errSlow means that the first read of a study lasts.
var errSlow = errors.New("its file is slow to read")

// get returns the value, and first computes it if the study has changed. When ctx ends earlier, it
// returns the previous value. A study that is being written keeps its value, and so does one that
// was read a moment ago. slots limits the number of studies that are read at a time.
func (c *cached[T]) get(
	ctx context.Context, slots chan struct{}, path string,
	compute func(revision string) (T, error),
) (T, error) {
	c.mu.Lock()
	if c.refresh == nil {
		c.refresh = make(chan struct{})
		go func() {
			slots <- struct{}{}
			c.update(path, compute)
			<-slots
			c.mu.Lock()
			defer c.mu.Unlock()
			close(c.refresh)
			c.refresh = nil
		}()
	}
	refresh := c.refresh
	c.mu.Unlock()
	select {
	case <-refresh:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.problem != nil:
		return *new(T), c.problem
	case c.revision == "":
		return *new(T), errSlow
	}
	return c.value, c.err
}

// update computes the value if the study has changed.
func (c *cached[T]) update(path string, compute func(revision string) (T, error)) {
	revision, err := study.Revision(path)
	began := time.Now()
	c.mu.Lock()
	c.problem = err
	current := err != nil ||
		c.revision != "" && (revision == c.revision || began.Before(c.next))
	c.mu.Unlock()
	if current {
		return
	}
	value, err := guarded(func() (T, error) { return compute(revision) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, busy := errors.AsType[*study.InUseError](err); busy {
		if c.revision == "" {
			c.problem = err
		}
		return
	}
	c.revision, c.value, c.err = revision, value, err
	c.next = time.Now().Add(pause(time.Since(began)))
}

// forget makes the next get compute the value.
func (c *cached[T]) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = time.Time{}
	if c.revision != "" {
		c.revision = "old"
	}
}

// guarded turns a panic into an error: a study with nonsense must not end the program.
func guarded[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("cannot show the study: internal error: %v", fault)
		}
	}()
	return f()
}
