//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// reference is what a scenario comes to when it is left alone.
type reference struct {
	once     sync.Once
	outcome  outcome
	volatile map[string]bool // what differs between two such runs
	took     atomic.Int64    // nanoseconds that the quickest run took
	size     int64           // of the largest file
	total    int64           // of all files
	err      error
}

// reference runs a scenario twice, the first time.
func (h *harness) reference(ctx context.Context, s scenario) (*reference, error) {
	entry, _ := h.references.LoadOrStore(s.name, &reference{})
	r := entry.(*reference)
	r.once.Do(func() { r.err = r.make(ctx, h, s) })
	return r, r.err
}

func (r *reference) make(ctx context.Context, h *harness, s scenario) error {
	var outcomes []outcome
	for range 2 {
		folder, err := h.folder()
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		e, err := h.program.run(ctx, trial{folder: folder, arguments: strings.Fields(s.arguments)})
		if err != nil {
			return err
		}
		if e.status != cli.Done {
			return fmt.Errorf("the scenario %s does not work: autoblm %s: %s", s.name, s.arguments, e)
		}
		o, err := outcomeOf(folder, s, e.stdout)
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
		r.quickest(e.took)
		r.size, r.total = sizes(folder, s)
	}
	r.outcome, r.volatile = outcomes[0], map[string]bool{}
	for name := range outcomes[0] {
		r.volatile[name] = outcomes[0][name] != outcomes[1][name] && !exact(name)
	}
	if differ := outcomes[1].difference(r.outcome, r.volatile); differ != "" {
		return fmt.Errorf("two runs of the scenario %s differ, both left alone: %s", s.name, differ)
	}
	return nil
}

// quickest notes what a run to the end took. The machine may be busy now and not later, when
// kills that are drawn for a slow run would all come too late.
func (r *reference) quickest(took time.Duration) {
	if before := r.took.Load(); before == 0 || int64(took) < before {
		r.took.Store(int64(took))
	}
}

// unheard is what is volatile where nothing was printed.
func (r *reference) unheard() map[string]bool {
	volatile := maps.Clone(r.volatile)
	volatile[printed] = true
	return volatile
}

// exact says whether a file must be the same each time, to the byte or in the form in
// which it is compared.
func exact(name string) bool {
	return name == printed || slices.Contains([]string{".npy", ".txt", ".db", ".json", ".csv"}, filepath.Ext(name))
}

func sizes(folder string, s scenario) (largest, total int64) {
	for _, made := range s.made {
		_ = filepath.WalkDir(filepath.Join(folder, made), func(_ string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				if info, err := entry.Info(); err == nil {
					largest, total = max(largest, info.Size()), total+info.Size()
				}
			}
			return nil
		})
	}
	return largest, total
}

// folder is one with a copy of the base.
func (h *harness) folder() (string, error) {
	folder, err := os.MkdirTemp(h.work, "case-")
	if err == nil {
		err = h.base.copy(folder)
	}
	return folder, err
}

// most kills of one command before it is let to its end.
const mostKills = 8

// pursue kills a scenario at random moments, again and again, and lets it come to its end.
func (h *harness) pursue(ctx context.Context, number int) (kills int, err error) {
	s := h.scenarios[number%len(h.scenarios)]
	r, err := h.reference(ctx, s)
	if err != nil {
		return 0, err
	}
	folder, err := h.folder()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	rng := h.rng("kills", number)
	c := &attackCase{h: h, part: "kills", number: number, scenario: s, reference: r, folder: folder}
	for wanted := 1 + rng.IntN(mostKills); kills < wanted; {
		signal, took := syscall.SIGKILL, r.took.Load()
		if rng.IntN(5) == 0 {
			signal = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[rng.IntN(2)]
		}
		e, err := c.run(ctx, trial{after: time.Duration(rng.Int64N(took + took/8)), signal: signal})
		if err != nil {
			return kills, err
		}
		if e.signalled {
			kills++
		} else if len(c.log) == 2 { // nothing was there, and nothing killed it
			r.quickest(e.took)
		}
		if e.status == cli.Done || c.finds(c.failure(e, true)) || c.finds(torn(folder, s, r)) {
			break
		}
	}
	if c.found {
		return kills, c.err
	}
	return kills, c.end(ctx)
}

// attackCase is a scenario under attack.
type attackCase struct {
	h         *harness
	part      string
	number    int
	scenario  scenario
	reference *reference
	folder    string
	log       []string
	found     bool
	err       error
}

// run runs the command of the scenario.
func (c *attackCase) run(ctx context.Context, t trial) (ended, error) {
	t.folder, t.arguments = c.folder, strings.Fields(c.scenario.arguments)
	e, err := c.h.program.run(ctx, t)
	how := ""
	if t.signal != 0 {
		how = fmt.Sprintf(" [%v after %.3f s]", t.signal, t.after.Seconds())
	}
	c.log = append(c.log, t.String()+how, e.String())
	return e, err
}

// finds keeps what is wrong, if anything is.
func (c *attackCase) finds(what string) bool {
	if what == "" || c.found {
		return c.found
	}
	c.found = true
	c.err = c.h.kept.found(finding{part: c.part, number: c.number, name: c.scenario.name, what: what, folder: c.folder, log: c.log})
	return true
}

// failure says what is wrong with how a run ended: it may have failed only where it was
// interrupted, or where all is done.
func (c *attackCase) failure(e ended, interrupted bool) string {
	if wrong := e.misbehaviour(); wrong != "" {
		return wrong
	}
	switch {
	case e.status == cli.Done, e.killed() && interrupted, e.signalled && interrupted && e.status == cli.Failed:
		return ""
	case c.scenario.refusal != "" && strings.Contains(string(e.stderr), c.scenario.refusal):
		return ""
	}
	return "it failed: " + e.String()
}

// end lets the command come to its end, and compares.
func (c *attackCase) end(ctx context.Context) error {
	fresh := len(c.log) == 0
	e, err := c.run(ctx, trial{})
	if err != nil {
		return err
	}
	if fresh && e.status == cli.Done {
		c.reference.quickest(e.took)
	}
	if c.finds(c.failure(e, false)) {
		return c.err
	}
	want, volatile := c.reference.outcome, c.reference.volatile
	stdout := e.stdout
	if e.status != cli.Done { // all was done before, and printed then
		stdout, volatile = []byte{}, c.reference.unheard()
	}
	got, err := outcomeOf(c.folder, c.scenario, stdout)
	if err != nil {
		c.finds(err.Error())
		return c.err
	}
	c.finds(got.difference(want, volatile))
	if left := got.leftover(); left != "" {
		c.finds(left + " is left of what is over")
	}
	return c.err
}
