package main

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// gpu tells how much memory of the GPUs is in use. It has no ask where nothing runs
// on a GPU.
type gpu struct {
	// ask is what nvidia-smi prints when it is run with the given arguments.
	ask func(ctx context.Context, arguments ...string) ([]byte, error)
}

// used is how many bytes are in use on all GPUs, or 0 when nothing tells. XLA and
// PyTorch keep what they once took, so after some work it is the most that it took.
func (g gpu) used(ctx context.Context) int64 {
	if g.ask == nil {
		return 0
	}
	listed, err := g.ask(ctx, "--query-gpu=memory.used", "--format=csv,noheader,nounits")
	if err != nil {
		return 0
	}
	var bytes int64
	for line := range strings.Lines(string(listed)) {
		mebibytes, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		bytes += mebibytes << 20
	}
	return bytes
}

// most is the most that is used while another program works, as far as a look now
// and then tells.
func (g gpu) most(ctx context.Context, work func() error) (bytes int64, err error) {
	if g.ask == nil {
		return 0, work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	for {
		bytes = max(bytes, g.used(ctx))
		select {
		case err := <-done:
			return bytes, err
		case <-time.After(time.Second / 4):
		}
	}
}
