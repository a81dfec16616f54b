//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
)

// faultVariable makes the test binary a program with a fault, in place of autoblm.
const faultVariable = "ATTACK_TEST_FAULT"

func TestMain(m *testing.M) {
	if fault := os.Getenv(faultVariable); fault != "" {
		os.Exit(faulty(fault))
	}
	os.Exit(m.Run())
}

// faulty writes a file of three lines and resumes unfinished work. The fault "none" has no fault.
func faulty(fault string) int {
	const unfinished, made = "out/unfinished", "out/made.json"
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "autoblm: failed:", err)
		return 1
	}
	if err := os.MkdirAll("out", 0o755); err != nil {
		return fail(err)
	}
	lines, err := os.ReadFile(unfinished)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fail(err)
	}
	n := bytes.Count(lines, []byte("\n"))
	if n > 0 && fault == "forgets" {
		n++
	}
	for ; n < 3; n++ {
		lines = fmt.Appendf(lines, "line %d\n", n)
		if err := replace(unfinished, lines); err != nil {
			return fail(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	text, _ := json.Marshal(string(lines))
	switch fault {
	case "tears":
		_ = os.WriteFile(made, text[:len(text)/2], 0o644)
		time.Sleep(50 * time.Millisecond)
	case "leaves":
		own := fmt.Sprintf("out/%d", os.Getpid())
		_ = os.WriteFile(own, text, 0o644)
		time.Sleep(50 * time.Millisecond)
		_ = os.Remove(own)
	}
	if err := replace(made, text); err != nil {
		return fail(err)
	}
	if err := os.Remove(unfinished); err != nil {
		return fail(err)
	}
	if _, err := fmt.Println(string(text)); err != nil && fault != "ignores" {
		return fail(err)
	}
	if fault == "panics" {
		panic("fault")
	}
	return 0
}

// replace writes a file atomically.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// newHarness returns a harness that attacks the test binary.
func newHarness(t *testing.T, fault string) *harness {
	t.Helper()
	t.Setenv(faultVariable, fault)
	own, err := os.Executable()
	require.NoError(t, err)
	s := scenario{name: "faulty", arguments: "make", outputs: []string{"out"}}
	return &harness{
		seed: 1, work: t.TempDir(), base: &base{folder: t.TempDir()}, program: program{own},
		findings: findings{folder: filepath.Join(t.TempDir(), "out")}, scenarios: []scenario{s},
	}
}

// textOf returns the text of all findings.
func textOf(t *testing.T, h *harness) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.findings.folder, "*", "finding.txt"))
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

