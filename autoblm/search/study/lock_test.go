package study

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCloseTwice checks that closing a study again leaves alone the lock and the journal of whoever
// has it now.
func TestCloseTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	before, err := Open(path, describe())
	if err == nil {
		err = before.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	now, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	journal := path + "-journal"
	if err := os.WriteFile(journal, []byte("unfinished"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := before.Close(); err != nil {
		t.Error(err)
	}
	for _, file := range []string{lockFile(path), journal} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	if err := now.Close(); err != nil {
		t.Error(err)
	}
}

// TestSlowReadBlocksNoOther checks that other studies are read and opened while the read of one
// hangs, and that a search with that one begins only after the read.
func TestSlowReadBlocksNoOther(t *testing.T) {
	dir := t.TempDir()
	slow, other := filepath.Join(dir, "slow.db"), filepath.Join(dir, "other.db")
	for _, path := range []string{slow, other} {
		s, err := Open(path, describe())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	within := func(what string, f func() error) {
		t.Helper()
		done := make(chan error, 1)
		go func() { done <- f() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s waits for the read of another study", what)
		}
	}
	reading, release, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- view(slow, quickly, func(database) error {
			close(reading)
			<-release
			return nil
		})
	}()
	<-reading
	within("Read", func() error { _, err := Read(other); return err })
	within("Revision", func() error { _, err := Revision(slow); return err })
	within("Find", func() error { _, err := Find(dir); return err })
	within("Open", func() error {
		s, err := Open(other, describe())
		if err != nil {
			return err
		}
		return s.Close()
	})
	opened := make(chan error)
	go func() {
		s, err := Open(slow, describe())
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	for searching := false; !searching; time.Sleep(time.Millisecond) {
		usedFiles.idle.L.Lock()
		for _, f := range usedFiles.entries {
			searching = searching || f.searching
		}
		usedFiles.idle.L.Unlock()
	}
	select {
	case err := <-opened:
		t.Errorf("a search began during the read: %v", err)
	default:
	}
	close(release)
	for _, end := range []chan error{ended, opened} {
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
	if len(usedFiles.entries) != 0 {
		t.Errorf("%d files are still in use", len(usedFiles.entries))
	}
}
