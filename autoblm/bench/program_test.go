package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithMemory checks that the peak memory and the error of the program are returned.
func TestWithMemory(t *testing.T) {
	asked := make(chan struct{})
	answers := []int64{10, 500, 20}
	used := func(context.Context) int64 {
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		} else if answers[0] != 0 {
			close(asked)
			answers[0] = 0
		}
		return answer
	}
	failed := errors.New("failed")
	r, err := withMemory(t.Context(), used, func() (run, error) {
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Error("nobody looked")
		}
		return run{seconds: 1}, failed
	})
	if r.memory != 490 || r.seconds != 1 || !errors.Is(err, failed) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := withMemory(t.Context(), nil, func() (run, error) { return run{}, failed }); r.memory != 0 ||
		!errors.Is(err, failed) {
		t.Errorf("without a GPU: %+v, %v", r, err)
	}
}
