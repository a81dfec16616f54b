//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/format"
	"golang.org/x/sync/errgroup"
)

// part is one kind of attack: cases with numbers, each of which follows from the seed.
type part struct {
	name string
	goal int
	// try tries a case, and says how much that was.
	try func(ctx context.Context, number int) (count int, err error)
}

// harness is what all parts share.
type harness struct {
	seed      uint64
	work      string // for folders of cases
	base      *base
	program   attacked
	kept      *kept
	scenarios []scenario

	references sync.Map // of *reference by the name of the scenario
}

// rng is the source of randomness of a case.
func (h *harness) rng(part string, number int) *rand.Rand {
	name := fnv.New64a()
	_, _ = name.Write([]byte(part))
	return rand.New(rand.NewPCG(h.seed^name.Sum64(), uint64(number)))
}

// attack tries cases of all parts in turns, until the goals are reached or the time is up.
func (h *harness) attack(ctx context.Context, parts []*part, limit time.Duration, workers int, say func(string)) error {
	if workers < 1 {
		workers = runtime.NumCPU()
	}
	began := time.Now()
	defer func() { h.kept.took(time.Since(began)) }()
	const turns = 4 // of each part, so that an attack that is stopped has tried all
	for {
		open := 0
		for _, p := range parts {
			if h.kept.of(p.name).Done >= p.goal {
				continue
			}
			open++
			var until time.Time
			if limit > 0 {
				left := limit - time.Since(began)
				if left <= 0 {
					return nil
				}
				until = time.Now().Add(min(left, max(limit/time.Duration(turns*len(parts)), time.Second)))
			}
			if err := h.turn(ctx, p, workers, until); err != nil {
				return err
			}
			say(fmt.Sprintf("%s: %s of %s", p.name, format.Whole(h.kept.of(p.name).Done), format.Whole(p.goal)))
		}
		if open == 0 {
			return nil
		}
	}
}

// turn tries cases of one part until its goal, and begins none after a time, where one is
// given.
func (h *harness) turn(ctx context.Context, p *part, workers int, until time.Time) error {
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error {
			for ctx.Err() == nil && (until.IsZero() || time.Now().Before(until)) {
				number, more := h.kept.next(p)
				if !more {
					return nil
				}
				count, err := p.try(ctx, number)
				if err != nil {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					return fmt.Errorf("%s, case %d: %w", p.name, number, err)
				}
				if err := h.kept.add(p.name, count); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// again tries one case.
func (h *harness) again(ctx context.Context, parts []*part, which string) (int, error) {
	name, text, _ := strings.Cut(which, ":")
	number, err := strconv.Atoi(text)
	for _, p := range parts {
		if p.name == name && err == nil {
			before := h.kept.Findings
			_, err := p.try(ctx, number)
			return h.kept.Findings - before, err
		}
	}
	return 0, fmt.Errorf("%q is no case: expected PART:NUMBER, as in the repeat.txt of a finding", which)
}

// kept are the counts of an attack, in a file of its folder.
type kept struct {
	Seed     uint64            `json:"seed"`
	Parts    map[string]*tried `json:"parts"`
	Findings int               `json:"findings"`
	Seconds  float64           `json:"seconds"`

	mu     sync.Mutex
	folder string
	saved  time.Time
	alike  map[string]int // findings in short, of this run
}

type tried struct {
	Next int `json:"next"` // case
	Done int `json:"done"`
}

func openKept(folder string, seed uint64) (*kept, error) {
	k := &kept{Seed: seed, Parts: map[string]*tried{}, folder: folder, alike: map[string]int{}}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(k.file())
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(text, k)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the counts: %w", err)
	}
	if k.Seed != seed {
		return nil, fmt.Errorf("%s is of the seed %d: give that one, or another --out", folder, k.Seed)
	}
	return k, nil
}

func (k *kept) file() string { return filepath.Join(k.folder, "counts.json") }

// of are the counts of a part.
func (k *kept) of(part string) tried {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.entry(part)
}

func (k *kept) entry(part string) *tried {
	if k.Parts[part] == nil {
		k.Parts[part] = &tried{}
	}
	return k.Parts[part]
}

// next is the number of a case that was not tried.
func (k *kept) next(p *part) (number int, more bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.entry(p.name)
	if t.Done >= p.goal {
		return 0, false
	}
	t.Next++
	return t.Next - 1, true
}

// add counts, and saves the counts now and then.
func (k *kept) add(part string, count int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entry(part).Done += count
	if time.Since(k.saved) < time.Second {
		return nil
	}
	k.saved = time.Now()
	return k.save()
}

func (k *kept) took(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Seconds += d.Seconds()
	_ = k.save()
}

func (k *kept) save() error {
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(k.file(), append(text, '\n'))
}

// line is the last one that is printed.
func (k *kept) line() string {
	count := func(part string) string { return format.Whole(k.of(part).Done) }
	return fmt.Sprintf("attack: %s kills, %s full disks, %s inputs to readers, %s through the command, %s, %.0f min, seed %d",
		count("kills"), count("disks"), count("inputs"), count("commands"), format.Count(k.Findings, "finding"), k.Seconds/60, k.Seed)
}

// finding is something that should not be.
type finding struct {
	part   string
	number int
	name   string // of the scenario or the reader
	what   string
	folder string   // its files are kept, where there is one
	log    []string // what was done
}

// most findings of one kind are kept with their files, the rest is counted.
const mostAlike = 5

// found keeps a finding.
func (k *kept) found(f finding) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Findings++
	short, _, _ := strings.Cut(f.what, ":")
	k.alike[f.part+f.name+short]++
	if k.alike[f.part+f.name+short] > mostAlike {
		return k.save()
	}
	folder := filepath.Join(k.folder, "findings", fmt.Sprintf("%s-%d-%s", f.part, f.number, f.name))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if f.folder != "" {
		_ = os.RemoveAll(filepath.Join(folder, "files"))
		if err := os.CopyFS(filepath.Join(folder, "files"), os.DirFS(f.folder)); err != nil {
			f.log = append(f.log, fmt.Sprintf("the files could not be kept: %v", err))
		}
	}
	text := fmt.Sprintf("%s\n\nAgain: go run ./internal/attack --seed %d --again %s:%d --out again\n\n%s\n", f.what, k.Seed, f.part, f.number, strings.Join(f.log, "\n"))
	short, _, _ = strings.Cut(f.what, "\n")
	fmt.Fprintf(os.Stderr, "FOUND by %s, case %d (%s): %.300s\n", f.part, f.number, f.name, short)
	return errors.Join(os.WriteFile(filepath.Join(folder, "repeat.txt"), []byte(text), 0o644), k.save())
}