// checkFindings expects findings with a text, or none if it is empty.
func checkFindings(t *testing.T, h *harness, want string) {
	t.Helper()
	got := textOf(t, h)
	if (want == "") != (got == "") || !strings.Contains(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

func TestKillsFindFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"none": "", "tears": "made.json is torn", "leaves": "should not exist",
		"forgets": "differs from byte",
	} {
		t.Run(fault, func(t *testing.T) {
			h := newHarness(t, fault)
			p := &part{name: "kills", goal: 25, run: h.kill}
			if fault != "none" {
				p.goal = 200
			}
			for more := true; more && h.findings.count == 0; {
				var err error
				if more, err = p.runNext(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			checkFindings(t, h, want)
			if want == "" {
				return
			}
			if text := textOf(t, h); !strings.Contains(text, "autoblm make [") {
				t.Errorf("the finding does not contain the command: %q", text)
			}
		})
	}
}

func TestDisksFindFaults(t *testing.T) {
	for fault, want := range map[string]string{"none": "", "ignores": "did not fail"} {
		t.Run(fault, func(t *testing.T) {
			h := newHarness(t, fault)
			p := &part{name: "disks", goal: 24, run: h.fill}
			for more := true; more; {
				var err error
				if more, err = p.runNext(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			checkFindings(t, h, want)
		})
	}
}

// TestPanicIsMisbehavior checks that no part accepts a stack trace.
func TestPanicIsMisbehavior(t *testing.T) {
	h := newHarness(t, "panics")
	r, err := h.program.run(t.Context(), invocation{folder: t.TempDir()})
	if got := r.misbehavior(); err != nil || !strings.HasPrefix(got, "stack trace: panic: fault") {
		t.Errorf("misbehavior %q, error %v", got, err)
	}
}

// TestLeftover checks names that every run might leave, so that no comparison finds them.
func TestLeftover(t *testing.T) {
	for name, want := range map[string]bool{
		"out/model/model.json": false, "out/study.db": false, "out/search.training.before": true,
		"out/.study.db.autoblm-1": true, "out/training-01": true, "out/ranking-01": true,
	} {
		got := outcome{name: "", "out/a.txt": ""}.leftover()
		if (got == name) != want || (got == "") == want {
			t.Errorf("leftover %q among %q, want %v", got, name, want)
		}
	}
}

// TestOvertrained counts the trainings of each trial over all lives of the workers.
func TestOvertrained(t *testing.T) {
	lives := func(trials ...string) (all []life) {
		for _, trial := range trials {
			all = append(all, life{stderr: "autoblm: trained trial " + trial + "\nautoblm: other\n"})
		}
		return all
	}
	for want, given := range map[string][]life{
		"": lives("a1", "b2", "a1"), "trial a1 was trained 3 times": lives("a1", "b2", "a1", "a1"),
		"the workers trained no trial": nil,
	} {
		if got := overtrained(given); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUnexpectedEnds checks which ends of the processes of a cluster are findings.
func TestUnexpectedEnds(t *testing.T) {
	c := newCluster(&attempt{scenario: clusterSearch}, "127.0.0.1:1", time.Second,
		rand.New(rand.NewPCG(1, 1)))
	c.began = time.Now()
	search, server, worker := c.processes[0], c.processes[1], c.processes[2]
	ended, end := context.WithCancel(t.Context())
	end()
	noServer := result{status: 1, stderr: []byte("autoblm: set up the queue on nats://a: timeout\n")}
	killed := result{status: -1, signalled: true, signal: syscall.SIGKILL}
	for name, e := range map[string]struct {
		running context.Context
		of      process
		result  result
		want    string
	}{
		"the search ends":              {t.Context(), search, result{}, ""},
		"a worker ends":                {t.Context(), worker, result{}, "it ended by itself"},
		"the server ends":              {t.Context(), server, result{}, "it ended by itself"},
		"a worker ends after it":       {ended, worker, result{signalled: true}, ""},
		"a worker is killed":           {t.Context(), worker, killed, ""},
		"a worker without the server":  {t.Context(), worker, noServer, ""},
		"the search without it":        {t.Context(), search, noServer, ""},
		"the server cannot be set up":  {t.Context(), server, noServer, "it failed"},
		"a worker has another error":   {t.Context(), worker, result{status: 1, stderr: []byte("autoblm: a\n")}, "it failed"},
		"the search has another error": {t.Context(), search, result{status: 1, stderr: []byte("autoblm: a\n")}, "it failed"},
	} {
		got := c.problem(e.running, e.of, e.result)
		if (got == "") != (e.want == "") || !strings.Contains(got, e.want) {
			t.Errorf("%s: %q, want %q", name, got, e.want)
		}
	}
}

// TestSlowMachine checks that the time of a search on a cluster grows with its time on one machine.
func TestSlowMachine(t *testing.T) {
	newLimit := func(alone time.Duration) time.Duration {
		return newCluster(&attempt{}, "", alone, rand.New(rand.NewPCG(1, 1))).limit
	}
	if slow := newLimit(time.Minute); slow < 20*time.Minute || slow <= newLimit(time.Second) {
		t.Errorf("a search of a minute has %v, one of a second %v", slow, newLimit(time.Second))
	}
}
