package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// asProgram makes the test binary behave as the program.
const asProgram = "AUTOBLM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestKilledSearchGoesOn kills the program without warning, later each time,
// until a search gets to its end: it is the search of a program left alone.
func TestKilledSearchGoesOn(t *testing.T) {
	graph := smallGraph(t)
	arguments := func(dir string) []string {
		return searchArguments(graph, dir, "--budget", "24", "--epochs", "30")
	}
	untouched := object(t, arguments(t.TempDir())...)

	dir := t.TempDir()
	kills, resumed := 0, false
	for life := 30 * time.Millisecond; ; life += 15 * time.Millisecond {
		command := exec.Command(os.Args[0], arguments(dir)...)
		command.Env = append(os.Environ(), asProgram+"=1")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(life, func() { _ = command.Process.Kill() })
		err := command.Wait()
		if err == nil {
			break
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("the program ended by itself: %v", err)
		}
		kills++
		if info, err := os.Stat(filepath.Join(dir, "study.db")); err == nil && info.Size() > 0 {
			resumed = true
		}
	}
	if kills == 0 || !resumed {
		t.Fatalf("%d kills, and a study to go on with: %v", kills, resumed)
	}
	survived := object(t, arguments(dir)...)
	for _, field := range []string{"trained", "failed", "stopped", "best", "human"} {
		if got, want := asText(t, map[string]any{field: survived[field]}), asText(t, map[string]any{field: untouched[field]}); got != want {
			t.Errorf("after %d kills: %s, left alone: %s", kills, got, want)
		}
	}
}
