//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/autoblm/autoblm-go/internal/format"
)

// counts holds the counts of an attack and writes its findings.
type counts struct {
	seed   uint64
	folder string // of findings

	mu            sync.Mutex
	started, done map[string]int // cases, and kills or full disks, by part
	findings      int
}

func newCounts(folder string, seed uint64) *counts {
	return &counts{
		seed: seed, folder: folder,
		started: map[string]int{}, done: map[string]int{},
	}
}

// of returns the count of a part.
func (c *counts) of(part string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done[part]
}

// next returns the number of the next case, unless the goal is reached.
func (c *counts) next(p *part) (number int, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done[p.name] >= p.goal {
		return 0, false
	}
	c.started[p.name]++
	return c.started[p.name] - 1, true
}

func (c *counts) add(part string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[part] += count
}

// summary returns the last line that the attack prints.
func (c *counts) summary(minutes float64) string {
	return fmt.Sprintf("attack: %s kills, %s full disks, %s, %.0f min, seed %d",
		format.Int(c.of("kills")), format.Int(c.of("disks")),
		format.Count(c.findings, "finding"), minutes, c.seed)
}

// found counts a finding of an attempt and writes a folder for it.
func (c *counts) found(a *attempt, what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.findings++
	log := strings.Join(a.log, "\n")
	line, _, _ := strings.Cut(what, "\n")
	fmt.Fprintf(os.Stderr, "FOUND by %s, case %d (%s): %.300s\n",
		a.part, a.number, a.scenario.name, line)
	folder := filepath.Join(c.folder, fmt.Sprintf("%s-%d-%s", a.part, a.number, a.scenario.name))
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(folder, "files"), os.DirFS(a.folder)); err != nil {
		log += fmt.Sprintf("\ncannot copy the files: %v", err)
	}
	repeat := fmt.Sprintf("go run ./internal/attack --seed %d --repeat %s:%d --out repeated",
		c.seed, a.part, a.number)
	text := fmt.Appendf(nil, "%s\n\nRepeat: %s\n\n%s\n", what, repeat, log)
	return os.WriteFile(filepath.Join(folder, "repeat.txt"), text, 0o644)
}
