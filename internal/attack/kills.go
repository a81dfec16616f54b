//go:build linux

package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// maxKills is the number of kills of one command before it may complete.
const maxKills = 8

// kill kills a scenario at random moments several times, then lets it complete.
func (h *harness) kill(ctx context.Context, number int) (kills int, err error) {
	s := h.scenarios[number%len(h.scenarios)]
	ref, err := h.reference(ctx, s)
	if err != nil {
		return 0, err
	}
	folder, err := h.newFolder()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	rng := h.rng("kills", number)
	a := &attempt{h: h, part: "kills", number: number, scenario: s, reference: ref, folder: folder}
	for target := 1 + rng.IntN(maxKills); kills < target; {
		signal, duration := syscall.SIGKILL, ref.fastest.Load()
		if rng.IntN(5) == 0 {
			signal = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[rng.IntN(2)]
		}
		after := time.Duration(rng.Int64N(duration + duration/8))
		r, err := a.run(ctx, invocation{after: after, signal: signal})
		if err != nil {
			return kills, err
		}
		if r.signalled {
			kills++
		} else if a.runs == 1 { // complete and from the beginning
			ref.noteDuration(r.duration)
		}
		if r.status == cli.Done || a.report(a.failure(r, true)) || a.report(torn(folder, s, ref)) {
			break
		}
	}
	if a.found {
		return kills, a.err
	}
	return kills, a.complete(ctx)
}

// attempt is a case: one scenario under attack in its own folder.
type attempt struct {
	h         *harness
	part      string
	number    int
	scenario  scenario
	reference *reference
	folder    string
	runs      int
	log       []string
	found     bool
	err       error // of writing a finding
}

// run runs the command of the scenario.
func (a *attempt) run(ctx context.Context, i invocation) (result, error) {
	i.folder, i.arguments = a.folder, strings.Fields(a.scenario.arguments)
	r, err := a.h.program.run(ctx, i)
	a.runs++
	a.log = append(a.log, i.String(), r.String())
	return r, err
}

// report writes a finding, unless what is "" or there is one. It reports whether there is one.
func (a *attempt) report(what string) bool {
	if what == "" || a.found {
		return a.found
	}
	a.found = true
	a.err = a.h.findings.add(a, what)
	return true
}

// failure describes an unexpected end of a run, or returns "". A run may fail if it was
// interrupted or if an earlier run wrote the output.
func (a *attempt) failure(r result, interrupted bool) string {
	if problem := r.misbehavior(); problem != "" {
		return problem
	}
	stopped := interrupted && (r.killed() || r.signalled && r.status == cli.Failed)
	refused := a.scenario.refusal != "" && strings.Contains(string(r.stderr), a.scenario.refusal)
	if r.status == cli.Done || stopped || refused {
		return ""
	}
	return "it failed: " + r.String()
}

// complete runs the command undisturbed and compares its outcome with the reference.
func (a *attempt) complete(ctx context.Context) error {
	r, err := a.run(ctx, invocation{})
	if err != nil {
		return err
	}
	if a.report(a.failure(r, false)) {
		return a.err
	}
	stdout := r.stdout
	if r.status != cli.Done { // an earlier run printed the result
		stdout = nil
	}
	return a.compare(stdout)
}

// compare compares the files and the printed output, unless it is nil, with the reference.
func (a *attempt) compare(stdout []byte) error {
	got, err := readOutcome(a.folder, a.scenario, stdout)
	if err != nil {
		a.report(err.Error())
		return a.err
	}
	if stdout == nil {
		got[printed] = a.reference.outcome[printed]
	}
	a.report(got.difference(a.reference.outcome, a.reference.volatile))
	if name := got.leftover(); name != "" {
		a.report(name + " remains after the end of the work")
	}
	return a.err
}
