package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestMemory(t *testing.T) {
	printing := func(text string, err error) gpu {
		return gpu{func(context.Context, ...string) ([]byte, error) { return []byte(text), err }}
	}
	for name, c := range map[string]struct {
		gpu  gpu
		want int64
	}{
		"no GPU":        {gpu{}, 0},
		"one":           {printing("1234\n", nil), 1234 << 20},
		"two":           {printing("1000\n24\n", nil), 1 << 30},
		"not available": {printing("[N/A]\n", nil), 0},
		"no nvidia-smi": {printing("", errors.New("not found")), 0},
	} {
		if got := c.gpu.used(t.Context()); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestMostMemory: the most is seen although it is less again at the end, and the
// error of the work comes out.
func TestMostMemory(t *testing.T) {
	asked := make(chan struct{})
	answers := []string{"10", "500", "20"}
	g := gpu{func(context.Context, ...string) ([]byte, error) {
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		} else {
			select {
			case <-asked:
			default:
				close(asked)
			}
		}
		return []byte(answer), nil
	}}
	failed := errors.New("failed")
	work := func() error {
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Error("nobody looked")
		}
		return failed
	}
	if most, err := g.most(t.Context(), work); most != 500<<20 || !errors.Is(err, failed) {
		t.Errorf("%d, %v", most, err)
	}
	if most, err := (gpu{}).most(t.Context(), func() error { return failed }); most != 0 || !errors.Is(err, failed) {
		t.Errorf("without a GPU: %d, %v", most, err)
	}
}
