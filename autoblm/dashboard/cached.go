package dashboard

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// cached holds what is computed from a study, or the error, until the study changes.
type cached[T any] struct {
	mu       sync.Mutex
	revision string // "" before the first computation
	value    T
	err      error
	next     time.Time // of the next computation
}

// get computes the value if the study has changed. A study that is being written keeps its value,
// and so does one that was read a moment ago.
func (c *cached[T]) get(path string, compute func(revision string) (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	revision, err := study.Revision(path)
	if err != nil {
		return *new(T), err
	}
	began := time.Now()
	if c.revision != "" && (revision == c.revision || began.Before(c.next)) {
		return c.value, c.err
	}
	value, err := guarded(func() (T, error) { return compute(revision) })
	if _, busy := errors.AsType[*study.InUseError](err); busy {
		if c.revision == "" {
			return value, err
		}
		return c.value, c.err
	}
	c.revision, c.value, c.err = revision, value, err
	c.next = time.Now().Add(pause(time.Since(began)))
	return value, err
}

// forget makes the next get compute the value.
func (c *cached[T]) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = ""
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
