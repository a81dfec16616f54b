package kge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
)

// TestTooLargeForTheMemory checks the error before anything is allocated: what is needed, what is
// available, and the fix.
func TestTooLargeForTheMemory(t *testing.T) {
	j := job(2, func(s *kge.Settings) { s.Dim = 1 << 20 })
	j.Data.Entities = make([]string, 1<<20)
	engine := &enginetest.Scripted{}
	_, err := kge.Train(t.Context(), engine, j)
	if err == nil ||
		!strings.Contains(err.Error(),
			"training 2 members with dim 1048576 on 1,048,576 entities and 2 relations would take at least 16 TiB of memory, and ") ||
		!strings.HasSuffix(err.Error(),
			" are free: take a smaller dim, smaller batches, fewer members at a time, or fewer negatives") {
		t.Errorf("%v", err)
	}
	if engine.Closed != 0 {
		t.Error("a population was created")
	}
}

// TestInterruptedBatches checks that training can be cancelled while batches are made.
func TestInterruptedBatches(t *testing.T) {
	j := job(1, func(*kge.Settings) {})
	ctx, end := context.WithCancel(t.Context())
	forever := make(chan [][]kge.Example)
	defer close(forever)
	j.Data.Batches = func(kge.Settings, int) [][]kge.Example {
		end()
		return <-forever
	}
	if _, err := kge.Train(ctx, &enginetest.Scripted{}, j); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// ending is an engine that cancels a context before it draws initial embeddings.
type ending struct {
	*enginetest.Scripted
	end   func()
	drawn kge.Parameters
	ended error
}

func (e *ending) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population,
	error) {
	e.end()
	e.drawn = kge.Initialize(d, s, members[0])
	e.ended = d.Err()
	return e.Scripted.NewPopulation(d, s, members)
}

// TestInterruptedInitialize checks that training can be cancelled while initial embeddings are
// drawn, and that no population is created.
func TestInterruptedInitialize(t *testing.T) {
	j := job(1, func(s *kge.Settings) { s.Dim = 1 << 16 })
	ctx, end := context.WithCancel(t.Context())
	e := &ending{Scripted: &enginetest.Scripted{}, end: end}
	report, err := kge.Train(ctx, e, j)
	if !errors.Is(err, context.Canceled) || report != nil || e.Closed != 1 ||
		!errors.Is(e.ended, context.Canceled) || j.Data.Err() != nil {
		t.Errorf("%v, %v, closed %d times", report, err, e.Closed)
	}
	for _, x := range e.drawn.Entities {
		if x != 0 {
			t.Fatal("numbers were drawn after the end")
		}
	}
	if j.Data.Batches(j.Settings, 1) == nil ||
		len(kge.Initialize(j.Data, j.Settings, j.Members[0]).Entities) == 0 ||
		kge.Initialize(j.Data, j.Settings, j.Members[0]).Entities[0] == 0 {
		t.Error("the data of the job are over too")
	}
}
