package study

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

func TestFullDisk(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "study.db"), describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := task.Trial{Number: 1, Structure: structure.MustParse("complex"), State: task.Running}
	if err := s.Put(search.Change{Trials: []task.Trial{kept}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil { // no file may grow any more
		t.Fatal(err)
	}
	large := task.Trial{
		Number:    2,
		Structure: structure.MustParse("simple"),
		State:     task.Complete,
		Loss:      make([]float64, 100_000),
	}
	if err := s.Put(search.Change{Trials: []task.Trial{large}}); err == nil ||
		!strings.Contains(err.Error(), "disk is full") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v, which should say in one line that the disk is full", err)
	}
	trials, err := s.Trials()
	if err != nil || len(trials) != 1 || trials[0].Number != 1 {
		t.Errorf("what was there before: %+v, %v", trials, err)
	}
}
