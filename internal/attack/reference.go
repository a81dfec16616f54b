//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// reference describes undisturbed runs of a scenario.
type reference struct {
	once     sync.Once
	err      error
	outcome  outcome
	volatile map[string]bool // files that differ between two such runs
	fastest  atomic.Int64    // duration of the fastest run, in nanoseconds
	largest  int64           // length of the largest content
	total    int64           // length of all contents
}

// reference returns the reference of a scenario. The first call makes it with two runs.
func (h *harness) reference(ctx context.Context, s scenario) (*reference, error) {
	entry, _ := h.references.LoadOrStore(s.name, &reference{})
	r := entry.(*reference)
	r.once.Do(func() { r.err = r.make(ctx, h, s) })
	return r, r.err
}

func (r *reference) make(ctx context.Context, h *harness, s scenario) error {
	var outcomes []outcome
	for range 2 {
		folder, err := h.newFolder()
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		i := invocation{folder: folder, arguments: strings.Fields(s.arguments)}
		result, err := h.program.run(ctx, i)
		if err != nil {
			return err
		}
		if result.status != cli.Done {
			return fmt.Errorf("scenario %s fails: %s: %s", s.name, i, result)
		}
		o, err := readOutcome(folder, s, result.stdout)
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
		r.noteDuration(result.duration)
	}
	r.outcome, r.volatile = outcomes[0], map[string]bool{}
	for name, content := range outcomes[0] {
		r.largest, r.total = max(r.largest, int64(len(content))), r.total+int64(len(content))
		r.volatile[name] = outcomes[0][name] != outcomes[1][name] && !isReproducible(name)
	}
	if difference := outcomes[1].difference(r.outcome, r.volatile); difference != "" {
		return fmt.Errorf("two undisturbed runs of the scenario %s differ: %s", s.name, difference)
	}
	return nil
}

// noteDuration keeps the duration of the fastest complete run. The first runs may be slow on a
// busy machine; kills drawn from a long duration would all come after the end.
func (r *reference) noteDuration(d time.Duration) {
	if before := r.fastest.Load(); before == 0 || int64(d) < before {
		r.fastest.Store(int64(d))
	}
}

// isReproducible reports whether two runs must write the same content to a file, apart from
// what [canonical] removes.
func isReproducible(name string) bool {
	return name == printed ||
		slices.Contains([]string{".npy", ".txt", ".db", ".json", ".csv"}, filepath.Ext(name))
}
