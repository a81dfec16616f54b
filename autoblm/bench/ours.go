package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// run holds the measurements of a program on a case.
type run struct {
	seconds, compiling float64 // per member; in addition
	on                 string  // backend, or versions and device of a peer
	// The other fields are for our programs.
	gflop      float64 // work per member
	auto       string  // precision of auto
	fresh, mrr float64 // seconds with an untrained model, and the MRR of a trained one
	notes      []string
}

// ours runs our Go benchmark of a case.
func (f flags) ours(ctx context.Context, c benchCase, precision string) (run, error) {
	arguments := []string{
		"-test.run", "^$", "-test.bench", "^Benchmark(Step|Rank|Epoch)$/^" + c.ID + "$",
		"-test.benchtime", "1x",
		"-backend", f.Backend, "-precision", precision, "-models", f.temporary,
	}
	if f.Small {
		arguments = append(arguments, "-small")
	}
	program := exec.CommandContext(ctx, f.Ours, arguments...)
	program.Env = f.environment()
	output, err := program.Output()
	if err != nil {
		return run{}, benchmarkFailed(err, output)
	}
	return readOurs(string(output))
}

// environment returns the environment of our benchmarks.
func (f flags) environment() []string {
	return append(os.Environ(),
		"AUTOBLM_DATA="+f.Data, "GOMAXPROCS="+strconv.Itoa(f.threads()))
}

func benchmarkFailed(err error, output []byte) error {
	return fmt.Errorf("our benchmark failed: %w%s%s",
		err, lastErrorLine(err), failureMessage(string(output)))
}

var failure = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+(: .*)$`)

// failureMessage returns the message of a failed Go benchmark, as the end of a sentence.
func failureMessage(output string) string {
	if found := failure.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	return "\n" + output
}

func (f flags) threads() int { return cmp.Or(f.Threads, runtime.GOMAXPROCS(0)) }

// Units of our Go benchmarks.
const (
	unitOfTime, unitOfFresh = "s/member", "s-fresh/member"
	unitOfCompiling         = "s-compiling"
	unitOfWork, unitOfMRR   = "GFLOP/member", "MRR"
)

// readOurs parses the output of a Go benchmark: values before their units, and lines "name: value".
func readOurs(output string) (r run, err error) {
	units := map[string]*float64{
		unitOfTime:      &r.seconds,
		unitOfFresh:     &r.fresh,
		unitOfCompiling: &r.compiling,
		unitOfWork:      &r.gflop,
		unitOfMRR:       &r.mrr,
	}
	for line := range strings.Lines(output) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "backend":
			r.on = value
		case "auto":
			r.auto = value
		case "note":
			r.notes = append(r.notes, value)
		}
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			if to := units[words[i]]; to != nil {
				*to, _ = strconv.ParseFloat(words[i-1], 64)
			}
		}
	}
	if !(r.seconds > 0) {
		err = errors.New("our benchmark printed no time")
	}
	return r, err
}
