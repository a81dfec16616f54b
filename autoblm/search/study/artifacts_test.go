package study

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestArtifacts checks that artifacts of trials are stored by number and replaced as a whole.
func TestArtifacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	put := func(left map[int]task.Artifact) {
		t.Helper()
		s, err := Open(path, describe())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Put(search.Change{Artifacts: left}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	one, two, three := task.Files{"a": []byte("1"), "b": {}}, task.Files{
		"a": []byte("2"),
	}, task.Files{"c": []byte("3")}
	put(map[int]task.Artifact{7: one, 9: two})
	put(map[int]task.Artifact{7: three})
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for trial, want := range map[int]task.Artifact{7: three, 8: nil, 9: two} {
		if got, err := s.Artifact(trial); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("trial %d has left %v, %v; want %v", trial, got, err, want)
		}
	}
	if best, err := s.Best(); best != nil || err != nil {
		t.Errorf("the best is %v, %v", best, err)
	}
	if _, err := s.db.Exec("UPDATE artifacts SET trial = 8 WHERE trial = 9"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Artifact(8); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("what another trial has left is taken: %v", err)
	}
}
