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
	forever := make(chan kge.Batches)
	defer close(forever)
	j.Data.Batches = func(kge.Settings, int) kge.Batches {
		end()
		return <-forever
	}
	if _, err := kge.Train(ctx, &enginetest.Scripted{}, j); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
