//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// findings counts findings and writes them into a folder.
type findings struct {
	folder string

	mu    sync.Mutex
	count int
}

// add writes a folder for a finding of an attempt.
func (f *findings) add(a *attempt, what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	log := strings.Join(a.log, "\n")
	line, _, _ := strings.Cut(what, "\n")
	fmt.Fprintf(os.Stderr, "FOUND by %s, case %d (%s): %.300s\n",
		a.part, a.number, a.scenario.name, line)
	folder := filepath.Join(f.folder, fmt.Sprintf("%s-%d-%s", a.part, a.number, a.scenario.name))
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(folder, "files"), os.DirFS(a.folder)); err != nil {
		log += fmt.Sprintf("\ncannot copy the files: %v", err)
	}
	text := fmt.Appendf(nil, "%s\n\n%s\n", what, log)
	return os.WriteFile(filepath.Join(folder, "finding.txt"), text, 0o644)
}
